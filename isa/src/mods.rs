//! Modifiers, packed in one word. Which of them an instruction takes is in its table row.

/// An instruction's modifiers.
///
/// Fields that are neighbours in an encoding are neighbours here (VOP3A: `abs op_sel clamp` and `omod neg`; MUBUF:
/// `sc0 sc1 lds nt`), so that encoder and decoder move them in one piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mods(pub u64);

macro_rules! fields {
    ($($(#[$doc:meta])* $get:ident, $set:ident, $with:ident : $lo:literal, $len:literal;)*) => {
        impl Mods {
            /// Name, lowest bit and length of every field; some share their bits.
            pub(crate) const FIELDS: &[(&str, u32, u32)] = &[$((stringify!($get), $lo, $len)),*];
            $(
                $(#[$doc])*
                #[inline]
                pub const fn $get(self) -> u32 { ((self.0 >> $lo) & ((1u64 << $len) - 1)) as u32 }
                #[doc = concat!("Sets [`", stringify!($get), "`](Mods::", stringify!($get), ") in place; bits beyond the field are dropped.")]
                #[inline]
                pub const fn $set(&mut self, value: u32) {
                    let mask = ((1u64 << $len) - 1) << $lo;
                    self.0 = (self.0 & !mask) | (((value as u64) << $lo) & mask);
                }
                #[doc = concat!("The same modifiers with [`", stringify!($get), "`](Mods::", stringify!($get), ") set.")]
                #[inline]
                pub const fn $with(mut self, value: u32) -> Mods { self.$set(value); self }
            )*
        }
    };
}

fields! {
    /// `clamp`.
    clamp, set_clamp, with_clamp: 7, 1;
    /// Output modifier: 0 none, 1 `mul:2`, 2 `mul:4`, 3 `div:2`.
    omod, set_omod, with_omod: 8, 2;
    /// `op_sel`, bit i for source i, bit 3 for the destination.
    op_sel, set_op_sel, with_op_sel: 3, 4;
    /// `op_sel_hi`, bit i for source i.
    op_sel_hi, set_op_sel_hi, with_op_sel_hi: 13, 3;
    /// Negation, bit i for source i; in VOP3P this is `neg_lo`.
    neg, set_neg, with_neg: 10, 3;
    /// Absolute value, bit i for source i; in VOP3P this is `neg_hi` (fma_mix: absolute value).
    abs, set_abs, with_abs: 0, 3;
    /// SDWA sign extension, bit i for source i.
    sext, set_sext, with_sext: 16, 2;
    /// `sc0` on vector memory, `glc` on scalar memory.
    sc0, set_sc0, with_sc0: 18, 1;
    /// `sc1`.
    sc1, set_sc1, with_sc1: 19, 1;
    /// `nt`.
    nt, set_nt, with_nt: 21, 1;
    /// `lds`: the load writes LDS.
    lds, set_lds, with_lds: 20, 1;
    /// `offen`: a VGPR holds a byte offset.
    offen, set_offen, with_offen: 22, 1;
    /// `idxen`: a VGPR holds an index.
    idxen, set_idxen, with_idxen: 23, 1;
    /// `gds`.
    gds, set_gds, with_gds: 24, 1;
    /// MFMA `cbsz`: broadcast size, or format of A for f8f6f4.
    cbsz, set_cbsz, with_cbsz: 25, 3;
    /// MFMA `abid`.
    abid, set_abid, with_abid: 28, 4;
    /// MFMA `blgp`: lane group permutation, format of B for f8f6f4, negation for f64.
    blgp, set_blgp, with_blgp: 32, 3;
    /// `bitop3` truth table (shares its bits with cbsz, abid and blgp).
    bitop3, set_bitop3, with_bitop3: 25, 8;
    /// DPP control.
    dpp_ctrl, set_dpp_ctrl, with_dpp_ctrl: 35, 9;
    /// DPP row mask.
    row_mask, set_row_mask, with_row_mask: 44, 4;
    /// DPP bank mask.
    bank_mask, set_bank_mask, with_bank_mask: 48, 4;
    /// DPP `bound_ctrl`; also on the e64 permlane swaps.
    bound_ctrl, set_bound_ctrl, with_bound_ctrl: 52, 1;
    /// `fi` of the e64 permlane swaps.
    fi, set_fi, with_fi: 53, 1;
    /// SDWA destination select: 0..=3 BYTE_n, 4..=5 WORD_n, 6 DWORD (shares bits with DPP).
    dst_sel, set_dst_sel, with_dst_sel: 35, 3;
    /// SDWA: 0 UNUSED_PAD, 1 UNUSED_SEXT, 2 UNUSED_PRESERVE.
    dst_unused, set_dst_unused, with_dst_unused: 38, 2;
    /// SDWA select of source 0.
    src0_sel, set_src0_sel, with_src0_sel: 40, 3;
    /// SDWA select of source 1.
    src1_sel, set_src1_sel, with_src1_sel: 43, 3;
    /// MTBUF format: dfmt | nfmt << 4; for `s_atc_probe` its 7-bit operand, because `Inst::imm` holds the offset.
    format, set_format, with_format: 54, 7;
    /// Bits 13 and 14 of the first word of a scaled MFMA: no documented meaning, set by shipped code.
    scale_raw, set_scale_raw, with_scale_raw: 61, 2;
    /// More such bits of the first half, which no shipped code is known to set: vdst, 10:8, 15, src2, 31:29 of the
    /// second word.
    scale_rest, set_scale_rest, with_scale_rest: 35, 24;
    /// Bits are set in the encoding that it has a field for and the instruction no use; they are in the modifiers
    /// that the instruction has not, so that they come back. Only the decoder sets this.
    has_unused, set_has_unused, with_has_unused: 63, 1;
    /// SMEM: the SGPR offset is in the field that it has beside an immediate, though there is none.
    other_soffset, set_other_soffset, with_other_soffset: 22, 1;
    /// SMEM: an immediate offset is present beside an SGPR offset (its value may be 0).
    has_offset, set_has_offset, with_has_offset: 23, 1;
}

impl std::fmt::Debug for Mods {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mods({:#x})", self.0)
    }
}
