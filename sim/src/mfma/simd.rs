//! The host's vector instructions: the one place of this module with `unsafe` code.
//!
//! A tile is four registers of D by sixteen lanes: four neighbouring rows by sixteen neighbouring columns
//! (4x4 shapes: by four blocks). Safety of the pointer arithmetic: the scratch arrays hold `SIDE` elements, which is
//! at least k·width of every shape, and D's slice has all registers of the shape; tiles are cut from those sizes.
#![allow(unsafe_code)]

use super::{Call, Scratch, run};
use crate::wave::Row;

/// [`run`] as this host does it best.
pub fn execute(call: &Call, rows: &mut [Row], t: &mut Scratch) {
    #[cfg(target_arch = "x86_64")]
    if crate::exec::fast_host() {
        // SAFETY: the host has what `wide` is compiled for; that is what `fast_host` asks.
        unsafe { wide(call, rows, t) };
        return;
    }
    run(call, rows, t, super::kernels::update);
}

// No closure may stand around the work: it would be compiled for the portable host.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn wide(call: &Call, rows: &mut [Row], t: &mut Scratch) {
    let avx512 = is_x86_feature_detected!("avx512f");
    run(call, rows, t, |call, t, d| avx2::update(call, t, d, avx512));
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::mfma::exact::Scheme;
    use crate::mfma::shape::Acc;
    use crate::mfma::{Call, MfmaMode, Scratch, kernels};
    use crate::wave::Row;

    use crate::mfma::simd_exact::{self, View};

    /// Updates D, which holds C. `wide`: the host has AVX-512F.
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn update(call: &Call, t: &mut Scratch, d: &mut [Row], wide: bool) {
        let s = &call.shape;
        if call.scales.is_some() && !kernels::fold_scales(call, t) {
            // Extreme scales: one by one.
            kernels::update(call, t, d);
            return;
        }
        let scheme = Scheme::of(s.a).filter(|_| call.mode == MfmaMode::Exact);
        let low = match scheme {
            Some(_) => kernels::exponents(call, t),
            None => i32::MIN,
        };
        let job = Job {
            call,
            scheme,
            low,
            wide,
        };
        // A is as tall as B is wide in every shape, so one number says how far apart k's are.
        match (s.m * s.blocks, s.sparse, s.n) {
            (_, _, 4) => tiles::<64, false, true>(&job, t, d),
            (16, false, _) => tiles::<16, false, false>(&job, t, d),
            (32, false, _) => tiles::<32, false, false>(&job, t, d),
            (_, false, _) => tiles::<64, false, false>(&job, t, d),
            (16, true, _) => tiles::<16, true, false>(&job, t, d),
            (_, true, _) => tiles::<32, true, false>(&job, t, d),
        }
    }

    /// What is the same for all tiles.
    struct Job<'a> {
        call: &'a Call,
        scheme: Option<Scheme>,
        low: i32,
        wide: bool,
    }

    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    fn tiles<const W: usize, const SPARSE: bool, const SMALL: bool>(
        job: &Job<'_>,
        t: &Scratch,
        d: &mut [Row],
    ) {
        let s = &job.call.shape;
        let scaled = job.call.scales.is_some();
        let d = d.as_mut_ptr();
        for r0 in (0..s.d_dwords()).step_by(4) {
            for lane0 in (0..64).step_by(16) {
                // Inverse of `Shape::d` for the first element of the tile.
                let (a0, b0) = match s.n {
                    32 => (
                        r0 / 16 * 32 + r0 % 16 * 2 + lane0 / 32 * 4,
                        r0 / 16 * 32 + lane0 % 32,
                    ),
                    16 => (r0 / 4 * 16 + lane0 / 4, r0 / 4 * 16),
                    _ => (lane0, lane0),
                };
                // SAFETY: see the module's head.
                unsafe {
                    let v = View {
                        a: t.a.as_ptr().add(a0).cast(),
                        ea: t.ea.as_ptr().add(a0),
                        b: t.b.as_ptr().add(b0).cast(),
                        eb: t.eb.as_ptr().add(b0),
                        select: t.select.as_ptr().add(if SPARSE { a0 } else { 0 }),
                        sa: if scaled {
                            t.scale[0].as_ptr().add(a0)
                        } else {
                            std::ptr::null()
                        },
                        sb: if scaled {
                            t.scale[1].as_ptr().add(b0)
                        } else {
                            std::ptr::null()
                        },
                        m: s.m,
                        n: s.n,
                        k: s.k_stored(),
                        min_a: s.a.min_exponent(),
                        min_b: s.b.min_exponent(),
                        low: job.low,
                    };
                    let d = d.add(r0).cast::<f32>().add(lane0);
                    match (s.acc, job.scheme) {
                        (Acc::I32, _) if SPARSE => integers::<W>(&v, d.cast()),
                        (Acc::I32, _) => pairs::<W, SMALL>(&v, d.cast()),
                        (_, None) if SMALL => chain_4x4(&v, d),
                        (_, None) if SPARSE => chain_sparse::<W>(&v, d),
                        (_, None) => chain::<W>(&v, d),
                        (_, Some(Scheme::EvenOdd)) => {
                            tile_exact::<16, W, SPARSE, SMALL>(&v, d, job.wide);
                        }
                        (_, Some(Scheme::One(8))) if v.k > 4 => {
                            tile_exact::<8, W, SPARSE, SMALL>(&v, d, job.wide);
                        }
                        (_, Some(_)) => tile_exact::<4, W, SPARSE, SMALL>(&v, d, job.wide),
                    }
                }
            }
        }
    }

    /// f32 multiply-add chains.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn chain<const W: usize>(v: &View, d: *mut f32) {
        unsafe {
            let mut acc = [[_mm256_setzero_ps(); 2]; 4];
            for (r, acc) in acc.iter_mut().enumerate() {
                for (h, acc) in acc.iter_mut().enumerate() {
                    *acc = _mm256_loadu_ps(d.add(64 * r + 8 * h));
                }
            }
            let (mut a, mut b) = (v.a, v.b);
            for _ in 0..v.k {
                let y = [_mm256_loadu_ps(b), _mm256_loadu_ps(b.add(8))];
                for (r, acc) in acc.iter_mut().enumerate() {
                    let x = _mm256_broadcast_ss(&*a.add(r));
                    acc[0] = _mm256_fmadd_ps(x, y[0], acc[0]);
                    acc[1] = _mm256_fmadd_ps(x, y[1], acc[1]);
                }
                a = a.add(W);
                b = b.add(W);
            }
            for (r, acc) in acc.iter().enumerate() {
                for (h, acc) in acc.iter().enumerate() {
                    _mm256_storeu_ps(d.add(64 * r + 8 * h), *acc);
                }
            }
        }
    }

    /// The same where every row of A has its own rows of B.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn chain_sparse<const W: usize>(v: &View, d: *mut f32) {
        unsafe {
            for r in 0..4 {
                let w = View {
                    select: v.select.add(r),
                    ..*v
                };
                let d = d.add(64 * r);
                let mut acc = [_mm256_loadu_ps(d), _mm256_loadu_ps(d.add(8))];
                for k in 0..v.k {
                    let x = _mm256_broadcast_ss(&*v.a.add(k * W + r));
                    let b = v.b.add(usize::from(*w.select.add(k * W)) * W);
                    acc[0] = _mm256_fmadd_ps(x, _mm256_loadu_ps(b), acc[0]);
                    acc[1] = _mm256_fmadd_ps(x, _mm256_loadu_ps(b.add(8)), acc[1]);
                }
                _mm256_storeu_ps(d, acc[0]);
                _mm256_storeu_ps(d.add(8), acc[1]);
            }
        }
    }

    /// Row `r` of each block of four lanes, in all its lanes.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn spread(x: __m256, r: usize) -> __m256 {
        match r {
            0 => _mm256_permute_ps::<0x00>(x),
            1 => _mm256_permute_ps::<0x55>(x),
            2 => _mm256_permute_ps::<0xaa>(x),
            _ => _mm256_permute_ps::<0xff>(x),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn chain_4x4(v: &View, d: *mut f32) {
        const W: usize = 64;
        unsafe {
            for h in [0, 8] {
                for r in 0..4 {
                    let d = d.add(64 * r + h);
                    let mut acc = _mm256_loadu_ps(d);
                    for k in 0..v.k {
                        let x = spread(_mm256_loadu_ps(v.a.add(k * W + h)), r);
                        acc = _mm256_fmadd_ps(x, _mm256_loadu_ps(v.b.add(k * W + h)), acc);
                    }
                    _mm256_storeu_ps(d, acc);
                }
            }
        }
    }

    /// Integers, one product at a time.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn integers<const W: usize>(v: &View, d: *mut i32) {
        unsafe {
            for r in 0..4 {
                let w = View {
                    select: v.select.add(r),
                    ..*v
                };
                for h in [0, 8] {
                    let d = d.add(64 * r + h).cast::<__m256i>();
                    let mut acc = _mm256_loadu_si256(d);
                    for k in 0..v.k {
                        let x = _mm256_set1_epi32(*v.a.cast::<i32>().add(k * W + r));
                        let y = _mm256_loadu_si256(
                            v.b.add(usize::from(*w.select.add(k * W)) * W + h).cast(),
                        );
                        acc = _mm256_add_epi32(acc, _mm256_mullo_epi32(x, y));
                    }
                    _mm256_storeu_si256(d, acc);
                }
            }
        }
    }

    /// Integers as pairs of 16 bits: A and B hold k/2 rows.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn pairs<const W: usize, const SMALL: bool>(v: &View, d: *mut i32) {
        unsafe {
            for r in 0..4 {
                for h in [0, 8] {
                    let d = d.add(64 * r + h).cast::<__m256i>();
                    let mut acc = _mm256_loadu_si256(d);
                    for k in 0..v.k / 2 {
                        let x = if SMALL {
                            let x = _mm256_loadu_ps(v.a.add(k * W + h));
                            _mm256_castps_si256(spread(x, r))
                        } else {
                            _mm256_set1_epi32(*v.a.cast::<i32>().add(k * W + r))
                        };
                        let y = _mm256_loadu_si256(v.b.add(k * W + h).cast());
                        acc = _mm256_add_epi32(acc, _mm256_madd_epi16(x, y));
                    }
                    _mm256_storeu_si256(d, acc);
                }
            }
        }
    }

    /// Exact: `G` products a group, 16 for even and odd apart.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn tile_exact<const G: usize, const W: usize, const SPARSE: bool, const SMALL: bool>(
        v: &View,
        d: *mut f32,
        wide: bool,
    ) {
        for r in 0..4 {
            for h in (0..16).step_by(if wide { 16 } else { 8 }) {
                let at = if SMALL { h } else { r };
                // SAFETY: see the module's head; `wide` says that the host has AVX-512.
                unsafe {
                    let mut w = View {
                        a: v.a.add(at),
                        ea: v.ea.add(at),
                        b: v.b.add(h),
                        eb: v.eb.add(h),
                        select: v.select.add(r),
                        ..*v
                    };
                    if !v.sa.is_null() {
                        w.sa = v.sa.add(r);
                        w.sb = v.sb.add(h);
                    }
                    let d = d.add(64 * r + h);
                    if wide {
                        simd_exact::avx512::row::<G, W, SPARSE, SMALL>(&w, r, d);
                    } else {
                        simd_exact::avx2::row::<G, W, SPARSE, SMALL>(&w, r, d);
                    }
                }
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::mfma::shape::Shape;
    use crate::mfma::{MfmaMode, Scales, Source, kernels};
    use wavesmith_isa::{Op, Target};

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 20) as u32
        }
        fn below(&mut self, n: u32) -> u32 {
            self.next() % n
        }
    }

    /// Bits of a register whose elements have `bits` bits, in one of several manners.
    fn word(r: &mut Random, manner: u32, element: usize) -> u32 {
        let x = r.next();
        // Exponent fields start here.
        let (exponent, fraction) = match element {
            16 => (8, 7),
            8 => (4, 3),
            _ => (8, 23),
        };
        let bits = element.max(8);
        let mut out = 0;
        for at in (0..32).step_by(bits.min(32)) {
            let top = 1u64 << exponent;
            let field =
                |r: &mut Random, low: u64, high: u64| low + u64::from(r.next()) % (high - low);
            let e = match manner {
                0 => return x,
                // Around one.
                1 => field(r, top / 2 - top / 32 - 1, top / 2 + top / 32 + 1),
                // Small, with subnormals and zeros.
                2 => field(r, 0, (top / 16).max(2)),
                // Large.
                3 => field(r, top - top / 8, top - 1),
                // All, finite.
                _ => field(r, 0, top - 1),
            };
            let f = if r.below(4) == 0 {
                0
            } else {
                u64::from(r.next()) & ((1 << fraction) - 1)
            };
            let f = if manner == 4 && r.below(2) == 0 { 0 } else { f };
            let sign = u64::from(r.below(2)) << (bits - 1);
            out |= ((sign | e << fraction | f) << at) as u32;
        }
        out
    }

    #[test]
    fn vector_kernels_equal_the_reference() {
        if !crate::exec::fast_host() {
            return;
        }
        let mut outputs = 0u64;
        let mut one_by_one = vec![[0; 64]; 80];
        // More with WAVESMITH_MFMA_ROUNDS=100.
        let rounds =
            std::env::var("WAVESMITH_MFMA_ROUNDS").map_or(8u32, |n| n.parse().expect("a number"));
        let mut r = Random(0x51_7cc1_b727_220a ^ u64::from(rounds));
        for round in 0..rounds {
            for target in Target::ALL {
                for op in Op::ALL {
                    let Some(shape) =
                        Shape::of(op.info().name, target).filter(|_| op.info().on(target))
                    else {
                        continue;
                    };
                    let shape = match shape.f8f6f4 {
                        true => shape.with_formats(r.below(5), r.below(5)).expect("formats"),
                        false => shape,
                    };
                    let (ma, mb, mc) = (r.below(6), r.below(6), r.below(7));
                    let mut rows: Vec<Row> = vec![[0; 64]; 80];
                    for (i, row) in rows.iter_mut().enumerate() {
                        for x in row.iter_mut() {
                            *x = match i {
                                0..8 => word(&mut r, ma, shape.a.bits()),
                                8..16 => word(&mut r, mb, shape.b.bits()),
                                16..18 => 0x7f7f_7f7f ^ (r.next() & 0x0707_0707),
                                18 => r.next(),
                                _ if mc == 6 => 0,
                                _ => word(&mut r, mc, 32),
                            };
                        }
                    }
                    if round % 7 == 3 {
                        // Whole rows of zeros, as padding has them.
                        for row in &mut rows[..16] {
                            row[3..20].fill(0);
                        }
                    }
                    if round % 11 == 5 {
                        rows[16].fill(r.next());
                    }
                    let scales = [(16, 1), (17, 2)].map(|(row, byte)| Scales { row, byte });
                    let call = Call {
                        shape,
                        a: 0,
                        b: 8,
                        c: Source::Row(20),
                        d: 20,
                        index: 18,
                        scales: shape.scaled.then_some(scales),
                        cbsz: 0,
                        abid: 0,
                        blgp: 0,
                        flush: false,
                        mode: [MfmaMode::Exact, MfmaMode::Fast][round as usize % 4 / 3],
                    };
                    one_by_one.copy_from_slice(&rows);
                    let mut t = Scratch::new();
                    run(&call, &mut one_by_one, &mut t, kernels::update);
                    let widths: &[bool] = if is_x86_feature_detected!("avx512f") {
                        &[false, true]
                    } else {
                        &[false]
                    };
                    for &wide in widths {
                        let mut got = rows.clone();
                        // SAFETY: `fast_host` was asked.
                        run(&call, &mut got, &mut t, |call, t, d| unsafe {
                            avx2::update(call, t, d, wide)
                        });
                        for (i, (x, y)) in got
                            .as_flattened()
                            .iter()
                            .zip(one_by_one.as_flattened())
                            .enumerate()
                        {
                            let both_nan =
                                f32::from_bits(*x).is_nan() && f32::from_bits(*y).is_nan();
                            assert!(
                                x == y || both_nan && shape.acc == crate::mfma::shape::Acc::F32,
                                "{} wide {wide} manners {ma} {mb} {mc}, register {} lane {}: {x:08x}, reference {y:08x}",
                                op.info().name,
                                i / 64,
                                i % 64
                            );
                        }
                        outputs += (shape.m * shape.n * shape.blocks) as u64;
                    }
                }
            }
        }
        assert!(outputs > 100_000 * u64::from(rounds), "{outputs}");
    }
}
