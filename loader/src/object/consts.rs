//! The numbers of AMDGPU's ELF supplement that generic ELF libraries do not name.
//!
//! Source: LLVM's AMDGPU usage guide, "ELF Code Object".

/// `e_machine` of an AMD GPU object.
pub const EM_AMDGPU: u16 = 224;
/// `e_ident[EI_OSABI]` of an object for the HSA runtime.
pub const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// Shared object: what lld writes and ROCm loads.
pub const ET_DYN: u16 = 3;

/// The bits of `e_flags` that name the GPU.
pub const EF_AMDGPU_MACH: u32 = 0x0ff;
/// The bits of `e_flags` that say how page faults are replayed.
pub const EF_AMDGPU_FEATURE_XNACK: u32 = 0x300;
/// Lowest bit of [`EF_AMDGPU_FEATURE_XNACK`].
pub const XNACK_SHIFT: u32 = 8;
/// The bits of `e_flags` that say whether SRAM error correction is assumed.
pub const EF_AMDGPU_FEATURE_SRAMECC: u32 = 0xc00;
/// Lowest bit of [`EF_AMDGPU_FEATURE_SRAMECC`].
pub const SRAMECC_SHIFT: u32 = 10;

/// Owner of AMD's notes.
pub const NOTE_NAME: &[u8; 7] = b"AMDGPU\0";
/// Note type of the MessagePack metadata.
pub const NT_AMDGPU_METADATA: u32 = 32;

/// Low half of symbol + addend.
pub const R_AMDGPU_ABS32_LO: u32 = 1;
/// High half of symbol + addend.
pub const R_AMDGPU_ABS32_HI: u32 = 2;
/// Symbol + addend, 64 bits.
pub const R_AMDGPU_ABS64: u32 = 3;
/// Symbol + addend, 32 bits.
pub const R_AMDGPU_ABS32: u32 = 6;
/// Load address + addend, 64 bits.
pub const R_AMDGPU_RELATIVE64: u32 = 13;

/// Page size for which segments are laid out.
pub const PAGE: u64 = 0x1000;
/// Alignment of code: an instruction cache line pair, and what the descriptor's entry offset needs.
pub const CODE_ALIGN: u64 = 256;
/// Alignment of kernel descriptors.
pub const DESCRIPTOR_ALIGN: u64 = 64;

/// Every `EF_AMDGPU_MACH` number with the GPU's name, so that a foreign object can be called by it.
pub const MACHINES: &[(u8, &str)] = &[
    (0x01, "r600"),
    (0x02, "r630"),
    (0x03, "rs880"),
    (0x04, "rv670"),
    (0x05, "rv710"),
    (0x06, "rv730"),
    (0x07, "rv770"),
    (0x08, "cedar"),
    (0x09, "cypress"),
    (0x0a, "juniper"),
    (0x0b, "redwood"),
    (0x0c, "sumo"),
    (0x0d, "barts"),
    (0x0e, "caicos"),
    (0x0f, "cayman"),
    (0x10, "turks"),
    (0x20, "gfx600"),
    (0x21, "gfx601"),
    (0x22, "gfx700"),
    (0x23, "gfx701"),
    (0x24, "gfx702"),
    (0x25, "gfx703"),
    (0x26, "gfx704"),
    (0x28, "gfx801"),
    (0x29, "gfx802"),
    (0x2a, "gfx803"),
    (0x2b, "gfx810"),
    (0x2c, "gfx900"),
    (0x2d, "gfx902"),
    (0x2e, "gfx904"),
    (0x2f, "gfx906"),
    (0x30, "gfx908"),
    (0x31, "gfx909"),
    (0x32, "gfx90c"),
    (0x33, "gfx1010"),
    (0x34, "gfx1011"),
    (0x35, "gfx1012"),
    (0x36, "gfx1030"),
    (0x37, "gfx1031"),
    (0x38, "gfx1032"),
    (0x39, "gfx1033"),
    (0x3a, "gfx602"),
    (0x3b, "gfx705"),
    (0x3c, "gfx805"),
    (0x3d, "gfx1035"),
    (0x3e, "gfx1034"),
    (0x3f, "gfx90a"),
    (0x40, "gfx940"),
    (0x41, "gfx1100"),
    (0x42, "gfx1013"),
    (0x43, "gfx1150"),
    (0x44, "gfx1103"),
    (0x45, "gfx1036"),
    (0x46, "gfx1101"),
    (0x47, "gfx1102"),
    (0x48, "gfx1200"),
    (0x49, "gfx1250"),
    (0x4a, "gfx1151"),
    (0x4b, "gfx941"),
    (0x4c, "gfx942"),
    (0x4e, "gfx1201"),
    (0x4f, "gfx950"),
    (0x51, "gfx9-generic"),
    (0x52, "gfx10-1-generic"),
    (0x53, "gfx10-3-generic"),
    (0x54, "gfx11-generic"),
    (0x55, "gfx1152"),
    (0x58, "gfx1153"),
    (0x59, "gfx12-generic"),
    (0x5f, "gfx9-4-generic"),
];
