//! Modifiers of a line into an instruction.

use super::error::{ParseError, Rule};
use super::fields;
use super::names::*;
use super::print::{list_length, source_count};
use super::scan::{Line, Modifier};
use super::value::{Number, integer};
use super::words::Kind;
use crate::Inst;
use crate::table::{Format, ModSet, Role};

macro_rules! modifiers {
    ($($(#[doc = $doc:literal])* $variant:ident = $($name:literal)|+ , $takes:literal, $sets:expr;)*) => {
        /// What a modifier's name says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mod { $($(#[doc = $doc])* $variant,)* /// No modifier that exists.
            Unknown }

        /// Every name.
        pub const MODIFIERS: &[(&str, Mod)] = &[$($(($name, Mod::$variant),)+)*];

        impl Mod {
            /// Whether a colon and a value follow.
            #[inline]
            pub const fn takes_value(self) -> bool {
                match self { $(Mod::$variant => $takes,)* Mod::Unknown => true }
            }
            /// An instruction takes it when its row has one of these.
            const fn rows(self) -> ModSet {
                match self { $(Mod::$variant => $sets,)* Mod::Unknown => ModSet::empty() }
            }
        }
    };
}

const DPP: ModSet = ModSet::DPP;
const ANY_DPP: ModSet = ModSet::DPP.union(ModSet::DPP64);

modifiers! {
    /// `clamp`.
    Clamp = "clamp", false, ModSet::CLAMP;
    /// `noclamp`.
    NoClamp = "noclamp", false, ModSet::CLAMP;
    /// `mul:2`.
    Mul = "mul", true, ModSet::OMOD;
    /// `div:2`.
    Div = "div", true, ModSet::OMOD;
    /// `op_sel:[0,1]`.
    OpSel = "op_sel", true, ModSet::OP_SEL;
    /// `op_sel_hi:[0,1]`.
    OpSelHi = "op_sel_hi", true, ModSet::OP_SEL_HI;
    /// `neg_lo:[0,1]`.
    NegLo = "neg_lo", true, ModSet::NEG_LO;
    /// `neg_hi:[0,1]`.
    NegHi = "neg_hi", true, ModSet::NEG_HI;
    /// `neg:[0,1,0]`.
    Neg = "neg", true, ModSet::NEG;
    /// `sc0`.
    Sc0 = "sc0", false, ModSet::SC0;
    /// `sc1`.
    Sc1 = "sc1", false, ModSet::SC1;
    /// `nt`.
    Nt = "nt", false, ModSet::NT;
    /// `nosc0`.
    NoSc0 = "nosc0", false, ModSet::SC0;
    /// `nosc1`.
    NoSc1 = "nosc1", false, ModSet::SC1;
    /// `nont`.
    NoNt = "nont", false, ModSet::NT;
    /// `glc`.
    Glc = "glc", false, ModSet::GLC;
    /// `noglc`.
    NoGlc = "noglc", false, ModSet::GLC;
    /// Names of older targets, known so that the message can say so.
    Old = "slc" | "scc" | "dlc" | "tfe", false, ModSet::empty();
    /// `lds`.
    Lds = "lds", false, ModSet::LDS.union(ModSet::LDS_GFX950);
    /// `offen`.
    Offen = "offen", false, ModSet::OFFEN;
    /// `idxen`.
    Idxen = "idxen", false, ModSet::IDXEN;
    /// `gds`.
    Gds = "gds", false, ModSet::GDS;
    /// `offset:16`.
    Offset = "offset", true, ModSet::OFFSET;
    /// `inst_offset:16`, LLVM's other word for it.
    InstOffset = "inst_offset", true, ModSet::OFFSET;
    /// `offset0:1`.
    Offset0 = "offset0", true, ModSet::OFFSET01;
    /// `offset1:1`.
    Offset1 = "offset1", true, ModSet::OFFSET01;
    /// `cbsz:1`.
    Cbsz = "cbsz", true, ModSet::CBSZ;
    /// `abid:1`.
    Abid = "abid", true, ModSet::ABID;
    /// `blgp:1`.
    Blgp = "blgp", true, ModSet::BLGP;
    /// `bitop3:0x96`.
    Bitop3 = "bitop3", true, ModSet::BITOP3;
    /// `dst_sel:BYTE_0`.
    DstSel = "dst_sel", true, ModSet::DST_SEL;
    /// `dst_unused:UNUSED_PAD`.
    DstUnused = "dst_unused", true, ModSet::DST_UNUSED;
    /// `src0_sel:WORD_1`.
    Src0Sel = "src0_sel", true, ModSet::SRC0_SEL;
    /// `src1_sel:WORD_1`.
    Src1Sel = "src1_sel", true, ModSet::SRC1_SEL;
    /// `format:[…]`.
    Format = "format", true, ModSet::FORMAT;
    /// `dfmt:1`.
    Dfmt = "dfmt", true, ModSet::FORMAT;
    /// `nfmt:1`.
    Nfmt = "nfmt", true, ModSet::FORMAT;
    /// `fi:1`.
    Fi = "fi", true, ModSet::BOUND_CTRL_FI;
    /// `bound_ctrl:1`.
    BoundCtrl = "bound_ctrl", true, ModSet::BOUND_CTRL_FI.union(ANY_DPP);
    /// `row_mask:0xf`.
    RowMask = "row_mask", true, ANY_DPP;
    /// `bank_mask:0xf`.
    BankMask = "bank_mask", true, ANY_DPP;
    /// `quad_perm:[0,1,2,3]`.
    QuadPerm = "quad_perm", true, DPP;
    /// `row_shl:1`.
    RowShl = "row_shl", true, DPP;
    /// `row_shr:1`.
    RowShr = "row_shr", true, DPP;
    /// `row_ror:1`.
    RowRor = "row_ror", true, DPP;
    /// `row_newbcast:1`.
    RowNewbcast = "row_newbcast", true, ANY_DPP;
    /// `wave_shl:1`.
    WaveShl = "wave_shl", true, DPP;
    /// `wave_rol:1`.
    WaveRol = "wave_rol", true, DPP;
    /// `wave_shr:1`.
    WaveShr = "wave_shr", true, DPP;
    /// `wave_ror:1`.
    WaveRor = "wave_ror", true, DPP;
    /// `row_mirror`.
    RowMirror = "row_mirror", false, DPP;
    /// `row_half_mirror`.
    RowHalfMirror = "row_half_mirror", false, DPP;
    /// `row_bcast:15`.
    RowBcast = "row_bcast", true, DPP;
    /// Bits of a scaled MFMA's first word that LLVM does not print; a spelling of ours.
    ScaleRaw = "scale_raw", true, ModSet::CBSZ;
}

impl Mod {
    /// Which encoding the modifier asks for.
    pub const fn asks_for(self) -> Option<Kind> {
        match self {
            Mod::DstSel | Mod::DstUnused | Mod::Src0Sel | Mod::Src1Sel => Some(Kind::Sdwa),
            _ if self.is_dpp_control() => Some(Kind::Dpp),
            Mod::RowMask | Mod::BankMask => Some(Kind::Dpp),
            _ => None,
        }
    }

    /// Its place in the order in which LLVM wants modifiers; cache bits may stand in any order among themselves.
    pub const fn rank(self) -> u8 {
        match self {
            Mod::Bitop3 | Mod::Format | Mod::Dfmt | Mod::Nfmt => 0,
            Mod::OpSel | Mod::Idxen => 1,
            Mod::OpSelHi | Mod::Offen => 2,
            Mod::NegLo | Mod::Offset | Mod::InstOffset | Mod::Offset0 => 3,
            Mod::NegHi | Mod::Offset1 => 4,
            Mod::Sc0
            | Mod::Sc1
            | Mod::Nt
            | Mod::NoSc0
            | Mod::NoSc1
            | Mod::NoNt
            | Mod::Glc
            | Mod::NoGlc
            | Mod::Old => 5,
            Mod::Lds | Mod::Gds => 6,
            Mod::RowMask => 6,
            Mod::BankMask => 7,
            Mod::BoundCtrl => 8,
            Mod::Fi => 9,
            Mod::Clamp | Mod::NoClamp => 10,
            Mod::Mul | Mod::Div => 11,
            Mod::DstSel | Mod::Cbsz => 12,
            Mod::DstUnused | Mod::Abid => 13,
            Mod::Src0Sel | Mod::Blgp | Mod::Neg => 14,
            Mod::Src1Sel => 15,
            Mod::ScaleRaw | Mod::Unknown => 16,
            _ => 0,
        }
    }

    /// Whether the modifier says where a DPP lane reads.
    pub const fn is_dpp_control(self) -> bool {
        matches!(
            self,
            Mod::QuadPerm
                | Mod::RowShl
                | Mod::RowShr
                | Mod::RowRor
                | Mod::RowNewbcast
                | Mod::WaveShl
                | Mod::WaveRol
                | Mod::WaveShr
                | Mod::WaveRor
                | Mod::RowMirror
                | Mod::RowHalfMirror
                | Mod::RowBcast
        )
    }
}

/// One modifier of one line.
struct One<'a> {
    line: &'a Line<'a>,
    m: &'a Modifier,
    value: &'a str,
}

