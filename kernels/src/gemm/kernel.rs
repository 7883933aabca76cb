//! The kernel: shape → register plan → LDS plan → schedule → body → tail.
//!
//! 256 work-items are four waves in a 2×2 grid; each owns 64×64 of the 128×128 tile of D, as 4×4 matrix
//! instructions of 16×16. A stage of LDS holds `tile_k` columns of A and B in slabs of 64 columns: a slab is 128
//! rows of 128 bytes, and the 16-byte chunk `c` of row `r` lies at position `c ^ (r & 7)`, so that the sixteen rows a
//! read touches spread over all banks. Two stages alternate: while one is multiplied the other is filled.

use super::{GemmConfig, Out, TILE_M, TILE_N};
use wavesmith_codegen::builder::Wait;
use wavesmith_codegen::regs::{SPart, VPart};
use wavesmith_codegen::{ArgKind, BuildError, Kernel, KernelBuilder, M0, Sgpr, VCC, Vgpr};
use wavesmith_isa::target::TargetType;
use wavesmith_isa::{Gfx942, Gfx950};

/// Bytes of a slab: 128 rows of 64 bf16.
const SLAB: u32 = 128 * 128;
/// An offset beyond every descriptor's bound (all are below 2³¹).
const OUT_OF_RANGE: i32 = i32::MIN;
/// Word 3 of a raw buffer descriptor on gfx9: DATA_FORMAT 32, nothing swizzled.
const RAW_BUFFER: i32 = 0x0002_0000;

