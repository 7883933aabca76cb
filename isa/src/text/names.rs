//! Names that printing and parsing share.

use crate::operand::code;

/// Scalar registers and sources with a name of their own: name, code, dwords.
pub const SPECIAL: &[(&str, u16, u32)] = &[
    ("flat_scratch", code::FLAT_SCRATCH_LO, 2),
    ("flat_scratch_lo", code::FLAT_SCRATCH_LO, 1),
    ("flat_scratch_hi", code::FLAT_SCRATCH_HI, 1),
    ("xnack_mask", code::XNACK_MASK_LO, 2),
    ("xnack_mask_lo", code::XNACK_MASK_LO, 1),
    ("xnack_mask_hi", code::XNACK_MASK_HI, 1),
    ("vcc", code::VCC_LO, 2),
    ("vcc_lo", code::VCC_LO, 1),
    ("vcc_hi", code::VCC_HI, 1),
    ("m0", code::M0, 1),
    ("exec", code::EXEC_LO, 2),
    ("exec_lo", code::EXEC_LO, 1),
    ("exec_hi", code::EXEC_HI, 1),
    ("src_shared_base", code::SHARED_BASE, 1),
    ("src_shared_limit", code::SHARED_LIMIT, 1),
    ("src_private_base", code::PRIVATE_BASE, 1),
    ("src_private_limit", code::PRIVATE_LIMIT, 1),
    ("src_pops_exiting_wave_id", code::POPS_EXITING_WAVE_ID, 1),
    ("src_vccz", code::VCCZ, 1),
    ("src_execz", code::EXECZ, 1),
    ("src_scc", code::SCC, 1),
    ("off", code::OFF, 1),
];

/// Other spellings of the same, accepted on input.
pub const SPECIAL_ALIASES: &[(&str, &str)] = &[
    ("shared_base", "src_shared_base"),
    ("shared_limit", "src_shared_limit"),
    ("private_base", "src_private_base"),
    ("private_limit", "src_private_limit"),
    ("pops_exiting_wave_id", "src_pops_exiting_wave_id"),
    ("vccz", "src_vccz"),
    ("execz", "src_execz"),
    ("scc", "src_scc"),
];

/// Hardware registers by id (LLVM, gfx940).
pub const HWREG: &[(u32, &str)] = &[
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (4, "HW_REG_HW_ID"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (16, "HW_REG_TBA_LO"),
    (17, "HW_REG_TBA_HI"),
    (18, "HW_REG_TMA_LO"),
    (19, "HW_REG_TMA_HI"),
    (20, "HW_REG_XCC_ID"),
    (21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
    (22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
    (23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
    (24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
];

/// Messages by id.
pub const MESSAGE: &[(u32, &str)] = &[
    (1, "MSG_INTERRUPT"),
    (2, "MSG_GS"),
    (3, "MSG_GS_DONE"),
    (4, "MSG_SAVEWAVE"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (7, "MSG_ORDERED_PS_DONE"),
    (8, "MSG_EARLY_PRIM_DEALLOC"),
    (9, "MSG_GS_ALLOC_REQ"),
    (10, "MSG_GET_DOORBELL"),
    (15, "MSG_SYSMSG"),
];

/// Operations of geometry messages (ids 2 and 3).
pub const GS_OP: &[(u32, &str)] = &[
    (0, "GS_OP_NOP"),
    (1, "GS_OP_CUT"),
    (2, "GS_OP_EMIT"),
    (3, "GS_OP_EMIT_CUT"),
];

/// Operations of system messages (id 15).
pub const SYS_OP: &[(u32, &str)] = &[
    (1, "SYSMSG_OP_ECC_ERR_INTERRUPT"),
    (2, "SYSMSG_OP_REG_RD"),
    (4, "SYSMSG_OP_TTRACE_PC"),
];

/// VGPR indexing modes by bit.
pub const GPR_IDX: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];

/// Typed buffer data formats by number.
pub const DATA_FORMAT: [&str; 16] = [
    "BUF_DATA_FORMAT_INVALID",
    "BUF_DATA_FORMAT_8",
    "BUF_DATA_FORMAT_16",
    "BUF_DATA_FORMAT_8_8",
    "BUF_DATA_FORMAT_32",
    "BUF_DATA_FORMAT_16_16",
    "BUF_DATA_FORMAT_10_11_11",
    "BUF_DATA_FORMAT_11_11_10",
    "BUF_DATA_FORMAT_10_10_10_2",
    "BUF_DATA_FORMAT_2_10_10_10",
    "BUF_DATA_FORMAT_8_8_8_8",
    "BUF_DATA_FORMAT_32_32",
    "BUF_DATA_FORMAT_16_16_16_16",
    "BUF_DATA_FORMAT_32_32_32",
    "BUF_DATA_FORMAT_32_32_32_32",
    "BUF_DATA_FORMAT_RESERVED_15",
];

/// Typed buffer number formats by number.
pub const NUM_FORMAT: [&str; 8] = [
    "BUF_NUM_FORMAT_UNORM",
    "BUF_NUM_FORMAT_SNORM",
    "BUF_NUM_FORMAT_USCALED",
    "BUF_NUM_FORMAT_SSCALED",
    "BUF_NUM_FORMAT_UINT",
    "BUF_NUM_FORMAT_SINT",
    "BUF_NUM_FORMAT_RESERVED_6",
    "BUF_NUM_FORMAT_FLOAT",
];

/// SDWA selects by number.
pub const SDWA_SEL: [&str; 7] = [
    "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
];

/// SDWA treatment of the rest of the destination.
pub const SDWA_UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];

/// DPP controls that take a number: name, first number, last, code of 0.
pub const DPP_COUNTED: &[(&str, u32, u32, u32)] = &[
    (" row_shl:", 1, 15, 0x100),
    (" row_shr:", 1, 15, 0x110),
    (" row_ror:", 1, 15, 0x120),
    (" row_newbcast:", 0, 15, 0x150),
];

/// DPP controls that stand alone, by code.
pub const DPP_SINGLE: &[(&str, u32)] = &[
    (" wave_shl:1", 0x130),
    (" wave_rol:1", 0x134),
    (" wave_shr:1", 0x138),
    (" wave_ror:1", 0x13c),
    (" row_mirror", 0x140),
    (" row_half_mirror", 0x141),
    (" row_bcast:15", 0x142),
    (" row_bcast:31", 0x143),
];

/// The name of `id` in one of these lists.
pub fn name_of(list: &'static [(u32, &'static str)], id: u32) -> Option<&'static str> {
    list.iter().find(|(i, _)| *i == id).map(|(_, n)| *n)
}

/// The id of `name` in one of these lists.
pub fn id_of(list: &[(u32, &str)], name: &str) -> Option<u32> {
    list.iter().find(|(_, n)| *n == name).map(|(i, _)| *i)
}