/// Builds an error only where someone reads it: `()` while encodings are tried.
pub trait Refusal: Sized {
    /// The error.
    fn make(f: impl FnOnce() -> ParseError) -> Self;
}

impl Refusal for () {
    fn make(_: impl FnOnce() -> ParseError) {}
}

impl Refusal for ParseError {
    #[cold]
    fn make(f: impl FnOnce() -> ParseError) -> ParseError {
        f()
    }
}

impl<'a> One<'a> {
    fn name(&self) -> &'a str {
        let text = &self.line.text[self.m.span()];
        text.split(':').next().unwrap_or(text).trim_end()
    }
    fn bad<E: Refusal>(&self, expected: &str) -> E {
        E::make(|| {
            let message = format!("`{}` takes {expected}", self.name());
            ParseError::new(Rule::BadValue, self.m.span(), message)
        })
    }
    fn number<E: Refusal>(&self, lo: i64, hi: i64) -> Result<u32, E> {
        match integer(self.value) {
            Some(v) if (lo..=hi).contains(&v) => Ok(v as u32),
            _ => Err(E::make(|| self.bad(&format!("a number from {lo} to {hi}")))),
        }
    }
    fn inner(&self) -> Option<&'a str> {
        self.value.strip_prefix('[')?.strip_suffix(']')
    }
    /// One to four bits in brackets, and how many.
    fn bits<E: Refusal>(&self) -> Result<(u32, u32), E> {
        let (mut v, mut n) = (0, 0);
        for part in self.inner().into_iter().flat_map(|i| i.split(',')) {
            match integer(part) {
                Some(b @ 0..=1) if n < 4 => v |= (b as u32) << n,
                _ => return Err(self.bad("one to four bits in brackets")),
            }
            n += 1;
        }
        if n == 0 {
            Err(self.bad("one to four bits in brackets"))
        } else {
            Ok((v, n))
        }
    }
    /// By name, or by number.
    fn named<E: Refusal>(&self, list: &[&str]) -> Result<u32, E> {
        let i = list.iter().position(|n| *n == self.value).or_else(|| {
            usize::try_from(integer(self.value)?)
                .ok()
                .filter(|i| *i < list.len())
        });
        i.map(|i| i as u32)
            .ok_or_else(|| E::make(|| self.bad(&list.join(", "))))
    }
    /// The low four bits, as LLVM takes them.
    fn mask<E: Refusal>(&self) -> Result<u32, E> {
        integer(self.value)
            .map(|v| v as u32 & 15)
            .ok_or_else(|| self.bad("a mask"))
    }
    fn quad_perm<E: Refusal>(&self) -> Result<u32, E> {
        let expected = "four lanes of 0 to 3 in brackets";
        let (mut v, mut n) = (0, 0);
        for part in self.inner().into_iter().flat_map(|i| i.split(',')) {
            match integer(part) {
                Some(lane @ 0..=3) if n < 4 => v |= (lane as u32) << (2 * n),
                _ => return Err(self.bad(expected)),
            }
            n += 1;
        }
        if n == 4 {
            Ok(v)
        } else {
            Err(self.bad(expected))
        }
    }
    fn format<E: Refusal>(&self) -> Result<u32, E> {
        let expected = "[BUF_DATA_FORMAT_…,BUF_NUM_FORMAT_…] or a number from 0 to 127";
        let Some(inner) = self.inner() else {
            return self.number(0, 127);
        };
        let (mut d, mut n) = (None, None);
        for part in inner.split(',').map(str::trim) {
            let (place, found) = match DATA_FORMAT.iter().position(|f| *f == part) {
                Some(i) => (&mut d, Some(i)),
                None => (&mut n, NUM_FORMAT.iter().position(|f| *f == part)),
            };
            match found {
                Some(i) if place.is_none() => *place = Some(i as u32),
                _ => return Err(self.bad(expected)),
            }
        }
        Ok(d.unwrap_or(1) | n.unwrap_or(0) << 4)
    }
}