/// What differs between chips: how a tile gets to LDS, the matrix instruction, the narrowing to bf16.
pub trait GemmTarget: TargetType {
    /// Whether buffer loads of 16 bytes a lane can write LDS themselves.
    const DIRECT_TO_LDS: bool;
    /// Loads 16 bytes a lane straight to LDS at M0.
    fn load_to_lds(
        k: &mut KernelBuilder<Self>,
        voffset: &Vgpr<1>,
        srsrc: &Sgpr<4>,
        soffset: &Sgpr<1>,
    );
    /// `acc += a·b` over the 32 columns that eight bf16 a lane hold.
    fn mma(k: &mut KernelBuilder<Self>, acc: &Vgpr<4>, a: &Vgpr<4>, b: &Vgpr<4>);
    /// Puts `x` rounded to bf16 in the upper half of `x`.
    fn to_bf16_hi(k: &mut KernelBuilder<Self>, x: VPart<'_, 1>, t: &Vgpr<2>, s_7fff: &Sgpr<1>);
}

impl GemmTarget for Gfx950 {
    const DIRECT_TO_LDS: bool = true;
    fn load_to_lds(
        k: &mut KernelBuilder<Self>,
        voffset: &Vgpr<1>,
        srsrc: &Sgpr<4>,
        soffset: &Sgpr<1>,
    ) {
        k.buffer_load_dwordx4_lds(voffset, srsrc, soffset).offen();
    }
    fn mma(k: &mut KernelBuilder<Self>, acc: &Vgpr<4>, a: &Vgpr<4>, b: &Vgpr<4>) {
        k.v_mfma_f32_16x16x32_bf16(acc, a, b, acc);
    }
    fn to_bf16_hi(k: &mut KernelBuilder<Self>, x: VPart<'_, 1>, _: &Vgpr<2>, _: &Sgpr<1>) {
        k.v_cvt_pk_bf16_f32(x, x, x);
    }
}

impl GemmTarget for Gfx942 {
    const DIRECT_TO_LDS: bool = false;
    fn load_to_lds(_: &mut KernelBuilder<Self>, _: &Vgpr<1>, _: &Sgpr<4>, _: &Sgpr<1>) {}
    fn mma(k: &mut KernelBuilder<Self>, acc: &Vgpr<4>, a: &Vgpr<4>, b: &Vgpr<4>) {
        // Each instruction takes four of the eight columns a lane holds. Which columns they are does not matter
        // as long as A and B agree: the sum runs over all of them.
        k.v_mfma_f32_16x16x16_bf16(acc, a.part::<2>(0), b.part::<2>(0), acc);
        k.v_mfma_f32_16x16x16_bf16(acc, a.part::<2>(1), b.part::<2>(1), acc);
    }
    fn to_bf16_hi(k: &mut KernelBuilder<Self>, x: VPart<'_, 1>, t: &Vgpr<2>, s_7fff: &Sgpr<1>) {
        // Nearest even: add 0x7fff and the bit that becomes the last one; a NaN is only made quiet.
        k.v_cmp_u_f32(VCC, x, x);
        k.v_bfe_u32(t.reg(0), x, 16, 1);
        k.v_add3_u32(t.reg(0), x, t.reg(0), s_7fff);
        k.v_or_b32(t.reg(1), 0x0040_0000, x);
        k.v_cndmask_b32(x, t.reg(0), t.reg(1), VCC);
    }
}

/// Registers that live through the whole kernel.
struct Regs {
    /// K.
    kk: Sgpr<1>,
    /// Bounded descriptors of the workgroup's rows of A and B.
    a: Sgpr<4>,
    b: Sgpr<4>,
    /// Byte offset of the first column of the stage being loaded, and columns from there to K.
    k0_bytes: Sgpr<1>,
    k_left: Sgpr<1>,
    /// LDS stage being filled and the wave's place in it.
    fill: Sgpr<1>,
    /// Byte offset of each 16-byte chunk the lane loads (A's rows and B's are equally long), the same made safe, and
    /// an offset beyond every bound.
    offsets: Vec<Vgpr<1>>,
    safe: Vgpr<1>,
    beyond: Vgpr<1>,
    /// First column of the lane's chunk.
    chunk_k: Vgpr<1>,
    /// LDS address the lane writes its chunk to (register path) and reads fragments from, by half of a slab.
    write: Vgpr<1>,
    read_a: [Vgpr<1>; 2],
    read_b: [Vgpr<1>; 2],
    acc: Vec<Vgpr<4>>,
    frag_a: Vec<Vgpr<4>>,
    frag_b: Vec<Vgpr<4>>,
    /// Chunks on their way from memory to LDS (register path).
    staged: Vec<Vgpr<4>>,
}

/// How a stage is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    /// 16-byte loads that write LDS themselves: K is a multiple of 8.
    Direct,
    /// 16-byte loads to registers, then LDS: K is a multiple of 8.
    Wide,
    /// 2-byte loads: rows start at any even address, and K may end inside a chunk.
    Ragged,
}

/// Builds the kernel. Grid: `x` workgroups over N, `y` over M; 256 work-items each.
///
/// # Errors
/// [`BuildError::Lds`] when `tile_k` needs more LDS than the chip has.
pub fn gemm<T: GemmTarget>(config: &GemmConfig) -> Result<Kernel, BuildError> {
    let mut k = KernelBuilder::<T>::new(&config.name(), [256, 1, 1]);
    let slabs = config.tile_k / 64;

    // LDS plan: two stages, each A's slabs then B's.
    let stage = slabs * 2 * SLAB;
    let lds = k.lds("stages", 2 * stage, 128);
    if lds.offset != 0 || u64::from(2 * stage) > u64::from(T::TARGET.lds_bytes()) {
        k.s_endpgm();
        return k.finish();
    }

    let (r, d, tile) = prologue(&mut k, slabs, stage, config.out);
    let (ragged, store) = (k.label("ragged"), k.label("store"));

    let t = k.sgprs::<1>();
    k.s_and_b32(&t, &r.kk, 7);
    k.s_cbranch_scc1(ragged);
    drop(t);
    let wide = if T::DIRECT_TO_LDS {
        Path::Direct
    } else {
        Path::Wide
    };
    main_loop(&mut k, &r, wide, slabs, stage, "main");
    k.s_branch(store);
    k.bind(ragged);
    main_loop(&mut k, &r, Path::Ragged, slabs, stage, "main_ragged");

    k.bind(store);
    store_tile(&mut k, &r, &d, &tile, config.out);
    k.s_endpgm();
    k.finish()
}

