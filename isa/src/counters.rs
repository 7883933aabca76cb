//! The wait model: which counter an instruction raises, by how much, and what a value of the counter proves.
//!
//! | class | counter | order of return | source |
//! |---|---|---|---|
//! | [`Class::Vector`] | vmcnt | in order: loads, stores and atomics alike (gfx9 has no separate store counter) | CDNA3 ISA 4.4 |
//! | [`Class::Lds`] | lgkmcnt | in order among themselves | CDNA3 ISA 4.4 |
//! | [`Class::Scalar`] | lgkmcnt | any order, so only 0 proves anything; 1 for a dword, else 2 | CDNA3 ISA 4.4 |
//! | [`Class::Message`] | lgkmcnt | any order | CDNA3 ISA 4.4 |
//! | [`Class::Flat`] | vmcnt and lgkmcnt | any order: it is not known which side a lane goes to | CDNA3 ISA 9 |
//!
//! A counter does not count past its maximum: the wave stalls instead. So with `n` newer operations of an in-order class
//! issued, an operation is known to have ended as soon as `n` reaches the maximum (ROCm/rocm-systems#11202).

use crate::table::{Format, Role};
use crate::{Inst, Mnemonic as M};

/// Most that vmcnt holds; in a wait: no wait.
pub const VMCNT_MAX: u32 = 63;
/// Most that lgkmcnt holds; in a wait: no wait.
pub const LGKMCNT_MAX: u32 = 15;
/// Most that expcnt holds; in a wait: no wait.
pub const EXPCNT_MAX: u32 = 7;

/// In which order an operation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Vector memory.
    Vector,
    /// LDS.
    Lds,
    /// Scalar memory.
    Scalar,
    /// `s_sendmsg`, GDS and GWS.
    Message,
    /// FLAT.
    Flat,
}

/// How an instruction counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Order of return.
    pub class: Class,
    /// Added to vmcnt.
    pub vmcnt: u8,
    /// Added to lgkmcnt.
    pub lgkmcnt: u8,
}

/// The count of an instruction, `None` where it raises no counter.
pub fn count(inst: &Inst) -> Option<Count> {
    let info = inst.op.info();
    let count = |class, vmcnt, lgkmcnt| {
        Some(Count {
            class,
            vmcnt,
            lgkmcnt,
        })
    };
    match info.format {
        Format::DS if info.mnemonic == M::DS_NOP => None,
        Format::DS if info.name.starts_with("ds_gws") || inst.mods.gds() != 0 => {
            count(Class::Message, 0, 1)
        }
        Format::DS => count(Class::Lds, 0, 1),
        Format::FLAT => count(Class::Flat, 1, 1),
        // An invalidation is not counted, a write-back is.
        Format::MUBUF if info.mnemonic == M::BUFFER_INV => None,
        Format::MUBUF | Format::MTBUF | Format::GLOBAL | Format::SCRATCH => {
            count(Class::Vector, 1, 0)
        }
        Format::SMEM => match info.slot(Role::Sdata).and_then(|i| info.operands.get(i)) {
            Some(data) => count(
                Class::Scalar,
                0,
                if matches!(data.width, crate::table::Width::Fixed(1)) {
                    1
                } else {
                    2
                },
            ),
            None if info.name.contains("dcache_inv") => None,
            None => count(Class::Scalar, 0, 1),
        },
        Format::SOPP if matches!(info.mnemonic, M::S_SENDMSG | M::S_SENDMSGHALT) => {
            count(Class::Message, 0, 1)
        }
        _ => None,
    }
}

/// The fields of `s_waitcnt`; the maximum waits for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// 0..=63.
    pub vmcnt: u32,
    /// 0..=7.
    pub expcnt: u32,
    /// 0..=15.
    pub lgkmcnt: u32,
}

impl Wait {
    /// Waits for nothing.
    pub const NONE: Wait = Wait {
        vmcnt: VMCNT_MAX,
        expcnt: EXPCNT_MAX,
        lgkmcnt: LGKMCNT_MAX,
    };

    /// From the immediate: vmcnt in bits 3:0 and 15:14, expcnt 6:4, lgkmcnt 11:8.
    pub fn from_imm(imm: i32) -> Wait {
        let x = imm as u32;
        Wait {
            vmcnt: x & 15 | x >> 10 & 0x30,
            expcnt: x >> 4 & 7,
            lgkmcnt: x >> 8 & 15,
        }
    }

    /// The immediate.
    pub fn to_imm(self) -> i32 {
        ((self.vmcnt & 15)
            | (self.expcnt & 7) << 4
            | (self.lgkmcnt & 15) << 8
            | (self.vmcnt >> 4 & 3) << 14) as i32
    }

    /// Of an `s_waitcnt`.
    pub fn of(inst: &Inst) -> Option<Wait> {
        (inst.op.info().mnemonic == M::S_WAITCNT).then(|| Wait::from_imm(inst.imm))
    }

    /// The stronger of both in each field.
    pub fn and(self, other: Wait) -> Wait {
        Wait {
            vmcnt: self.vmcnt.min(other.vmcnt),
            expcnt: self.expcnt.min(other.expcnt),
            lgkmcnt: self.lgkmcnt.min(other.lgkmcnt),
        }
    }

    /// Whether it waits for nothing.
    pub fn is_none(self) -> bool {
        self == Wait::NONE
    }
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("s_waitcnt")?;
        if self.vmcnt < VMCNT_MAX {
            write!(f, " vmcnt({})", self.vmcnt)?;
        }
        if self.expcnt < EXPCNT_MAX {
            write!(f, " expcnt({})", self.expcnt)?;
        }
        if self.lgkmcnt < LGKMCNT_MAX {
            write!(f, " lgkmcnt({})", self.lgkmcnt)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Target, text::parse};

    #[test]
    fn counts() {
        for (text, expected) in [
            (
                "buffer_load_dword v1, v0, s[8:11], 0 offen",
                Some((Class::Vector, 1, 0)),
            ),
            (
                "buffer_load_dword v0, s[8:11], 0 offen lds",
                Some((Class::Vector, 1, 0)),
            ),
            (
                "global_store_dword v[0:1], v2, off",
                Some((Class::Vector, 1, 0)),
            ),
            ("buffer_wbl2 sc1", Some((Class::Vector, 1, 0))),
            ("buffer_inv sc1", None),
            ("ds_read_b128 v[0:3], v4", Some((Class::Lds, 0, 1))),
            ("ds_write_b32 v0, v1", Some((Class::Lds, 0, 1))),
            ("s_load_dword s0, s[2:3], 0x0", Some((Class::Scalar, 0, 1))),
            (
                "s_load_dwordx4 s[0:3], s[2:3], 0x0",
                Some((Class::Scalar, 0, 2)),
            ),
            ("s_memtime s[0:1]", Some((Class::Scalar, 0, 2))),
            ("flat_load_dword v0, v[2:3]", Some((Class::Flat, 1, 1))),
            ("v_add_f32 v0, v1, v2", None),
            ("s_barrier", None),
        ] {
            let inst = parse(text, Target::Gfx950).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(
                count(&inst).map(|c| (c.class, c.vmcnt, c.lgkmcnt)),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn wait_fields_round_trip() {
        for imm in 0..0x10000 {
            let used = imm & 0xcf7f;
            assert_eq!(Wait::from_imm(imm).to_imm(), used);
        }
        let inst = parse("s_waitcnt vmcnt(17) lgkmcnt(3)", Target::Gfx942)
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            Wait::of(&inst),
            Some(Wait {
                vmcnt: 17,
                expcnt: 7,
                lgkmcnt: 3
            })
        );
    }
}
