//! A plain number means the same value whatever the width of the slot it stands in, or the kernel is refused.

use wavesmith_codegen::{BuildError, Kernel, KernelBuilder};
use wavesmith_isa::{Gfx950, Inst, text};

fn build(body: impl FnOnce(&mut KernelBuilder<Gfx950>)) -> Result<Kernel, BuildError> {
    let mut k = KernelBuilder::<Gfx950>::new("t", [64, 1, 1]);
    body(&mut k);
    k.s_endpgm();
    k.finish()
}

fn first(body: impl FnOnce(&mut KernelBuilder<Gfx950>)) -> String {
    let k = build(body).expect("builds");
    let inst: Inst = k.insts[0];
    let mut out = String::new();
    text::print(&inst, k.target, &mut out);
    out
}

#[test]
fn an_integer_is_no_double() {
    // Inline code 244 reads as the double 2.0 in a 64-bit slot, which is not 1 << 30.
    let t = first(|k| {
        let d = k.sgprs_at::<2>(10);
        k.s_mov_b64(&d, 0x4000_0000);
    });
    assert_eq!(t, "s_mov_b64 s[10:11], 0x40000000");
}

#[test]
fn an_unsigned_is_not_sign_extended() {
    // Inline -1 fills all 64 bits.
    let t = first(|k| {
        let d = k.sgprs_at::<2>(10);
        k.s_mov_b64(&d, 0xffff_ffffu32);
    });
    assert_eq!(t, "s_mov_b64 s[10:11], 0xffffffff");
}

#[test]
fn a_float_keeps_its_value_in_a_double() {
    // The literal of a 64-bit float slot is the high half of the double.
    let t = first(|k| {
        let (d, _) = (k.vgprs_at::<1>(4), ());
        k.v_cvt_f32_f64(&d, 1.5);
    });
    assert_eq!(t, "v_cvt_f32_f64_e32 v4, 0x3ff80000");
}

#[test]
fn a_float_keeps_its_value_in_a_half() {
    let t = first(|k| {
        let d = k.vgprs_at::<1>(4);
        k.v_add_f16(&d, 1.5, &d);
    });
    assert_eq!(t, "v_add_f16_e32 v4, 0x3e00, v4");
}

#[test]
fn source_modifiers_survive_dpp() {
    let t = first(|k| {
        let d = k.vgprs_at::<1>(4);
        k.v_add_f32(&d, &d, &d).neg(1).dpp(0x111);
    });
    assert_eq!(
        t,
        "v_add_f32_dpp v4, v4, -v4 row_shr:1 row_mask:0xf bank_mask:0xf"
    );
}
