//! `.amdhsa_kernel`: the descriptor, one directive per field, with LLVM's names and defaults.

use std::ops::Range;

use super::RODATA;
use super::assemble::{Assembler, Origin};
use super::error::Problem;
use super::expr::{Expr, NoValue, Value};
use super::lex::Cursor;
use crate::descriptor::{DESCRIPTOR_SIZE, KernelDescriptor, RegisterLimits};
use crate::object::Visibility;

/// One field: the directive's name behind `.amdhsa_`, its lowest bit in the descriptor, its width, what it is unless
/// said, and how many user SGPRs it implies when it is 1.
#[derive(Debug)]
pub(super) struct FieldRow {
    pub(super) name: &'static str,
    pub(super) bit: usize,
    pub(super) width: usize,
    pub(super) default: u64,
    pub(super) user_sgprs: u64,
}

const fn row(
    name: &'static str,
    bit: usize,
    width: usize,
    default: u64,
    user_sgprs: u64,
) -> FieldRow {
    FieldRow {
        name,
        bit,
        width,
        default,
        user_sgprs,
    }
}

const RSRC3: usize = 44 * 8;
pub(super) const ACCUM_BIT: usize = RSRC3;
const RSRC1: usize = 48 * 8;
const RSRC2: usize = 52 * 8;
const PROPERTIES: usize = 56 * 8;
const PRELOAD: usize = 58 * 8;

/// In the order LLVM's compiler prints them. `flat_scratch_init` and `private_segment_buffer` are not among them: on
/// gfx942 and gfx950 scratch is architected, and LLVM refuses them there.
pub(super) static FIELDS: [FieldRow; 38] = [
    row("group_segment_fixed_size", 0, 32, 0, 0),
    row("private_segment_fixed_size", 32, 32, 0, 0),
    row("kernarg_size", 64, 32, 0, 0),
    row("user_sgpr_count", RSRC2 + 1, 5, 0, 0),
    row("user_sgpr_dispatch_ptr", PROPERTIES + 1, 1, 0, 2),
    row("user_sgpr_queue_ptr", PROPERTIES + 2, 1, 0, 2),
    row("user_sgpr_kernarg_segment_ptr", PROPERTIES + 3, 1, 0, 2),
    row("user_sgpr_dispatch_id", PROPERTIES + 4, 1, 0, 2),
    row("user_sgpr_kernarg_preload_length", PRELOAD, 7, 0, 1),
    row("user_sgpr_kernarg_preload_offset", PRELOAD + 7, 9, 0, 0),
    row("user_sgpr_private_segment_size", PROPERTIES + 6, 1, 0, 1),
    row("uses_dynamic_stack", PROPERTIES + 11, 1, 0, 0),
    row("enable_private_segment", RSRC2, 1, 0, 0),
    row("system_sgpr_workgroup_id_x", RSRC2 + 7, 1, 1, 0),
    row("system_sgpr_workgroup_id_y", RSRC2 + 8, 1, 0, 0),
    row("system_sgpr_workgroup_id_z", RSRC2 + 9, 1, 0, 0),
    row("system_sgpr_workgroup_info", RSRC2 + 10, 1, 0, 0),
    row("system_vgpr_workitem_id", RSRC2 + 11, 2, 0, 0),
    row(NEXT_VGPR, RSRC1, 6, 0, 0),
    row(NEXT_SGPR, RSRC1 + 6, 4, 0, 0),
    row(ACCUM_OFFSET, RSRC3, 6, 0, 0),
    row("reserve_vcc", 0, 0, 1, 0),
    row("reserve_xnack_mask", 0, 0, 0, 0),
    row("float_round_mode_32", RSRC1 + 12, 2, 0, 0),
    row("float_round_mode_16_64", RSRC1 + 14, 2, 0, 0),
    row("float_denorm_mode_32", RSRC1 + 16, 2, 0, 0),
    row("float_denorm_mode_16_64", RSRC1 + 18, 2, 3, 0),
    row("dx10_clamp", RSRC1 + 21, 1, 1, 0),
    row("ieee_mode", RSRC1 + 23, 1, 1, 0),
    row("fp16_overflow", RSRC1 + 26, 1, 0, 0),
    row("tg_split", RSRC3 + 16, 1, 0, 0),
    row("exception_fp_ieee_invalid_op", RSRC2 + 24, 1, 0, 0),
    row("exception_fp_denorm_src", RSRC2 + 25, 1, 0, 0),
    row("exception_fp_ieee_div_zero", RSRC2 + 26, 1, 0, 0),
    row("exception_fp_ieee_overflow", RSRC2 + 27, 1, 0, 0),
    row("exception_fp_ieee_underflow", RSRC2 + 28, 1, 0, 0),
    row("exception_fp_ieee_inexact", RSRC2 + 29, 1, 0, 0),
    row("exception_int_div_zero", RSRC2 + 30, 1, 0, 0),
];

