use wavesmith_codegen::KernelBuilder;
use wavesmith_isa::Gfx942;

fn main() {
    let mut k = KernelBuilder::<Gfx942>::new("k", [64, 1, 1]);
    let (acc, a, b) = (k.vgprs::<4>(), k.vgprs::<4>(), k.vgprs::<4>());
    k.v_mfma_f32_16x16x32_bf16(&acc, &a, &b, &acc);
}
