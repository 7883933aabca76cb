//! A descriptor as `.amdhsa_kernel`.

use std::fmt::Write;

use super::amdhsa::{
    ACCUM_OFFSET, FIELDS, KernelBlock, NEXT_SGPR, NEXT_VGPR, Stated, get, put, sgpr_field,
    vgpr_field,
};
use super::assemble::Origin;
use super::lex::quoted;
use crate::descriptor::RegisterLimits;
use crate::metadata::KernelMetadata;
use crate::object::KernelSymbol;

/// Directives that are written even where they say the default, since a reader looks for them.
const ALWAYS: [&str; 8] = [
    "group_segment_fixed_size",
    "private_segment_fixed_size",
    "kernarg_size",
    "user_sgpr_count",
    "user_sgpr_kernarg_segment_ptr",
    "system_sgpr_workgroup_id_x",
    "system_vgpr_workitem_id",
    ACCUM_OFFSET,
];

/// Writes the block. `used` are the registers that the code uses: vector, accumulation, scalar.
pub(super) fn print(
    kernel: &KernelSymbol,
    about: Option<&KernelMetadata>,
    used: [u64; 3],
    out: &mut String,
) {
    let bytes = kernel.descriptor.emit();
    let mut block = KernelBlock::new(kernel.name.clone());
    // Writing to a string does not fail.
    let _ = writeln!(out, "\t.amdhsa_kernel {}", quoted(&kernel.name));
    for field in &FIELDS {
        let found = get(&bytes, field.bit, field.width);
        let value = match field.name {
            NEXT_VGPR => next_vgpr(found, about, used, get(&bytes, super::amdhsa::ACCUM_BIT, 6)),
            NEXT_SGPR => next_sgpr(found, about, used),
            ACCUM_OFFSET => Some(4 * (found + 1)).filter(|a| *a >= used[0]),
            "reserve_vcc" | "reserve_xnack_mask" => None,
            // A count under what the others ask for is refused, and then is among the raw words.
            "user_sgpr_count" => Some(found).filter(|n| *n <= 16 && *n >= implied(&bytes)),
            _ => Some(found),
        };
        let Some(value) = value else { continue };
        put(&mut block.bytes, field.bit, field.width, found);
        if value == field.default && !ALWAYS.contains(&field.name) {
            continue;
        }
        let _ = writeln!(out, "\t\t.amdhsa_{} {value}", field.name);
        let stated = Stated {
            value,
            origin: Origin::default(),
            span: 0..0,
        };
        block.stated.push((field.name, stated));
    }
    // Reserved bits, and counts no directive can say.
    let said = block.descriptor(used).emit();
    // What is counted from the code is not left to a count that may differ.
    let counted = |at: usize| match at {
        44 => block.value(ACCUM_OFFSET).is_none(),
        48 => block.value(NEXT_VGPR).is_none() || block.value(NEXT_SGPR).is_none(),
        _ => false,
    };
    for at in (0..64).step_by(4).filter(|at| !matches!(at, 16 | 20)) {
        if said[at..at + 4] != bytes[at..at + 4] || counted(at) {
            let word = bytes[at..at + 4]
                .iter()
                .rev()
                .fold(0u32, |w, b| w << 8 | u32::from(*b));
            let _ = writeln!(out, "\t\t.wavesmith_descriptor_word {at}, {word:#010x}");
        }
    }
    let _ = writeln!(out, "\t.end_amdhsa_kernel");
}

fn implied(bytes: &[u8; 64]) -> u64 {
    let mut block = KernelBlock::new(String::new());
    block.bytes = *bytes;
    block.implied_user_sgprs()
}

/// The number of vector registers: as the metadata has it where that gives the same field, else the most that does.
fn next_vgpr(
    field: u64,
    about: Option<&KernelMetadata>,
    used: [u64; 3],
    accum: u64,
) -> Option<u64> {
    let granule = u64::from(RegisterLimits::GFX9_UNIFIED.vgpr_granule);
    let [vgprs, agprs, _] = used;
    // An offset that the code exceeds is not stated, and then counted from what is used.
    let counted = vgprs.max(1).next_multiple_of(4);
    let accum = (4 * (accum + 1)).max(counted);
    let needed = match agprs {
        0 => vgprs,
        agprs => vgprs.max(accum + agprs),
    };
    let most = ((field + 1) * granule).min(512);
    let stated = about.map(|a| a.vgpr_count).unwrap_or(most);
    let fits = |n: &u64| {
        *n <= 512
            && vgpr_field(*n) == field
            && *n >= needed
            && accum <= n.max(&1).next_multiple_of(4)
    };
    [stated, most].into_iter().find(|n| fits(n))
}

fn next_sgpr(field: u64, about: Option<&KernelMetadata>, used: [u64; 3]) -> Option<u64> {
    let extra = u64::from(RegisterLimits::GFX9_UNIFIED.extra_sgprs);
    let most = (8 * (field + 1)).saturating_sub(extra).min(102);
    let stated = about.map_or(most, |a| a.sgpr_count.saturating_sub(extra));
    let fits = |n: &u64| *n <= 102 && sgpr_field(*n) == field && *n >= used[2];
    [stated, most].into_iter().find(|n| fits(n))
}
