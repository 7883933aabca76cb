//! Where an instruction's lanes go in memory, before it runs.

use wavesmith_isa::Mnemonic as M;
use wavesmith_isa::table::{Format, Mem};

use crate::exec::buffer;
use crate::exec::smem;
use crate::exec::vmem::{Space, addresses, lds_pitch};
use crate::operand::{PRIVATE_BASE_HI, SHARED_BASE_HI};
use crate::program::Op;
use crate::wave::Wave;

/// Which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Device memory.
    Global,
    /// LDS of the workgroup.
    Lds,
    /// Private memory of the lane.
    Private,
}

/// One lane's access.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The lane; 64 for a scalar access.
    pub lane: u8,
    /// Which memory.
    pub place: Place,
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub len: u32,
    /// Bytes that the address must be a multiple of.
    pub align: u32,
    /// Loaded.
    pub read: bool,
    /// Stored.
    pub write: bool,
    /// Both in one step.
    pub atomic: bool,
}

/// The size that a name states: `dwordx3`, `ubyte`, `b64` …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes of one place.
    pub len: u32,
    /// Bytes of an element.
    pub align: u32,
}

/// Size of the access that an instruction's name states.
pub fn size(name: &str) -> Size {
    let plain = |len: u32| Size {
        len,
        align: len.min(4),
    };
    let atomic = name.contains("_atomic_") || name.starts_with("ds_") && is_ds_atomic(name);
    let whole = |len: u32| Size { len, align: len };
    if name.contains("_format_") {
        // The format decides; one byte is there in any case.
        return plain(1);
    }
    if atomic {
        let wide = ["_x2", "_f64", "_b64", "_u64", "_i64"];
        return whole(if wide.iter().any(|w| name.contains(w)) {
            8
        } else {
            4
        });
    }
    for token in name.split('_') {
        return plain(match token {
            "ubyte" | "sbyte" | "byte" | "b8" | "u8" | "i8" => 1,
            "ushort" | "sshort" | "short" | "b16" | "u16" | "i16" => 2,
            "dword" | "b32" => 4,
            "dwordx2" | "b64" => 8,
            "dwordx3" | "b96" => 12,
            "dwordx4" | "b128" => 16,
            "dwordx8" => 32,
            "dwordx16" => 64,
            _ => continue,
        });
    }
    plain(4)
}

fn is_ds_atomic(name: &str) -> bool {
    !(name.starts_with("ds_read") || name.starts_with("ds_write"))
}

/// Pushes the accesses of `op` to `out`, those of active lanes only.
pub fn accesses(w: &Wave, op: &Op, out: &mut Vec<Access>) {
    let info = op.inst.op.info();
    match info.format {
        Format::DS => ds(w, op, out),
        Format::FLAT | Format::GLOBAL | Format::SCRATCH => flat(w, op, out),
        Format::MUBUF | Format::MTBUF => buffers(w, op, out),
        Format::SMEM => scalar(w, op, out),
        _ => {}
    }
}

fn active(w: &Wave) -> impl Iterator<Item = usize> {
    let exec = w.exec();
    (0..64).filter(move |l| exec >> l & 1 != 0)
}

fn way(op: &Op) -> (bool, bool, bool) {
    let info = op.inst.op.info();
    match info.mem {
        Mem::No => (false, false, false),
        Mem::Load => (true, false, false),
        Mem::Store => (false, true, false),
        // A load that may go to LDS is marked as one that stores.
        Mem::LoadStore if info.name.contains("load") => (true, false, false),
        Mem::LoadStore => (true, true, true),
    }
}

fn ds(w: &Wave, op: &Op, out: &mut Vec<Access>) {
    let info = op.inst.op.info();
    let (read, write, atomic) = way(op);
    if !(read || write) || info.name.contains("gws") {
        return;
    }
    let s = size(info.name);
    let imm = op.inst.imm as u32;
    let mut push = |lane: usize, address: u32, len: u32| {
        out.push(Access {
            lane: lane as u8,
            place: Place::Lds,
            address: address.into(),
            len,
            align: s.align,
            read,
            write,
            atomic,
        });
    };
    match info.mnemonic {
        M::DS_APPEND | M::DS_CONSUME => {
            let first = w.first_lane();
            if w.exec() != 0 {
                push(first, imm.wrapping_add(w.m0() >> 16), 4);
            }
        }
        M::DS_READ_ADDTID_B32 | M::DS_WRITE_ADDTID_B32 => {
            for l in active(w) {
                let at = imm.wrapping_add(w.m0() & 0xffff);
                push(l, at.wrapping_add(4 * l as u32), 4);
            }
        }
        _ => {
            let row = usize::from(op.src[0].idx);
            let two = ["read2", "write2", "wrxchg2"]
                .iter()
                .any(|p| info.name.contains(p));
            let unit = s.len * if info.name.contains("st64") { 64 } else { 1 };
            for l in active(w) {
                let base = w.rows[row][l];
                if two {
                    for k in 0..2 {
                        push(l, base.wrapping_add((imm >> (8 * k) & 0xff) * unit), s.len);
                    }
                } else {
                    push(l, base.wrapping_add(imm), s.len);
                }
            }
        }
    }
}