/// Sets `m` in `inst`.
#[inline]
pub fn apply<E: Refusal>(inst: &mut Inst, line: &Line<'_>, m: &Modifier) -> Result<(), E> {
    let info = inst.op.info();
    let one = One {
        line,
        m,
        value: line.value(m).unwrap_or("").trim_end(),
    };
    // LLVM takes `op_sel` here and encodes nothing of it.
    if m.name == Mod::OpSel && info.format == Format::VOP3A && info.name == "v_pk_fmac_f16" {
        return one.bits().map(drop);
    }
    let scaled = m.name != Mod::ScaleRaw || info.slot(Role::ScaleA).is_some();
    if !info.mods.intersects(m.name.rows()) || !scaled {
        return Err(E::make(|| not_taken(inst, &one)));
    }
    if m.name.takes_value() != (m.value != 0) {
        return Err(one.bad(if m.name.takes_value() {
            "a value"
        } else {
            "no value"
        }));
    }
    let x = &mut inst.mods;
    match m.name {
        Mod::Clamp => x.set_clamp(1),
        Mod::Mul => x.set_omod(match one.number(1, 4)? {
            1 => 0,
            2 => 1,
            4 => 2,
            _ => return Err(one.bad("1, 2 or 4")),
        }),
        Mod::Div => x.set_omod(match one.number(1, 2)? {
            1 => 0,
            _ => 3,
        }),
        Mod::OpSel => {
            let (v, _) = one.bits()?;
            let n = list_length(info);
            x.set_op_sel(match info.format {
                // The entry behind the sources is the destination; LLVM takes further ones and drops them.
                Format::VOP3A | Format::VOP3B => v & ((1 << (n - 1)) - 1) | (v >> (n - 1) & 1) << 3,
                // Dot products select nothing: only zeros are legal.
                Format::VOP3P if !info.mods.contains(ModSet::OP_SEL_HI) => match v {
                    0 => 0,
                    _ => return Err(one.bad("zeros only: a dot product reads whole registers")),
                },
                _ => v & ((1 << n) - 1),
            });
        }
        Mod::OpSelHi => {
            let keep = !0 << list_length(info);
            let (v, _) = one.bits()?;
            x.set_op_sel_hi(v & !keep | x.op_sel_hi() & keep);
        }
        Mod::NegLo => x.set_neg(one.bits()?.0 & !(!0 << source_count(info.operands))),
        Mod::NegHi => x.set_abs(one.bits()?.0 & !(!0 << source_count(info.operands))),
        Mod::Neg => match one.bits()? {
            (8.., _) => return Err(one.bad("one bit for each of A, B, C")),
            (v, _) => x.set_blgp(v),
        },
        Mod::Sc0 | Mod::Glc => x.set_sc0(1),
        Mod::Sc1 => x.set_sc1(1),
        Mod::Nt => x.set_nt(1),
        Mod::NoSc0 | Mod::NoSc1 | Mod::NoNt | Mod::NoGlc => {
            let yes = match m.name {
                Mod::NoSc0 => Mod::Sc0,
                Mod::NoSc1 => Mod::Sc1,
                Mod::NoNt => Mod::Nt,
                _ => Mod::Glc,
            };
            if line.modifiers().iter().any(|o| o.name == yes) {
                return Err(E::make(|| {
                    let message = format!("`{}` contradicts another modifier", one.name());
                    ParseError::new(Rule::DuplicateModifier, m.span(), message)
                }));
            }
        }
        Mod::Lds => x.set_lds(1),
        Mod::Offen => x.set_offen(1),
        Mod::Idxen => x.set_idxen(1),
        Mod::Gds => x.set_gds(1),
        Mod::Cbsz => x.set_cbsz(one.number(0, 7)?),
        Mod::Abid => x.set_abid(one.number(0, 15)?),
        Mod::Blgp => x.set_blgp(one.number(0, 7)?),
        Mod::Bitop3 => x.set_bitop3(one.number(0, 255)?),
        Mod::ScaleRaw => x.set_scale_raw(one.number(0, 3)?),
        Mod::DstSel => x.set_dst_sel(one.named(&SDWA_SEL)?),
        Mod::Src0Sel => x.set_src0_sel(one.named(&SDWA_SEL)?),
        Mod::Src1Sel => x.set_src1_sel(one.named(&SDWA_SEL)?),
        Mod::DstUnused => x.set_dst_unused(one.named(&SDWA_UNUSED)?),
        Mod::RowMask => x.set_row_mask(one.mask()?),
        Mod::BankMask => x.set_bank_mask(one.mask()?),
        // Written 0 or 1, it means the same.
        Mod::BoundCtrl => {
            one.number(0, 1)?;
            x.set_bound_ctrl(1);
        }
        Mod::Fi => x.set_fi(one.number(0, 1)?),
        Mod::QuadPerm => x.set_dpp_ctrl(one.quad_perm()?),
        Mod::InstOffset if matches!(info.format, Format::MUBUF | Format::MTBUF | Format::SMEM) => {
            return Err(E::make(|| not_taken(inst, &one)));
        }
        Mod::Offset | Mod::InstOffset => {
            let v = match one.value.strip_prefix("swizzle") {
                Some(s) if info.name == "ds_swizzle_b32" => fields::parse_swizzle(s),
                _ => integer(one.value),
            };
            let Some(v) = v.and_then(|v| i32::try_from(v).ok()) else {
                return Err(one.bad("a number"));
            };
            inst.imm = match info.format {
                // LLVM takes 16 bits here and keeps twelve.
                Format::MUBUF | Format::MTBUF if (0..=0xffff).contains(&v) => v & 0xfff,
                Format::SMEM => {
                    inst.mods.set_has_offset(1);
                    v
                }
                _ => v,
            };
        }
        Mod::Offset0 => inst.imm = inst.imm & !0xff | one.number(0, 255)? as i32,
        Mod::Offset1 => inst.imm = inst.imm & 0xff | (one.number(0, 255)? as i32) << 8,
        Mod::Format => x.set_format(one.format()?),
        Mod::Dfmt => x.set_format(x.format() & !15 | one.number(0, 15)?),
        Mod::Nfmt => x.set_format(x.format() & 15 | one.number(0, 7)? << 4),
        Mod::RowShl => x.set_dpp_ctrl(0x100 + one.number(1, 15)?),
        Mod::RowShr => x.set_dpp_ctrl(0x110 + one.number(1, 15)?),
        Mod::RowRor => x.set_dpp_ctrl(0x120 + one.number(1, 15)?),
        Mod::RowNewbcast => x.set_dpp_ctrl(0x150 + one.number(0, 15)?),
        Mod::WaveShl => x.set_dpp_ctrl(0x12f + one.number(1, 1)?),
        Mod::WaveRol => x.set_dpp_ctrl(0x133 + one.number(1, 1)?),
        Mod::WaveShr => x.set_dpp_ctrl(0x137 + one.number(1, 1)?),
        Mod::WaveRor => x.set_dpp_ctrl(0x13b + one.number(1, 1)?),
        Mod::RowMirror => x.set_dpp_ctrl(0x140),
        Mod::RowHalfMirror => x.set_dpp_ctrl(0x141),
        Mod::RowBcast => x.set_dpp_ctrl(match one.number(15, 31)? {
            15 => 0x142,
            31 => 0x143,
            _ => return Err(one.bad("15 or 31")),
        }),
        Mod::NoClamp | Mod::Old | Mod::Unknown => {}
    }
    Ok(())
}

fn not_taken(inst: &Inst, one: &One<'_>) -> ParseError {
    let (name, span) = (one.name(), one.m.span());
    let help = match name {
        "glc" => Some("vector memory says `sc0` on these targets"),
        "scc" => Some("these targets say `sc1`"),
        "slc" => Some("these targets say `nt`"),
        "sc0" if inst.op.info().format == Format::SMEM => Some("scalar memory says `glc`"),
        _ => None,
    };
    let e = match one.m.name {
        Mod::Unknown => ParseError::new(
            Rule::UnknownModifier,
            span,
            format!("unknown modifier `{name}`"),
        ),
        _ => {
            let info = inst.op.info();
            let message = format!("`{}{}` does not take `{name}`", info.name, info.suffix);
            ParseError::new(Rule::ModifierNotAllowedHere, span, message)
        }
    };
    match help {
        Some(h) => e.help(h),
        None => e,
    }
}

/// The 7-bit number of a probe: LLVM keeps the low bits of whatever is written, of a double's pattern too.
pub fn seven_bits(n: Number) -> u32 {
    let bits = match n {
        Number::Int(v) => v as u64,
        Number::Float(f) => f.to_bits(),
    };
    (bits & 127) as u32
}
