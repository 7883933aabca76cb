//! Small kernels through the builder.

use wavesmith_codegen::{ArgKind, BuildError, KernelBuilder, Off, PlanError, VCC};
use wavesmith_isa::{Gfx942, Gfx950, Target, decode};

fn texts(k: &wavesmith_codegen::Kernel) -> Vec<String> {
    let words: Vec<u32> = k
        .code()
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    let mut at = 0;
    let mut out = Vec::new();
    while at < words.len() {
        let (inst, n) = decode::decode(&words[at..], k.target).expect("own code decodes");
        out.push(format!("{:?}", inst.op));
        at += n;
    }
    out
}

#[test]
fn short_encodings_where_operands_allow() {
    let mut k = KernelBuilder::<Gfx950>::new("t", [64, 1, 1]);
    let (a, b) = (k.vgprs::<1>(), k.vgprs::<1>());
    let s = k.sgprs::<1>();
    k.v_add_f32(&a, 1.0, &b);
    k.v_add_f32(&a, &b, &s);
    k.v_add_f32(&a, 3.5, &b);
    k.v_add_f32(&a, &a, &b).neg(1);
    k.v_cmp_lt_u32(VCC, &a, &b);
    k.v_mov_b32(&a, &b).dpp(0x111);
    k.s_endpgm();
    let k = k.finish().expect("builds");
    assert_eq!(
        texts(&k),
        [
            "V_ADD_F32_E32",
            "V_ADD_F32_E64",
            "V_ADD_F32_E32",
            "V_ADD_F32_E64",
            "V_CMP_LT_U32_E32",
            "V_MOV_B32_DPP",
            "S_ENDPGM"
        ]
    );
}

#[test]
fn branches_resolve() {
    let mut k = KernelBuilder::<Gfx942>::new("t", [64, 1, 1]);
    let i = k.sgprs::<1>();
    let done = k.label("done");
    k.s_mov_b32(&i, 0);
    k.repeat_while_scc1("loop", |k| {
        k.s_add_u32(&i, &i, 1);
        k.s_cmp_eq_u32(&i, 1000);
        k.s_cbranch_scc1(done);
        k.s_cmp_lt_u32(&i, 4);
    });
    k.bind(done);
    k.s_endpgm();
    let k = k.finish().expect("builds");
    // s_mov, s_add, s_cmp + literal, branch over 2, s_cmp, back over 6
    assert_eq!(k.insts[3].imm, 2);
    assert_eq!(k.insts[5].imm, -6);
}

#[test]
fn arguments_are_aligned() {
    let mut k = KernelBuilder::<Gfx942>::new("t", [64, 1, 1]);
    assert_eq!(k.arg("n", ArgKind::U32), 0);
    assert_eq!(k.arg("p", ArgKind::Pointer), 8);
    assert_eq!(k.arg("x", ArgKind::F32), 16);
}

#[test]
fn first_mistake_is_returned() {
    let mut k = KernelBuilder::<Gfx942>::new("t", [64, 1, 1]);
    let _all = [
        k.vgprs::<32>(),
        k.vgprs::<32>(),
        k.vgprs::<32>(),
        k.vgprs::<32>(),
    ];
    let _more = [
        k.vgprs::<32>(),
        k.vgprs::<32>(),
        k.vgprs::<32>(),
        k.vgprs::<32>(),
    ];
    k.s_endpgm();
    match k.finish() {
        Err(BuildError::Registers {
            source: PlanError::Exhausted {
                wanted: 32, free, ..
            },
            ..
        }) => assert!(free < 32),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lds_over_budget() {
    let mut k = KernelBuilder::<Gfx942>::new("t", [64, 1, 1]);
    k.lds("a", 65_536, 16);
    k.lds("b", 16, 16);
    k.s_endpgm();
    assert!(matches!(
        k.finish(),
        Err(BuildError::Lds {
            wanted: 65_552,
            limit: 65_536,
            ..
        })
    ));
}

#[test]
fn atomics_say_whether_they_return() {
    let mut k = KernelBuilder::<Gfx950>::new("t", [64, 1, 1]);
    let (p, v, d) = (k.vgprs::<2>(), k.vgprs::<1>(), k.vgprs::<1>());
    k.global_atomic_add(&p, &v, Off);
    k.global_atomic_add_rtn(&d, &p, &v, Off);
    k.s_endpgm();
    let k = k.finish().expect("builds");
    assert_eq!(k.insts[0].mods.sc0(), 0);
    assert_eq!(k.insts[1].mods.sc0(), 1);
}

#[test]
fn occupancy() {
    use wavesmith_codegen::waves_per_simd;
    assert_eq!(waves_per_simd(Target::Gfx942, 64, 0), 8);
    assert_eq!(waves_per_simd(Target::Gfx942, 128, 0), 4);
    assert_eq!(waves_per_simd(Target::Gfx942, 126, 128), 2);
    assert_eq!(waves_per_simd(Target::Gfx950, 256, 256), 1);
}
