use wavesmith_codegen::KernelBuilder;
use wavesmith_isa::Gfx950;

fn main() {
    let mut k = KernelBuilder::<Gfx950>::new("k", [64, 1, 1]);
    let (a, b) = (k.vgprs::<1>(), k.vgprs::<1>());
    drop(a);
    k.v_mov_b32(&b, &a);
}
