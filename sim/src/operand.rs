//! Sources and results: the fast paths, and everything that is off them (modifiers, SDWA, DPP, indexing, flushing).

use wavesmith_isa::operand::code;
use wavesmith_isa::table::Ty;

use crate::exec::float::{flush16, flush32, flush64};
use crate::program::{ABS, DPP, DST_SLOW, HALF, Kind, NEG, Op, SDWA, SEL_DWORD, SEXT, Src};
use crate::wave::{FLUSH16_64, FLUSH32, INDEXING, ROUND, Row, TEMP, Wave};

/// High dword of `src_shared_base`: LDS as flat addresses.
pub const SHARED_BASE_HI: u32 = 0x0001_0000;
/// High dword of `src_private_base`: scratch as flat addresses.
pub const PRIVATE_BASE_HI: u32 = 0x0002_0000;

impl Wave {
    /// A scalar source, 32 bits.
    #[inline(always)]
    pub fn scalar(&self, s: &Src) -> u32 {
        match s.kind {
            Kind::Scalar => self.s[usize::from(s.idx) & 127],
            Kind::Const => s.value as u32,
            _ => self.special_scalar(s) as u32,
        }
    }

    /// A scalar source, 64 bits.
    #[inline(always)]
    pub fn scalar64(&self, s: &Src) -> u64 {
        match s.kind {
            Kind::Scalar => self.s64(s.idx.into()),
            Kind::Const => s.value,
            _ => self.special_scalar(s),
        }
    }

    fn special_scalar(&self, s: &Src) -> u64 {
        match s.idx {
            code::VCCZ => u64::from(self.vcc() == 0),
            code::EXECZ => u64::from(self.exec() == 0),
            code::SCC => self.scc.into(),
            // The real value is in the high half; 32-bit reads give the low one, as on hardware.
            code::SHARED_BASE => u64::from(SHARED_BASE_HI) << 32,
            code::PRIVATE_BASE => u64::from(PRIVATE_BASE_HI) << 32,
            code::SHARED_LIMIT => u64::from(SHARED_BASE_HI) << 32 | 0xffff_ffff,
            code::PRIVATE_LIMIT => u64::from(PRIVATE_BASE_HI) << 32 | 0xffff_ffff,
            _ if s.kind == Kind::Row => u64::from(self.rows[usize::from(s.idx)][0]),
            _ => 0,
        }
    }

    /// Row that holds source `i`: the register itself, or a temporary made of it.
    #[inline(always)]
    pub fn row(&mut self, op: &Op, i: usize) -> usize {
        let s = &op.src[i];
        if s.plain && self.special == 0 {
            usize::from(s.idx)
        } else {
            self.row_slow(op, i)
        }
    }

