//! The host's vector instructions: the one place of this module with `unsafe` code.
//!
//! A tile is four registers of D by sixteen lanes: four neighbouring rows by sixteen neighbouring columns
//! (4x4 shapes: by four blocks). Safety of the pointer arithmetic: the scratch arrays hold `SIDE` elements, which is
//! at least k·width of every shape, and D's slice has all registers of the shape; tiles are cut from those sizes.
#![allow(unsafe_code)]

use super::{Call, run};
use crate::wave::Row;

/// [`run`] as this host does it best.
pub fn execute(call: &Call, rows: &mut [Row]) {
    #[cfg(target_arch = "x86_64")]
    if crate::exec::fast_host() {
        // SAFETY: the host has what `wide` is compiled for; that is what `fast_host` asks.
        unsafe { wide(call, rows) };
        return;
    }
    run(call, rows, super::kernels::update);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn wide(call: &Call, rows: &mut [Row]) {
    run(call, rows, |call, t, d| avx2::update(call, t, d));
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::mfma::exact::{self, Factor, Scheme};
    use crate::mfma::shape::Acc;
    use crate::mfma::{Call, MfmaMode, NAN_SCALE, Scratch, kernels};
    use crate::wave::Row;

    /// Where a tile's rows of A and columns of B start, and how far apart k's are.
    #[derive(Clone, Copy)]
    struct View {
        a: *const f32,
        ea: *const i32,
        wa: usize,
        b: *const f32,
        eb: *const i32,
        wb: usize,
        /// Row of B for A's k; null when dense.
        select: *const u8,
        /// Scale exponents of this row and these columns; null when there are none.
        sa: *const i32,
        sb: *const i32,
        m: usize,
        n: usize,
        k: usize,
        min_a: i32,
        min_b: i32,
        /// Products' exponents below this are not exact in f32.
        low: i32,
    }

    impl View {
        /// Offset of B's row for A's k.
        #[inline(always)]
        unsafe fn row(&self, k: usize) -> usize {
            if self.select.is_null() {
                k * self.wb
            } else {
                // SAFETY: `select` has as many elements as A.
                usize::from(unsafe { *self.select.add(k * self.wa) }) * self.wb
            }
        }
    }

    /// Updates D, which holds C.
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn update(call: &Call, t: &mut Scratch, d: &mut [Row]) {
        let s = &call.shape;
        if call.scales.is_some() && !kernels::fold_scales(call, t) {
            // Extreme scales: one by one.
            kernels::update(call, t, d);
            return;
        }
        let (wa, wb) = (s.m * s.blocks, s.n * s.blocks);
        let scheme = Scheme::of(s.a).filter(|_| call.mode == MfmaMode::Exact);
        let mut low = i32::MIN;
        if scheme.is_some() {
            low = kernels::exponents(call, t);
        }
        let scaled = call.scales.is_some();
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
                        wa,
                        b: t.b.as_ptr().add(b0).cast(),
                        eb: t.eb.as_ptr().add(b0),
                        wb,
                        select: if s.sparse {
                            t.select.as_ptr().add(a0)
                        } else {
                            std::ptr::null()
                        },
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
                        low,
                    };
                    let d = d.add(r0).cast::<f32>().add(lane0);
                    match (s.acc, scheme) {
                        (Acc::I32, _) if s.sparse => integers(&v, d.cast()),
                        (Acc::I32, _) => pairs(&v, d.cast(), s.n == 4),
                        (_, None) if s.n == 4 => chain_4x4(&v, d),
                        (_, None) if s.sparse => chain_sparse(&v, d),
                        (_, None) => chain(&v, d),
                        (_, Some(Scheme::EvenOdd)) => tile_exact::<16>(&v, d, s.n == 4),
                        (_, Some(Scheme::One(4))) => tile_exact::<4>(&v, d, s.n == 4),
                        (_, Some(_)) if v.k == 4 => tile_exact::<4>(&v, d, s.n == 4),
                        (_, Some(_)) => tile_exact::<8>(&v, d, s.n == 4),
                    }
                }
            }
        }
    }

    /// f32 multiply-add chains.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn chain(v: &View, d: *mut f32) {
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
                a = a.add(v.wa);
                b = b.add(v.wb);
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
    unsafe fn chain_sparse(v: &View, d: *mut f32) {
        unsafe {
            for r in 0..4 {
                let w = View {
                    select: v.select.add(r),
                    ..*v
                };
                let d = d.add(64 * r);
                let mut acc = [_mm256_loadu_ps(d), _mm256_loadu_ps(d.add(8))];
                for k in 0..v.k {
                    let x = _mm256_broadcast_ss(&*v.a.add(k * v.wa + r));
                    let b = v.b.add(w.row(k));
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
        unsafe {
            for h in [0, 8] {
                for r in 0..4 {
                    let d = d.add(64 * r + h);
                    let mut acc = _mm256_loadu_ps(d);
                    for k in 0..v.k {
                        let x = spread(_mm256_loadu_ps(v.a.add(k * v.wa + h)), r);
                        acc = _mm256_fmadd_ps(x, _mm256_loadu_ps(v.b.add(k * v.wb + h)), acc);
                    }
                    _mm256_storeu_ps(d, acc);
                }
            }
        }
    }

    /// Integers, one product at a time.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn integers(v: &View, d: *mut i32) {
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
                        let x = _mm256_set1_epi32(*v.a.cast::<i32>().add(k * v.wa + r));
                        let y = _mm256_loadu_si256(v.b.add(w.row(k) + h).cast());
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
    unsafe fn pairs(v: &View, d: *mut i32, small: bool) {
        unsafe {
            for r in 0..4 {
                for h in [0, 8] {
                    let d = d.add(64 * r + h).cast::<__m256i>();
                    let mut acc = _mm256_loadu_si256(d);
                    for k in 0..v.k / 2 {
                        let x = if small {
                            let x = _mm256_loadu_ps(v.a.add(k * v.wa + h));
                            _mm256_castps_si256(spread(x, r))
                        } else {
                            _mm256_set1_epi32(*v.a.cast::<i32>().add(k * v.wa + r))
                        };
                        let y = _mm256_loadu_si256(v.b.add(k * v.wb + h).cast());
                        acc = _mm256_add_epi32(acc, _mm256_madd_epi16(x, y));
                    }
                    _mm256_storeu_si256(d, acc);
                }
            }
        }
    }

    /// Exact: `G` products a group, 16 for even and odd apart.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn tile_exact<const G: usize>(v: &View, d: *mut f32, small: bool) {
        unsafe {
            for r in 0..4 {
                for h in [0, 8] {
                    let at = if small { h } else { r };
                    let mut w = View {
                        a: v.a.add(at),
                        ea: v.ea.add(at),
                        b: v.b.add(h),
                        eb: v.eb.add(h),
                        ..*v
                    };
                    if !v.select.is_null() {
                        w.select = v.select.add(r);
                    }
                    if !v.sa.is_null() {
                        w.sa = v.sa.add(r);
                        w.sb = v.sb.add(h);
                    }
                    let d = d.add(64 * r + h);
                    let mut c = _mm256_loadu_ps(d);
                    for k in (0..v.k).step_by(G) {
                        c = if small {
                            group::<G, true>(&w, k, r, c)
                        } else {
                            group::<G, false>(&w, k, 0, c)
                        };
                    }
                    _mm256_storeu_ps(d, c);
                }
            }
        }
    }

    /// A sum of products cut at 24 fraction bits, and the exponent it is aligned to.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn aligned<const N: usize, const SMALL: bool>(
        v: &View,
        k0: usize,
        step: usize,
        r: usize,
    ) -> (__m256i, __m256i) {
        unsafe {
            let mut p = [_mm256_setzero_ps(); N];
            let mut top = _mm256_set1_epi32(-1000);
            for (i, p) in p.iter_mut().enumerate() {
                let k = k0 + i * step;
                let (a, ea) = (v.a.add(k * v.wa), v.ea.add(k * v.wa));
                let (x, ex) = if SMALL {
                    let e = _mm256_loadu_ps(ea.cast());
                    (
                        spread(_mm256_loadu_ps(a), r),
                        _mm256_castps_si256(spread(e, r)),
                    )
                } else {
                    (_mm256_broadcast_ss(&*a), _mm256_set1_epi32(*ea))
                };
                let row = v.row(k);
                *p = _mm256_mul_ps(x, _mm256_loadu_ps(v.b.add(row)));
                let e = _mm256_add_epi32(ex, _mm256_loadu_si256(v.eb.add(row).cast()));
                top = _mm256_max_epi32(top, e);
            }
            // 2^(24 - top). Lanes of zeros alone have a top whose power f32 does not have.
            let bounded = _mm256_max_epi32(top, _mm256_set1_epi32(-100));
            let scale =
                _mm256_slli_epi32::<23>(_mm256_sub_epi32(_mm256_set1_epi32(127 + 24), bounded));
            let scale = _mm256_castsi256_ps(scale);
            let mut sum = _mm256_setzero_si256();
            for p in p {
                sum = _mm256_add_epi32(sum, _mm256_cvttps_epi32(_mm256_mul_ps(p, scale)));
            }
            (sum, top)
        }
    }

    /// Four powers of two.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn powers(e: __m128i) -> __m256d {
        let biased = _mm256_cvtepi32_epi64(_mm_add_epi32(e, _mm_set1_epi32(1023)));
        _mm256_castsi256_pd(_mm256_slli_epi64::<52>(biased))
    }

    /// One group of products, added to `c`, in eight lanes.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn group<const G: usize, const SMALL: bool>(
        v: &View,
        k: usize,
        r: usize,
        c: __m256,
    ) -> __m256 {
        unsafe {
            let (sum, top) = match G {
                4 => aligned::<4, SMALL>(v, k, 1, r),
                8 => aligned::<8, SMALL>(v, k, 1, r),
                _ => {
                    let (s0, t0) = aligned::<8, SMALL>(v, k, 2, r);
                    let (s1, t1) = aligned::<8, SMALL>(v, k + 1, 2, r);
                    let top = _mm256_max_epi32(t0, t1);
                    (
                        _mm256_add_epi32(
                            _mm256_srav_epi32(s0, _mm256_sub_epi32(top, t0)),
                            _mm256_srav_epi32(s1, _mm256_sub_epi32(top, t1)),
                        ),
                        top,
                    )
                }
            };
            // C's exponent; 128 for infinities and NaNs.
            let bits = _mm256_castps_si256(c);
            let field = _mm256_and_si256(_mm256_srli_epi32::<23>(bits), _mm256_set1_epi32(0xff));
            let ec = _mm256_max_epi32(
                _mm256_sub_epi32(field, _mm256_set1_epi32(127)),
                _mm256_set1_epi32(-126),
            );
            let high = _mm256_max_epi32(top, ec);
            // Products that overflow or are not exact, and a C that is not finite, go one by one.
            let odd = _mm256_or_si256(
                _mm256_cmpgt_epi32(high, _mm256_set1_epi32(125)),
                _mm256_cmpgt_epi32(_mm256_set1_epi32(v.low), top),
            );
            if _mm256_testz_si256(odd, odd) == 0 {
                return one_by_one::<G, SMALL>(v, k, r, c);
            }
            let far = _mm256_sub_epi32(top, high);
            let mut out = [_mm_setzero_ps(); 2];
            let split = |x: __m256i| [_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x)];
            let (sums, fars, highs) = (split(sum), split(far), split(high));
            let cs = [_mm256_castps256_ps128(c), _mm256_extractf128_ps::<1>(c)];
            for i in 0..2 {
                // The sum toward minus infinity at 31 fraction bits, C at 24, both in units of 2^(high - 31).
                let s = _mm256_mul_pd(
                    _mm256_cvtepi32_pd(sums[i]),
                    powers(_mm_add_epi32(fars[i], _mm_set1_epi32(7))),
                );
                let x = _mm256_mul_pd(
                    _mm256_cvtps_pd(cs[i]),
                    powers(_mm_sub_epi32(_mm_set1_epi32(24), highs[i])),
                );
                let mut x = _mm256_floor_pd(x);
                if G == 16 {
                    // FP8 drops a C more than 25 binades below, where its floor is 0 or -1.
                    let ecs = split(_mm256_sub_epi32(high, ec))[i];
                    let keep = _mm_cmpgt_epi32(_mm_set1_epi32(26), ecs);
                    x = _mm256_and_pd(x, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(keep)));
                }
                let total = _mm256_fmadd_pd(x, _mm256_set1_pd(128.0), _mm256_floor_pd(s));
                let unit = powers(_mm_sub_epi32(highs[i], _mm_set1_epi32(31)));
                out[i] = _mm256_cvtpd_ps(_mm256_mul_pd(total, unit));
            }
            _mm256_set_m128(out[1], out[0])
        }
    }

    /// The same by the reference.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn one_by_one<const G: usize, const SMALL: bool>(
        v: &View,
        k0: usize,
        r: usize,
        c: __m256,
    ) -> __m256 {
        unsafe {
            let mut lanes = [0.0; 8];
            _mm256_storeu_ps(lanes.as_mut_ptr(), c);
            let scheme = if G == 16 {
                Scheme::EvenOdd
            } else {
                Scheme::One(G)
            };
            for (l, c) in lanes.iter_mut().enumerate() {
                let (mut x, mut y) = ([Factor::ZERO; G], [Factor::ZERO; G]);
                for i in 0..G {
                    let k = k0 + i;
                    let row = if SMALL { l / 4 * 4 + r } else { 0 };
                    x[i] = Factor::new((*v.a.add(k * v.wa + row)).to_bits(), v.min_a);
                    y[i] = Factor::new((*v.b.add(v.row(k) + l)).to_bits(), v.min_b);
                    if !v.sa.is_null() {
                        x[i].unfold(*v.sa.add(v.m * (k / 32)), NAN_SCALE);
                        y[i].unfold(*v.sb.add(v.n * (k / 32) + l), NAN_SCALE);
                    }
                }
                *c = exact::group(&x, &y, *c, scheme);
            }
            _mm256_loadu_ps(lanes.as_ptr())
        }
    }
}