fn flat(w: &Wave, op: &Op, out: &mut Vec<Access>) {
    let info = op.inst.op.info();
    let s = size(info.name);
    let space = match info.format {
        Format::GLOBAL => Space::Global,
        Format::FLAT => Space::Flat,
        _ => Space::Scratch,
    };
    let to_lds = info.name.contains("_load_lds_");
    let (read, write, atomic) = way(op);
    // Device and private memory take any address, as ROCm sets them up (SH_MEM_CONFIG.ALIGNMENT_MODE); atomics do not.
    let align = if atomic { s.align } else { 1 };
    let all = addresses(w, op, space);
    for l in active(w) {
        let a = all[l];
        let (place, address) = match (space, (a >> 32) as u32) {
            (Space::Scratch, _) => (Place::Private, a & 0xffff_ffff),
            (Space::Flat, SHARED_BASE_HI) => (Place::Lds, a & 0xffff_ffff),
            (Space::Flat, PRIVATE_BASE_HI) => (Place::Private, a & 0xffff_ffff),
            _ => (Place::Global, a),
        };
        out.push(Access {
            lane: l as u8,
            place,
            address,
            len: s.len,
            align: if place == Place::Lds { s.align } else { align },
            read,
            write: write && !to_lds,
            atomic,
        });
    }
    if to_lds {
        direct(w, s, op.inst.imm as u32, out);
    }
}

/// The LDS side of a load to LDS.
fn direct(w: &Wave, s: Size, imm: u32, out: &mut Vec<Access>) {
    let base = (w.m0() & 0x3ffff).wrapping_add(imm);
    for l in active(w) {
        out.push(Access {
            lane: l as u8,
            place: Place::Lds,
            address: base
                .wrapping_add(l as u32 * lds_pitch(s.len.div_ceil(4)))
                .into(),
            len: s.len.max(4),
            align: 4,
            read: false,
            write: true,
            atomic: false,
        });
    }
}

fn buffers(w: &Wave, op: &Op, out: &mut Vec<Access>) {
    let info = op.inst.op.info();
    let (mut read, mut write, atomic) = way(op);
    if info.slot(wavesmith_isa::table::Role::Srsrc).is_none() {
        return;
    }
    let s = size(info.name);
    let to_lds = op.inst.mods.lds() != 0;
    if info.name.contains("_load_") {
        (read, write) = (true, false);
    }
    let b = buffer::Access::new(w, op);
    for l in active(w) {
        let dwords = s.align >= 4;
        // What is out of the buffer's range is no access: it loads zero, it stores nothing.
        let (address, left) = b.lane(w, l, false);
        let len = if dwords {
            let whole = left.saturating_add(address & 3) & !3;
            u64::from(s.len).min(whole) as u32
        } else if left >= u64::from(s.len) {
            s.len
        } else {
            0
        };
        if len > 0 {
            out.push(Access {
                lane: l as u8,
                place: Place::Global,
                address,
                len,
                align: s.align,
                read,
                write,
                atomic,
            });
        }
    }
    if to_lds {
        direct(w, s, op.inst.imm as u32, out);
    }
}

fn scalar(w: &Wave, op: &Op, out: &mut Vec<Access>) {
    let info = op.inst.op.info();
    let (read, write, atomic) = way(op);
    let s = size(info.name);
    let off = smem::offset(w, op);
    let address = if info.name.starts_with("s_load") || info.name.starts_with("s_store") {
        w.s64(op.sdst.into()).wrapping_add(off)
    } else if info.name.starts_with("s_buffer_load") {
        let d = buffer::Descriptor::read(w, op.sdst.into());
        let limit = d.records * u64::from(d.stride.max(1));
        if off + u64::from(s.len) > limit {
            return;
        }
        d.base.wrapping_add(off)
    } else {
        return;
    };
    out.push(Access {
        lane: 64,
        place: Place::Global,
        address,
        len: s.len,
        align: 4,
        read,
        write,
        atomic,
    });
}

/// Whether the space of private memory holds an access.
pub fn in_private(w: &Wave, a: &Access) -> bool {
    a.address + u64::from(a.len) <= u64::from(w.scratch_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::vmem;

    #[test]
    fn sizes_are_those_of_the_handlers() {
        for rest in [
            "ubyte",
            "sbyte",
            "ushort",
            "sshort",
            "ubyte_d16",
            "short_d16_hi",
            "dword",
            "dwordx2",
            "dwordx3",
            "dwordx4",
            "byte",
            "short",
        ] {
            let k = vmem::parse(rest).expect(rest);
            let s = size(&format!("global_load_{rest}"));
            assert_eq!(s.len, vmem::bytes(k) * vmem::count(k), "{rest}");
            assert_eq!(s.align, vmem::bytes(k), "{rest}");
        }
        let expected = [
            ("ds_read_b64_tr_b16", 8, 4),
            ("ds_read2st64_b64", 8, 4),
            ("ds_read_u16_d16_hi", 2, 2),
            ("ds_add_rtn_u64", 8, 8),
            ("ds_pk_add_bf16", 4, 4),
            ("global_atomic_add_x2", 8, 8),
            ("buffer_atomic_pk_add_f16", 4, 4),
            ("s_load_dwordx16", 64, 4),
        ];
        for (name, len, align) in expected {
            assert_eq!(size(name), Size { len, align }, "{name}");
        }
    }
}
