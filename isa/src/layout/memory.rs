//! DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF (CDNA3 ISA, "LDS and GDS format", "Flat formats",
//! "Vector memory buffer formats").

use super::{Alt, Draft};
use crate::Mods;
use crate::operand::code;
use crate::table::{ModSet, OpInfo, Presence, Role};

/// DS.
pub(super) fn ds(info: &'static OpInfo) -> Draft {
    let mut d = Draft::new(info, 2, 0b11_0110 << 26 | u64::from(info.opcode) << 17);
    if info.mods.intersects(ModSet::OFFSET.union(ModSet::OFFSET01)) {
        d.imm(0, 16, false); // offset0 | offset1 << 8
    }
    let gws = info.mods.contains(ModSet::GDS);
    // The two permutes are strict about it.
    if !gws && !info.name.ends_with("permute_b32") {
        d.unused_bits(16, 1);
    }
    if gws {
        d.fix(16, 1).implies(Mods::with_gds, 1);
    }
    for (i, o) in info.operands.iter().enumerate() {
        let shift = match o.role {
            Role::Addr => 32,
            // The global wave sync operations have no address and keep their data in its field.
            Role::Data0 if gws => 32,
            Role::Data0 => 40,
            Role::Data1 => 48,
            Role::Vdst => 56,
            r => unreachable!("{}: {r:?} in DS", info.name),
        };
        d.field(i, shift, 8, code::VGPR0);
        if o.role != Role::Addr {
            d.alt(i, Alt::Acc, 25);
        }
    }
    d
}

/// What FLAT, GLOBAL and SCRATCH share. `seg`: 0 flat, 1 scratch, 2 global.
fn flat_like(info: &'static OpInfo, seg: u64, sc0: Option<bool>) -> Draft {
    let mut d = Draft::new(
        info,
        2,
        0b11_0111 << 26 | u64::from(info.opcode) << 18 | seg << 14,
    );
    match sc0 {
        // For an atomic, sc0 is not a cache policy but says whether there is a result.
        Some(on) => {
            d.fix(16, u64::from(on))
                .implies(Mods::with_sc0, u32::from(on));
        }
        None => {
            d.run_if(ModSet::SC0, Mods::with_sc0, 16);
        }
    }
    d.run_if(ModSet::NT, Mods::with_nt, 17)
        .run_if(ModSet::SC1, Mods::with_sc1, 25)
        .imm(0, if seg == 0 { 12 } else { 13 }, seg != 0)
        // Data of what has none, and the result.
        .unused_bits(40, 8)
        .unused_bits(56, 8);
    for (i, o) in info.operands.iter().enumerate() {
        match o.role {
            Role::Vdst if o.presence == Presence::IfSc0 && sc0 == Some(false) => d.unused(i),
            Role::Vdst => {
                d.field(i, 56, 8, code::VGPR0);
                d.alt(i, Alt::Acc, 55);
            }
            Role::Vdata => {
                d.field(i, 40, 8, code::VGPR0);
                d.alt(i, Alt::Acc, 55);
            }
            Role::Vaddr => {
                d.field(i, 32, 8, code::VGPR0);
            }
            Role::Saddr => {
                d.field(i, 48, 7, 0);
            }
            r => unreachable!("{}: {r:?} in {:?}", info.name, info.format),
        }
    }
    d
}

/// Whether `sc0` decides about the result.
pub(super) fn returns_by_sc0(info: &OpInfo) -> bool {
    info.operands.iter().any(|o| o.presence == Presence::IfSc0)
}

/// FLAT. `variant` is sc0 for an atomic, else 0.
pub(super) fn flat(info: &'static OpInfo, variant: u32) -> Draft {
    flat_like(info, 0, returns_by_sc0(info).then_some(variant & 1 != 0))
}

fn off(d: &mut Draft, i: usize, shift: u32, field: u64) {
    d.fix(shift, field);
    d.constant(i, code::OFF);
    d.takes(i, crate::table::Class::OFF, 1);
}

