use wavesmith_codegen::KernelBuilder;
use wavesmith_isa::Gfx942;

fn main() {
    let mut k = KernelBuilder::<Gfx942>::new("k", [64, 1, 1]);
    let (s, v) = (k.sgprs::<1>(), k.vgprs::<1>());
    k.s_mov_b32(&v, &s);
}