pub(super) const NEXT_VGPR: &str = "next_free_vgpr";
pub(super) const NEXT_SGPR: &str = "next_free_sgpr";
pub(super) const ACCUM_OFFSET: &str = "accum_offset";
const USER_SGPRS: &str = "user_sgpr_count";

/// Directives of other chips, with what to say about them.
const ELSEWHERE: [(&str, &str); 12] = [
    (
        "user_sgpr_private_segment_buffer",
        "scratch is architected on this chip",
    ),
    (
        "user_sgpr_flat_scratch_init",
        "scratch is architected on this chip",
    ),
    (
        "system_sgpr_private_segment_wavefront_offset",
        "scratch is architected on this chip; write .amdhsa_enable_private_segment",
    ),
    (
        "reserve_flat_scratch",
        "scratch is architected on this chip",
    ),
    ("wavefront_size32", "gfx10 and later have it"),
    ("workgroup_processor_mode", "gfx10 and later have it"),
    ("memory_ordered", "gfx10 and later have it"),
    ("forward_progress", "gfx10 and later have it"),
    ("shared_vgpr_count", "gfx10 and later have it"),
    ("inst_pref_size", "gfx11 and later have it"),
    ("round_robin_scheduling", "gfx12 has it"),
    ("named_barrier_count", "gfx1250 has it"),
];

/// Every directive's name, for "did you mean".
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    const NAMES: [&str; 4] = [
        ".amdhsa_next_free_vgpr",
        ".amdhsa_next_free_sgpr",
        ".amdhsa_accum_offset",
        ".amdhsa_kernarg_size",
    ];
    NAMES.into_iter()
}

/// A number given by a directive, with its place.
#[derive(Debug, Clone)]
pub(super) struct Stated {
    pub(super) value: u64,
    pub(super) origin: Origin,
    pub(super) span: Range<usize>,
}