/// GLOBAL. `variant` is sc0 | (saddr is off) << 1; loads and stores have sc0 as a modifier and only even variants.
pub(super) fn global(info: &'static OpInfo, variant: u32) -> Option<Draft> {
    let atomic = returns_by_sc0(info);
    let no_saddr = variant & 2 != 0;
    if !atomic && variant & 1 != 0 {
        return None;
    }
    let mut d = flat_like(info, 2, atomic.then_some(variant & 1 != 0));
    for (i, o) in info.operands.iter().enumerate() {
        match o.role {
            // Without saddr the VGPRs hold the whole 64-bit address.
            Role::Vaddr => d.takes(i, o.class, if no_saddr { 2 } else { 1 }),
            Role::Saddr if no_saddr => {
                d.unfield(48, 7);
                off(&mut d, i, 48, 0x7f);
            }
            _ => {}
        }
    }
    Some(d)
}

/// SCRATCH. `variant` is sve (bit 13: a VGPR offset) | (saddr is off) << 1.
pub(super) fn scratch(info: &'static OpInfo, variant: u32) -> Draft {
    let (sve, no_saddr) = (variant & 1 != 0, variant & 2 != 0);
    let mut d = flat_like(info, 1, None);
    // Bit 13 lies above the 13-bit offset, which is 12:0.
    d.fix(13, u64::from(sve));
    for (i, o) in info.operands.iter().enumerate() {
        match o.role {
            Role::Vaddr if !sve => {
                d.unfield(32, 8);
                d.unused_bits(32, 8);
                off(&mut d, i, 32, 0);
            }
            Role::Saddr if no_saddr => {
                d.unfield(48, 7);
                off(&mut d, i, 48, 0x7f);
            }
            _ => {}
        }
    }
    d
}

/// MUBUF and MTBUF. `variant` is offen | idxen << 1 | lds << 2.
pub(super) fn buffer(info: &'static OpInfo, typed: bool, variant: u32) -> Option<Draft> {
    let (offen, idxen, lds) = (variant & 1, variant >> 1 & 1, variant >> 2 & 1);
    let addressed = info.slot(Role::Vaddr).is_some();
    if !addressed && variant != 0 {
        return None;
    }
    if lds != 0 && !info.mods.intersects(ModSet::LDS.union(ModSet::LDS_GFX950)) {
        return None;
    }
    let op = u64::from(info.opcode);
    let mut d = if typed {
        let mut d = Draft::new(info, 2, 0b11_1010 << 26 | op << 15);
        d.run_if(ModSet::FORMAT, Mods::with_format, 19)
            .run_if(ModSet::SC1, Mods::with_sc1, 53)
            .run_if(ModSet::NT, Mods::with_nt, 54);
        d
    } else {
        let mut d = Draft::new(info, 2, 0b11_1000 << 26 | op << 18);
        d.run_if(ModSet::SC1, Mods::with_sc1, 15)
            .run_if(ModSet::NT, Mods::with_nt, 17)
            .fix(16, u64::from(lds))
            .implies(Mods::with_lds, lds)
            .unused_bits(25, 1)
            .unused_bits(53, 2);
        if info.operands.is_empty() {
            // LLVM takes `nt` in text and drops it.
            d.unused_bits(17, 1);
            d.unused_bits(0, 12).unused_bits(32, 23).unused_bits(56, 8);
        }
        d
    };
    d.run_if(ModSet::SC0, Mods::with_sc0, 14)
        .fix(12, u64::from(offen))
        .fix(13, u64::from(idxen))
        .implies(Mods::with_offen, offen)
        .implies(Mods::with_idxen, idxen);
    if info.mods.contains(ModSet::OFFSET) {
        d.imm(0, 12, false);
    }
    for (i, o) in info.operands.iter().enumerate() {
        match o.role {
            Role::Vdata if lds != 0 => {
                d.unused(i);
                d.unused_bits(40, 8);
            }
            Role::Vdata => {
                d.field(i, 40, 8, code::VGPR0);
                d.alt(i, Alt::Acc, 55);
            }
            Role::Vaddr if offen + idxen == 0 => {
                off(&mut d, i, 32, 0);
                d.unused_bits(32, 8);
            }
            Role::Vaddr => {
                d.field(i, 32, 8, code::VGPR0);
                d.takes(i, crate::table::Class::V, offen + idxen);
            }
            Role::Srsrc => {
                d.field(i, 48, 5, 0);
                d.scale(i, 2);
            }
            Role::Soffset => {
                d.field(i, 56, 8, 0);
            }
            r => unreachable!("{}: {r:?} in {:?}", info.name, info.format),
        }
    }
    Some(d)
}