    #[cold]
    #[inline(never)]
    fn row_slow(&mut self, op: &Op, i: usize) -> usize {
        let s = op.src[i];
        let t = TEMP + 2 * i;
        match s.kind {
            Kind::Row => {
                let mut from = usize::from(s.idx);
                if self.special & INDEXING != 0 && self.m0() >> (12 + i) & 1 != 0 {
                    from += (self.m0() & 0xff) as usize;
                }
                let flush = match s.ty {
                    Ty::F32 => self.special & FLUSH32 != 0,
                    Ty::F16 | Ty::F64 => self.special & FLUSH16_64 != 0,
                    _ => false,
                };
                if s.plain && !flush {
                    return from;
                }
                self.rows[t] = self.rows[from];
                if s.wide {
                    self.rows[t + 1] = self.rows[from + 1];
                }
                if op.flags & DPP != 0 && i == 0 {
                    self.dpp_source(op, from, t, s.wide);
                }
            }
            _ => {
                let v = self.scalar64(&s);
                self.rows[t] = [v as u32; 64];
                if s.wide {
                    self.rows[t + 1] = [(v >> 32) as u32; 64];
                }
            }
        }
        if s.sel != SEL_DWORD {
            let signed = s.mods & SEXT != 0;
            for v in &mut self.rows[t] {
                *v = select(*v, s.sel, signed);
            }
        }
        if s.mods & (ABS | NEG) != 0 {
            let sign = match s.ty {
                Ty::F16 | Ty::Bf16 | Ty::LowF16 | Ty::LowBf16 => 0x8000,
                Ty::PkF16 | Ty::PkBf16 => 0x8000_8000,
                _ => 0x8000_0000,
            };
            // Of the 64-bit types only a pair of f32 (written as b64) is two values.
            let first = if s.ty == Ty::B64 {
                0
            } else {
                usize::from(s.wide)
            };
            for v in self.rows[t + first..=t + usize::from(s.wide)].as_flattened_mut() {
                if s.mods & ABS != 0 {
                    *v &= !sign;
                }
                if s.mods & NEG != 0 {
                    *v ^= sign;
                }
            }
        }
        match s.ty {
            // FP_DENORM bit 0 of a pair is "sources kept": modes 1 and 3 keep sources, 2 and 3 results.
            Ty::F32 if self.mode >> 4 & 1 == 0 => {
                for v in &mut self.rows[t] {
                    *v = flush32(*v);
                }
            }
            Ty::F16 if self.mode >> 6 & 1 == 0 => {
                for v in &mut self.rows[t] {
                    *v = flush16(*v);
                }
            }
            Ty::F64 if self.mode >> 6 & 1 == 0 => {
                for l in 0..64 {
                    let v = u64::from(self.rows[t][l]) | u64::from(self.rows[t + 1][l]) << 32;
                    self.rows[t][l] = flush64(v) as u32;
                }
            }
            _ => {}
        }
        t
    }

    /// Writes a 32-bit result under EXEC.
    #[inline(always)]
    pub fn write(&mut self, op: &Op, out: &Row) {
        if op.flags & DST_SLOW == 0 && self.special == 0 && self.exec() == u64::MAX {
            self.rows[usize::from(op.dst)] = *out;
        } else {
            self.write_slow(op, out);
        }
    }

    /// Writes a 32-bit result as it is to a row, under EXEC.
    #[inline(always)]
    pub fn write_row(&mut self, row: usize, out: &Row) {
        let exec = self.exec();
        if exec == u64::MAX {
            self.rows[row] = *out;
        } else {
            blend(&mut self.rows[row], out, exec);
        }
    }

    /// The row of the result, index included.
    pub fn dst_row(&self, op: &Op) -> usize {
        let mut dst = usize::from(op.dst);
        if self.special & INDEXING != 0 && self.m0() >> 15 & 1 != 0 {
            dst += (self.m0() & 0xff) as usize;
        }
        dst
    }

    /// The row of a first source that is a vector register, index included.
    pub fn src0_row(&self, op: &Op) -> usize {
        let mut from = usize::from(op.src[0].idx);
        if self.special & INDEXING != 0 && self.m0() >> 12 & 1 != 0 {
            from += (self.m0() & 0xff) as usize;
        }
        from
    }