/// Fills the other stage while this one is multiplied.
fn main_loop<T: GemmTarget>(
    k: &mut KernelBuilder<T>,
    r: &Regs,
    path: Path,
    slabs: u32,
    stage: u32,
    name: &str,
) {
    let last = k.label(&format!("{name}_last"));
    load(k, r, path, slabs);
    k.repeat_while_scc1(name, |k| {
        publish(k, r, path, slabs);
        k.s_add_u32(&r.k0_bytes, &r.k0_bytes, (128 * slabs) as i32);
        k.s_sub_i32(&r.k_left, &r.k_left, (64 * slabs) as i32);
        k.s_xor_b32(&r.fill, &r.fill, stage as i32);
        k.s_cmp_lt_i32(&r.k_left, 1);
        k.s_cbranch_scc1(last);
        load(k, r, path, slabs);
        k.bind(last);
        multiply(k, r, slabs);
        for v in r.read_a.iter().chain(&r.read_b).chain([&r.write]) {
            k.v_xor_b32(v, stage as i32, v);
        }
        k.s_cmp_gt_i32(&r.k_left, 0);
    });
}

/// Starts the loads of one stage. Chunks beyond K get an offset that is out of range, so they read as zero.
fn load<T: GemmTarget>(k: &mut KernelBuilder<T>, r: &Regs, path: Path, slabs: u32) {
    for slab in 0..slabs {
        let elements = if path == Path::Ragged { 8 } else { 1 };
        for e in 0..elements {
            let (left, at_k) = (k.sgprs::<1>(), k.sgprs::<1>());
            k.s_sub_i32(&left, &r.k_left, (64 * slab + e) as i32);
            k.s_add_u32(&at_k, &r.k0_bytes, (128 * slab) as i32);
            k.v_cmp_gt_i32(VCC, &left, &r.chunk_k);
            // A vector read of VCC needs two states after a vector write of it (hazard G18).
            k.nops(2);
            for (matrix, descriptor) in [&r.a, &r.b].into_iter().enumerate() {
                for (j, offset) in r.offsets.iter().enumerate() {
                    let place = matrix as u32 * slabs + slab;
                    k.v_cndmask_b32(&r.safe, &r.beyond, offset, VCC);
                    match path {
                        Path::Direct => {
                            k.s_add_u32(M0, &r.fill, (place * SLAB + j as u32 * 1024) as i32);
                            // A scalar write of M0 needs one state before a load to LDS reads it.
                            k.nops(1);
                            T::load_to_lds(k, &r.safe, descriptor, &at_k);
                        }
                        Path::Wide => {
                            let v = &r.staged[place as usize * 4 + j];
                            k.buffer_load_dwordx4(v, &r.safe, descriptor, &at_k).offen();
                        }
                        Path::Ragged => {
                            let v = r.staged[place as usize * 4 + j].reg(e as usize / 2);
                            let at = 2 * e as i32;
                            if e % 2 == 0 {
                                k.buffer_load_short_d16(v, &r.safe, descriptor, &at_k)
                                    .offen()
                                    .offset(at);
                            } else {
                                k.buffer_load_short_d16_hi(v, &r.safe, descriptor, &at_k)
                                    .offen()
                                    .offset(at);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Makes the stage visible to the workgroup. The wait must come before the barrier that publishes it.
fn publish<T: GemmTarget>(k: &mut KernelBuilder<T>, r: &Regs, path: Path, slabs: u32) {
    k.wait_vmcnt(0);
    if path != Path::Direct {
        for (i, v) in r.staged.iter().enumerate() {
            let place = (i as u32 / 4) * SLAB + (i as u32 % 4) * 1024;
            k.ds_write_b128(&r.write, v).offset(place as i32);
        }
        k.wait_lgkmcnt(0);
    }
    debug_assert_eq!(r.staged.len() as u32, 8 * slabs);
    k.s_barrier();
}

/// `acc += A·Bᵀ` over one stage.
fn multiply<T: GemmTarget>(k: &mut KernelBuilder<T>, r: &Regs, slabs: u32) {
    for slab in 0..slabs {
        for half in 0..2 {
            for i in 0..4u32 {
                let row = i * 16 * 128;
                k.ds_read_b128(&r.frag_a[i as usize], &r.read_a[half])
                    .offset((slab * SLAB + row) as i32);
                k.ds_read_b128(&r.frag_b[i as usize], &r.read_b[half])
                    .offset((slab * SLAB + row) as i32);
            }
            k.wait(Wait {
                vmcnt: None,
                lgkmcnt: Some(0),
            });
            for i in 0..4 {
                for j in 0..4 {
                    T::mma(k, &r.acc[i * 4 + j], &r.frag_a[i], &r.frag_b[j]);
                }
            }
        }
    }
}

/// Where D goes.
struct Tile {
    /// Byte offset of the lane's first element in each 16-column block; beyond every bound for columns past N.
    offsets: Vec<Vgpr<1>>,
    /// Bytes of a row of D.
    row_bytes: Sgpr<1>,
}

/// Points `out` at the `rows` (at most 128) rows from `row0` on of a matrix whose rows have `row_bytes` bytes.
fn descriptor<T: GemmTarget>(
    k: &mut KernelBuilder<T>,
    out: &Sgpr<4>,
    base: SPart<'_, 2>,
    row0: &Sgpr<1>,
    rows: &Sgpr<1>,
    row_bytes: &Sgpr<1>,
) {
    let t = k.sgprs::<1>();
    k.s_mul_i32(out.reg(0), row0, row_bytes);
    k.s_mul_hi_u32(&t, row0, row_bytes);
    k.s_add_u32(out.reg(0), out.reg(0), base.reg(0));
    k.s_addc_u32(out.reg(1), &t, base.reg(1));
    k.s_and_b32(out.reg(1), out.reg(1), 0xffff);
    k.s_sub_u32(&t, rows, row0);
    k.s_min_u32(&t, &t, 128);
    k.s_mul_i32(out.reg(2), &t, row_bytes);
    k.s_mov_b32(out.reg(3), RAW_BUFFER);
}

/// Arguments, descriptors, and every address a lane needs.
fn prologue<T: GemmTarget>(
    k: &mut KernelBuilder<T>,
    slabs: u32,
    stage: u32,
    out: Out,
) -> (Regs, Sgpr<4>, Tile) {
    let entry = k.entry().expect("a new builder still has its entry state");
    for (name, kind) in [
        ("a", ArgKind::Pointer),
        ("b", ArgKind::Pointer),
        ("d", ArgKind::Pointer),
        ("m", ArgKind::U32),
        ("n", ArgKind::U32),
        ("k", ArgKind::U32),
    ] {
        k.arg(name, kind);
    }
    let (ab, dmn) = (k.sgprs::<4>(), k.sgprs::<4>());
    let (m, n, kk) = (k.sgprs::<1>(), k.sgprs::<1>(), k.sgprs::<1>());
    k.s_load_dwordx4(&ab, &entry.kernarg, 0);
    k.s_load_dwordx4(&dmn, &entry.kernarg, 16);
    k.s_load_dword(&kk, &entry.kernarg, 32);
    k.wait_lgkmcnt(0);
    k.s_mov_b32(&m, dmn.reg(2));
    k.s_mov_b32(&n, dmn.reg(3));

    let (row_a, row_b) = (k.sgprs::<1>(), k.sgprs::<1>());
    let [wg_n, wg_m, _] = &entry.workgroup_id;
    k.s_mul_i32(&row_a, wg_m, TILE_M as i32);
    k.s_mul_i32(&row_b, wg_n, TILE_N as i32);
    let (k_bytes, row_bytes) = (k.sgprs::<1>(), k.sgprs::<1>());
    k.s_lshl_b32(&k_bytes, &kk, 1);
    k.s_mul_i32(&row_bytes, &n, out.bytes() as i32);
    let (a, b, d) = (k.sgprs::<4>(), k.sgprs::<4>(), k.sgprs::<4>());
    descriptor(k, &a, ab.part::<2>(0), &row_a, &m, &k_bytes);
    descriptor(k, &b, ab.part::<2>(1), &row_b, &n, &k_bytes);
    descriptor(k, &d, dmn.part::<2>(0), &row_a, &m, &row_bytes);

    // Which lane of which wave this is.
    let (lane, t, u) = (k.vgprs::<1>(), k.vgprs::<1>(), k.vgprs::<1>());
    let (wave, wave_m, wave_n, fill) = (
        k.sgprs::<1>(),
        k.sgprs::<1>(),
        k.sgprs::<1>(),
        k.sgprs::<1>(),
    );
    k.v_and_b32(&t, 0x3ff, &entry.work_item);
    k.v_and_b32(&lane, 63, &t);
    k.v_lshrrev_b32(&t, 6, &t);
    // A lane read needs one state after a vector write of its source (hazard G23).
    k.nops(1);
    k.v_readfirstlane_b32(&wave, &t);
    k.s_lshr_b32(&wave_m, &wave, 1);
    k.s_and_b32(&wave_n, &wave, 1);
    k.s_lshl_b32(&fill, &wave, 12);

    // Filling: in its j-th load a wave moves rows 32·wave + 8·j + lane/8, and lane takes chunk (lane%8) ^ (lane/8).
    let (row, chunk_k, write) = (k.vgprs::<1>(), k.vgprs::<1>(), k.vgprs::<1>());
    k.v_lshrrev_b32(&row, 3, &lane);
    k.v_and_b32(&t, 7, &lane);
    k.v_xor_b32(&chunk_k, &t, &row);
    k.v_lshlrev_b32(&u, 4, &chunk_k);
    k.v_lshlrev_b32(&chunk_k, 3, &chunk_k);
    k.v_lshlrev_b32(&write, 4, &lane);
    k.v_add_u32(&write, &fill, &write);
    let first = k.sgprs::<1>();
    k.s_lshl_b32(&first, &wave, 5);
    k.v_add_u32(&row, &first, &row);
    let offsets: Vec<Vgpr<1>> = (0..4)
        .map(|j| {
            let o = k.vgprs::<1>();
            k.v_add_u32(&t, 8 * j, &row);
            k.v_mul_lo_u32(&o, &t, &k_bytes);
            k.v_add_u32(&o, &o, &u);
            o
        })
        .collect();

    // Reading: lane takes row lane%16 of a block and the chunk lane/16 of a half slab, wherever the swizzle put it.
    let fragment = |k: &mut KernelBuilder<T>, wave_row: &Sgpr<1>, base: u32, half: i32| {
        let v = k.vgprs::<1>();
        k.s_lshl_b32(&first, wave_row, 13);
        k.s_add_u32(&first, &first, base as i32);
        k.v_lshrrev_b32(&v, 4, &lane);
        k.v_add_u32(&v, 4 * half, &v);
        k.v_and_b32(&t, 7, &lane);
        k.v_xor_b32(&v, &t, &v);
        k.v_lshlrev_b32(&v, 4, &v);
        k.v_and_b32(&t, 15, &lane);
        k.v_lshlrev_b32(&t, 7, &t);
        k.v_add3_u32(&v, &v, &t, &first);
        v
    };
    let read_a = [fragment(k, &wave_m, 0, 0), fragment(k, &wave_m, 0, 1)];
    let read_b = [
        fragment(k, &wave_n, slabs * SLAB, 0),
        fragment(k, &wave_n, slabs * SLAB, 1),
    ];

    // Storing: register i of a block holds row 4·(lane/16) + i, column lane%16.
    let beyond = k.vgprs::<1>();
    k.v_mov_b32(&beyond, OUT_OF_RANGE);
    k.v_lshrrev_b32(&t, 4, &lane);
    k.v_lshlrev_b32(&t, 2, &t);
    k.s_lshl_b32(&first, &wave_m, 6);
    k.v_add_u32(&t, &first, &t);
    k.v_mul_lo_u32(&u, &t, &row_bytes);
    k.s_lshl_b32(&first, &wave_n, 6);
    k.s_add_u32(&first, &first, &row_b);
    k.v_and_b32(&lane, 15, &lane);
    let tile_offsets: Vec<Vgpr<1>> = (0..4)
        .map(|j| {
            let o = k.vgprs::<1>();
            k.v_add_u32(&t, &first, &lane);
            k.v_add_u32(&t, 16 * j, &t);
            k.v_cmp_gt_u32(VCC, &n, &t);
            k.v_lshlrev_b32(&t, out.bytes().trailing_zeros() as i32, &t);
            k.v_add_u32(&o, &u, &t);
            // With the shift and the add, two states between the compare and its use (hazard G18).
            k.v_cndmask_b32(&o, &beyond, &o, VCC);
            o
        })
        .collect();

    let (k0_bytes, k_left) = (k.sgprs::<1>(), k.sgprs::<1>());
    k.s_mov_b32(&k0_bytes, 0);
    k.s_mov_b32(&k_left, &kk);
    let acc: Vec<Vgpr<4>> = (0..16).map(|_| k.vgprs::<4>()).collect();
    for block in &acc {
        for i in 0..4 {
            k.v_mov_b32(block.reg(i), 0);
        }
    }
    debug_assert!(stage.is_power_of_two());
    let r = Regs {
        kk,
        a,
        b,
        k0_bytes,
        k_left,
        fill,
        offsets,
        safe: k.vgprs::<1>(),
        beyond,
        chunk_k,
        write,
        read_a,
        read_b,
        acc,
        frag_a: (0..4).map(|_| k.vgprs::<4>()).collect(),
        frag_b: (0..4).map(|_| k.vgprs::<4>()).collect(),
        staged: (0..8 * slabs).map(|_| k.vgprs::<4>()).collect(),
    };
    (
        r,
        d,
        Tile {
            offsets: tile_offsets,
            row_bytes,
        },
    )
}

/// Writes the tile. Rows past M are beyond the descriptor's bound, columns past N have an offset beyond it.
fn store_tile<T: GemmTarget>(
    k: &mut KernelBuilder<T>,
    r: &Regs,
    d: &Sgpr<4>,
    tile: &Tile,
    out: Out,
) {
    // A vector read of a matrix result waits for 20 states at most (gfx950, 16 passes); fewer passes need fewer.
    k.nops(20);
    let (at, s_7fff) = (k.sgprs::<1>(), k.sgprs::<1>());
    let t = k.vgprs::<2>();
    k.s_mov_b32(&s_7fff, 0x7fff);
    for block in 0..4 {
        for i in 0..4 {
            k.s_mul_i32(&at, &tile.row_bytes, (16 * block + i) as i32);
            for (j, offset) in tile.offsets.iter().enumerate() {
                let x = r.acc[4 * block + j].reg(i);
                match out {
                    Out::F32 => {
                        k.buffer_store_dword(x, offset, d, &at).offen();
                    }
                    Out::Bf16 => {
                        T::to_bf16_hi(k, x, &t, &s_7fff);
                        k.buffer_store_short_d16_hi(x, offset, d, &at).offen();
                    }
                }
            }
        }
    }
}