/// A descriptor in the making.
#[derive(Debug, Clone)]
pub(super) struct KernelBlock {
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) span: Range<usize>,
    pub(super) bytes: [u8; DESCRIPTOR_SIZE],
    pub(super) stated: Vec<(&'static str, Stated)>,
    /// Directives whose values depend on symbols that were still to come.
    pub(super) waiting: Vec<(&'static FieldRow, Expr, Origin, Range<usize>)>,
    /// Whole dwords given as they are, which go over everything else.
    pub(super) words: Vec<(usize, u32)>,
    /// Where it is in `.rodata`.
    pub(super) offset: u64,
    pub(super) visibility: Visibility,
}

pub(super) fn put(bytes: &mut [u8; DESCRIPTOR_SIZE], bit: usize, width: usize, value: u64) {
    for i in 0..width {
        let at = bit + i;
        let mask = 1u8 << (at % 8);
        if value >> i & 1 == 1 {
            bytes[at / 8] |= mask;
        } else {
            bytes[at / 8] &= !mask;
        }
    }
}

pub(super) fn get(bytes: &[u8; DESCRIPTOR_SIZE], bit: usize, width: usize) -> u64 {
    (0..width).fold(0, |value, i| {
        let at = bit + i;
        value | u64::from(bytes[at / 8] >> (at % 8) & 1) << i
    })
}

/// The descriptor's field for a number of vector registers, LLVM's way.
pub(super) fn vgpr_field(next_free: u64) -> u64 {
    let granule = u64::from(RegisterLimits::GFX9_UNIFIED.vgpr_granule);
    next_free.max(1).div_ceil(granule) - 1
}

/// The descriptor's field for a number of scalar registers without those kept behind them, LLVM's way: in steps of 8.
pub(super) fn sgpr_field(next_free: u64) -> u64 {
    let extra = u64::from(RegisterLimits::GFX9_UNIFIED.extra_sgprs);
    (next_free + extra).div_ceil(8) - 1
}

impl KernelBlock {
    pub(super) fn new(name: String) -> KernelBlock {
        let mut bytes = [0; DESCRIPTOR_SIZE];
        for field in &FIELDS {
            put(&mut bytes, field.bit, field.width, field.default);
        }
        KernelBlock {
            name,
            origin: Origin::default(),
            span: 0..0,
            bytes,
            stated: Vec::new(),
            waiting: Vec::new(),
            words: Vec::new(),
            offset: 0,
            visibility: Visibility::Default,
        }
    }

    pub(super) fn stated(&self, name: &str) -> Option<&Stated> {
        self.stated.iter().find(|(n, _)| *n == name).map(|(_, s)| s)
    }

    pub(super) fn value(&self, name: &str) -> Option<u64> {
        self.stated(name).map(|s| s.value)
    }

    /// User SGPRs that the other directives ask for.
    pub(super) fn implied_user_sgprs(&self) -> u64 {
        let implied = FIELDS
            .iter()
            .map(|f| f.user_sgprs * get(&self.bytes, f.bit, f.width));
        implied.sum()
    }

    /// The descriptor, with counts that nobody stated taken from what the code uses.
    pub(super) fn descriptor(&self, used: [u64; 3]) -> KernelDescriptor {
        let mut bytes = self.bytes;
        let [vgprs, agprs, sgprs] = used;
        let accum = self
            .value(ACCUM_OFFSET)
            .unwrap_or_else(|| vgprs.max(1).next_multiple_of(4));
        let total = if agprs == 0 { vgprs } else { accum + agprs };
        let next_vgpr = self.value(NEXT_VGPR).unwrap_or(total);
        let next_sgpr = self.value(NEXT_SGPR).unwrap_or(sgprs);
        let user = self
            .value(USER_SGPRS)
            .unwrap_or_else(|| self.implied_user_sgprs());
        for field in &FIELDS {
            let value = match field.name {
                NEXT_VGPR => vgpr_field(next_vgpr),
                NEXT_SGPR => sgpr_field(next_sgpr),
                ACCUM_OFFSET => (accum / 4).max(1) - 1,
                USER_SGPRS => user,
                _ => continue,
            };
            put(&mut bytes, field.bit, field.width, value);
        }
        for (at, word) in &self.words {
            bytes[*at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        KernelDescriptor {
            kernel_code_entry_byte_offset: 0,
            ..KernelDescriptor::parse(&bytes)
        }
    }
}

/// What the field may be, where `found` is not that.
fn allowed(field: &FieldRow, found: i64) -> Option<String> {
    let (least, most) = match field.name {
        NEXT_VGPR => (0, 512),
        NEXT_SGPR => (0, 102),
        ACCUM_OFFSET if (4..=256).contains(&found) && found % 4 == 0 => return None,
        ACCUM_OFFSET => return Some("a multiple of 4, from 4 to 256".to_owned()),
        USER_SGPRS => (0, 16),
        _ if field.width == 0 => (0, 1),
        _ => (0, (1i64 << field.width) - 1),
    };
    let fits = (least..=most).contains(&found);
    (!fits).then(|| format!("{least} to {most}"))
}

impl Assembler {
    pub(super) fn open_kernel(&mut self, c: &mut Cursor<'_>, span: Range<usize>) {
        let Some(name) = c.name() else {
            return self.expected("the kernel's name", c);
        };
        if self.kernels.iter().any(|k| k.name == name) {
            let problem = Problem::Expected {
                expected: "one `.amdhsa_kernel` for each kernel".to_owned(),
                found: format!("a second one for `{name}`"),
            };
            return self.fail(span, problem);
        }
        let mut block = KernelBlock::new(name);
        block.origin = self.origin;
        block.span = span;
        self.open_kernel = Some(block);
        self.at_end(c);
    }

    pub(super) fn kernel_directive(&mut self, name: &str, span: Range<usize>, c: &mut Cursor<'_>) {
        if name == ".end_amdhsa_kernel" {
            return self.close_kernel();
        }
        if name == ".wavesmith_descriptor_word" {
            let Some(at) = self.number(c) else { return };
            c.eat(",");
            let Some(word) = self.number(c) else { return };
            if !(0..=60).contains(&at) || at % 4 != 0 || matches!(at, 16 | 20) {
                let problem = Problem::OutOfRange {
                    what: "the place in the descriptor".to_owned(),
                    expected: "a multiple of 4 under 64 that is not the entry's".to_owned(),
                    found: at,
                };
                return self.fail(span, problem);
            }
            if let Some(block) = &mut self.open_kernel {
                block.words.push((at as usize, word as u32));
            }
            self.at_end(c);
            return;
        }
        let short = name.strip_prefix(".amdhsa_").unwrap_or(name);
        let Some(field) = FIELDS.iter().find(|f| f.name == short) else {
            if let Some((_, reason)) = ELSEWHERE.iter().find(|(n, _)| *n == short) {
                return self.not_here(name, span, reason);
            }
            let near = super::directive::nearest(short, FIELDS.iter().map(|f| f.name));
            let expected = match near {
                Some(near) => format!("a `.amdhsa_…` directive such as `.amdhsa_{near}`"),
                None => "a `.amdhsa_…` directive or `.end_amdhsa_kernel`".to_owned(),
            };
            return self.fail(span, Problem::expected(expected, name));
        };
        c.skip_space();
        let start = c.at;
        let Some(expr) = self.expression(c) else {
            return;
        };
        let at = start..c.at;
        if !self.at_end(c) {
            return;
        }
        let origin = self.origin;
        let Some(mut block) = self.open_kernel.take() else {
            return;
        };
        let first = block.stated(field.name).map(|s| s.origin.number);
        let waiting = block.waiting.iter().find(|w| w.0.name == field.name);
        if let Some(first) = first.or(waiting.map(|w| w.2.number)) {
            let name = name.to_owned();
            self.fail(span, Problem::Redefined { name, first });
        } else if let Err(NoValue::Undefined(_)) = self.symbols.evaluate(&expr) {
            block.waiting.push((field, expr, origin, at));
        } else {
            self.state(&mut block, field, &expr, origin, at);
        }
        self.open_kernel = Some(block);
    }

    /// Values that waited for symbols.
    pub(super) fn state_waiting(&mut self) {
        let mut blocks = std::mem::take(&mut self.kernels);
        for block in &mut blocks {
            for (field, expr, origin, at) in std::mem::take(&mut block.waiting) {
                self.state(block, field, &expr, origin, at);
            }
        }
        self.kernels = blocks;
    }

    fn state(
        &mut self,
        block: &mut KernelBlock,
        field: &'static FieldRow,
        expr: &Expr,
        origin: Origin,
        at: Range<usize>,
    ) {
        let problem = match self.symbols.evaluate(expr) {
            Ok(Value::Absolute(found)) => match allowed(field, found) {
                None => {
                    put(&mut block.bytes, field.bit, field.width, found as u64);
                    let stated = Stated {
                        value: found as u64,
                        origin,
                        span: at,
                    };
                    block.stated.push((field.name, stated));
                    return;
                }
                Some(expected) => Problem::OutOfRange {
                    what: format!("`.amdhsa_{}`", field.name),
                    expected,
                    found,
                },
            },
            Ok(_) => Problem::NoValue {
                reason: "a number is needed here, and a place is no number".to_owned(),
            },
            Err(why) => self.no_value(&why),
        };
        self.push_error(super::assemble::error_at(origin, at, None, problem));
    }

    /// Counts that contradict each other.
    pub(super) fn check_stated(&mut self, block: &KernelBlock) {
        let implied = block.implied_user_sgprs();
        if let Some(count) = block.stated(USER_SGPRS)
            && count.value < implied
        {
            let problem = Problem::OutOfRange {
                what: "`.amdhsa_user_sgpr_count`".to_owned(),
                expected: format!("at least {implied}, which the other directives ask for"),
                found: count.value as i64,
            };
            let error = super::assemble::error_at(count.origin, count.span.clone(), None, problem);
            self.push_error(error);
        }
        if let (Some(accum), Some(total)) = (block.stated(ACCUM_OFFSET), block.value(NEXT_VGPR))
            && accum.value > total.max(1).next_multiple_of(4)
        {
            let problem = Problem::OutOfRange {
                what: "`.amdhsa_accum_offset`".to_owned(),
                expected: format!("at most the {total} vector registers there are"),
                found: accum.value as i64,
            };
            let error = super::assemble::error_at(accum.origin, accum.span.clone(), None, problem);
            self.push_error(error);
        }
    }

    fn close_kernel(&mut self) {
        let Some(mut block) = self.open_kernel.take() else {
            return;
        };
        let rodata = &mut self.sections[RODATA.0];
        let offset = (rodata.data.len() as u64).next_multiple_of(DESCRIPTOR_SIZE as u64);
        rodata.align = rodata.align.max(DESCRIPTOR_SIZE as u64);
        rodata.data.resize(offset as usize + DESCRIPTOR_SIZE, 0);
        block.offset = offset;
        let code = self.symbols.id(&block.name);
        block.visibility = self.symbols.get(code).visibility;
        self.kernels.push(block);
    }
}