    #[inline(never)]
    fn write_slow(&mut self, op: &Op, out: &Row) {
        let mut out = *out;
        if self.special & ROUND != 0 {
            crate::exec::rounded::correct(self, op, &mut out, None);
        }
        let m = op.inst.mods;
        let mut mask = self.exec();
        let dst = self.dst_row(op);
        match op.dst_ty {
            Ty::F32 if op.flags & DST_SLOW != 0 || self.mode >> 5 & 1 == 0 => {
                let keep = self.mode >> 5 & 1 != 0;
                // OMOD does nothing when IEEE is set or result denormals are kept (CDNA3 ISA 6.2.3).
                let omod = if self.ieee() || keep { 0 } else { m.omod() };
                let (clamp, nan0) = (m.clamp() != 0, self.dx10_clamp());
                for v in &mut out {
                    if !keep {
                        *v = flush32(*v);
                    }
                    if omod | u32::from(clamp) != 0 {
                        *v = modify32(f32::from_bits(*v), omod, clamp, nan0).to_bits();
                    }
                }
            }
            Ty::F16 if op.flags & DST_SLOW != 0 || self.mode >> 7 & 1 == 0 => {
                let keep = self.mode >> 7 & 1 != 0;
                let omod = if self.ieee() || keep { 0 } else { m.omod() };
                let (clamp, nan0) = (m.clamp() != 0, self.dx10_clamp());
                for v in &mut out {
                    if !keep {
                        *v = flush16(*v);
                    }
                    if omod | u32::from(clamp) != 0 {
                        let f = half::f16::from_bits(*v as u16).to_f32();
                        let f = modify32(f, omod, clamp, nan0);
                        *v = half::f16::from_f32(f).to_bits().into();
                    }
                }
            }
            _ => {}
        }
        if op.flags & DPP != 0 {
            mask &= self.dpp_mask(op);
        }
        if op.flags & SDWA != 0 && m.dst_sel() != 6 {
            let old = self.rows[dst];
            for (v, old) in out.iter_mut().zip(old) {
                *v = sdwa_result(*v, old, m.dst_sel(), m.dst_unused());
            }
        }
        if op.flags & HALF != 0 {
            let high = m.op_sel() & 8 != 0;
            let old = self.rows[dst];
            for (v, old) in out.iter_mut().zip(old) {
                *v = if high {
                    old & 0xffff | *v << 16
                } else {
                    old & 0xffff_0000 | *v & 0xffff
                };
            }
        }
        blend(&mut self.rows[dst], &out, mask);
    }

    /// Writes a 64-bit result under EXEC.
    #[inline(always)]
    pub fn write64(&mut self, op: &Op, lo: &Row, hi: &Row) {
        if op.flags & DST_SLOW == 0 && self.special == 0 && self.exec() == u64::MAX {
            let d = usize::from(op.dst);
            self.rows[d] = *lo;
            self.rows[d + 1] = *hi;
        } else {
            self.write64_slow(op, lo, hi);
        }
    }

    #[inline(never)]
    fn write64_slow(&mut self, op: &Op, lo: &Row, hi: &Row) {
        let (mut lo, mut hi) = (*lo, *hi);
        if self.special & ROUND != 0 {
            crate::exec::rounded::correct(self, op, &mut lo, Some(&mut hi));
        }
        let m = op.inst.mods;
        let mut mask = self.exec();
        let d = self.dst_row(op);
        let keep = self.mode >> 7 & 1 != 0;
        if op.dst_ty == Ty::F64 && (op.flags & DST_SLOW != 0 || !keep) {
            let omod = if self.ieee() || keep { 0 } else { m.omod() };
            for l in 0..64 {
                let mut v = u64::from(lo[l]) | u64::from(hi[l]) << 32;
                if !keep {
                    v = flush64(v);
                }
                let mut f = f64::from_bits(v);
                f *= [1.0, 2.0, 4.0, 0.5][omod as usize & 3];
                if m.clamp() != 0 {
                    f = if f.is_nan() && self.dx10_clamp() {
                        0.0
                    } else {
                        f.clamp(0.0, 1.0)
                    };
                }
                if omod | m.clamp() != 0 {
                    v = f.to_bits();
                }
                (lo[l], hi[l]) = (v as u32, (v >> 32) as u32);
            }
        }
        if op.flags & DPP != 0 {
            mask &= self.dpp_mask(op);
        }
        blend(&mut self.rows[d], &lo, mask);
        blend(&mut self.rows[d + 1], &hi, mask);
    }

    /// Source lanes moved as the DPP control says; lanes without a source get zero.
    fn dpp_source(&mut self, op: &Op, from: usize, to: usize, wide: bool) {
        let exec = self.exec();
        let ctrl = op.inst.mods.dpp_ctrl();
        for r in 0..=usize::from(wide) {
            let src = self.rows[from + r];
            self.rows[to + r] = std::array::from_fn(|l| match dpp_lane(ctrl, l) {
                Some(from) if exec >> from & 1 != 0 => src[from],
                _ => 0,
            });
        }
    }

    /// Lanes that a DPP instruction writes.
    fn dpp_mask(&self, op: &Op) -> u64 {
        let m = op.inst.mods;
        let exec = self.exec();
        (0..64).fold(0, |mask, l| {
            let enabled =
                m.row_mask() >> (l / 16) & 1 != 0 && m.bank_mask() >> (l / 4 % 4) & 1 != 0;
            let valid = m.bound_ctrl() != 0
                || dpp_lane(m.dpp_ctrl(), l).is_some_and(|from| exec >> from & 1 != 0);
            mask | u64::from(enabled && valid) << l
        })
    }
}

/// Lane that `lane` reads under a DPP control, `None` for one outside its row (CDNA3 ISA 6.4, "DPP_CTRL").
pub fn dpp_lane(ctrl: u32, lane: usize) -> Option<usize> {
    let (row, at) = (lane & !15, lane & 15);
    let n = (ctrl & 15) as usize;
    match ctrl {
        0..=0xff => Some(lane & !3 | (ctrl >> (2 * (lane & 3)) & 3) as usize),
        0x101..=0x10f => (at + n < 16).then_some(lane + n),
        0x111..=0x11f => at.checked_sub(n).map(|at| row | at),
        0x121..=0x12f => Some(row | (at + 16 - n) & 15),
        0x130 => (lane < 63).then_some(lane + 1),
        0x134 => Some((lane + 1) & 63),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + 63) & 63),
        0x140 => Some(row | (15 - at)),
        0x141 => Some(lane & !7 | (7 - (lane & 7))),
        // row_bcast: the last lane of each row to the next row, of the second to the two after.
        0x142 => (row >= 16).then(|| row - 1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row | n),
        _ => None,
    }
}

/// `old` where the mask is 0, `out` where it is 1.
#[inline(always)]
pub fn blend(dst: &mut Row, out: &Row, mask: u64) {
    for l in 0..64 {
        let m = 0u32.wrapping_sub((mask >> l) as u32 & 1);
        dst[l] = out[l] & m | dst[l] & !m;
    }
}

/// SDWA source select: 0..=3 bytes, 4..=5 words.
fn select(v: u32, sel: u8, signed: bool) -> u32 {
    match (sel, signed) {
        (0..=3, false) => v >> (8 * sel) & 0xff,
        (0..=3, true) => (v >> (8 * sel)) as u8 as i8 as u32,
        (4 | 5, false) => v >> (16 * (sel - 4)) & 0xffff,
        (4 | 5, true) => (v >> (16 * (sel - 4))) as u16 as i16 as u32,
        _ => v,
    }
}

/// SDWA result: the low part of `v` placed in the selected part.
fn sdwa_result(v: u32, old: u32, sel: u32, unused: u32) -> u32 {
    let (shift, bits) = match sel {
        0..=3 => (8 * sel, 8),
        4 | 5 => (16 * (sel - 4), 16),
        _ => return v,
    };
    let mask = ((1u32 << bits) - 1) << shift;
    let part = v << shift & mask;
    match unused {
        0 => part,
        1 => {
            let sign = v >> (bits - 1) & 1 != 0;
            let above = if sign && shift + bits < 32 {
                u32::MAX << (shift + bits)
            } else {
                0
            };
            part | above
        }
        _ => old & !mask | part,
    }
}

fn modify32(f: f32, omod: u32, clamp: bool, nan_is_zero: bool) -> f32 {
    let mut f = f;
    if omod != 0 {
        f *= [1.0, 2.0, 4.0, 0.5][omod as usize & 3];
        // −0 becomes +0 under OMOD.
        f += 0.0;
    }
    if clamp {
        f = if f.is_nan() && nan_is_zero {
            0.0
        } else if f.is_nan() {
            f
        } else {
            f.clamp(0.0, 1.0) + 0.0
        };
    }
    f
}
