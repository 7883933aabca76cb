//! Exact dot products in vectors of eight (AVX2) and sixteen (AVX-512) columns.
//!
//! Everything is done with f32 multiplications by powers of two and 32-bit integers. A product of two decoded elements
//! is exact in f32; times 2^(24 - top) and converted toward zero it is the aligned, cut product of the model, and the
//! sum of those is an i32. C is brought to the same unit toward minus infinity. The sum, in units of 2^(high - 24), is
//! then T + f/128 with an integer T and the seven bits f that the model keeps below. If -2^24 <= T < 2^24 then 128·T + f fits
//! an i32 and its conversion is the model's one rounding. Otherwise no rounding boundary lies within (T, T + 1), so
//! 2·T + (f ≠ 0) rounds the same. Columns that this does not cover (not finite, overflowing, extreme exponents) go to
//! [`super::exact`] one by one.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::NAN_SCALE;
use super::exact::{self, Factor, Scheme};

/// Exponents up to which C keeps its sign when it is scaled below a product's last place.
const HIGHEST: i32 = 47;
/// Exponents from which results are normal numbers however much cancels.
const LOWEST: i32 = -90;

/// Where a tile's rows of A and columns of B start.
#[derive(Clone, Copy)]
pub struct View {
    pub a: *const f32,
    pub ea: *const i32,
    pub b: *const f32,
    pub eb: *const i32,
    /// Row of B for A's k; null when dense.
    pub select: *const u8,
    /// Scale exponents of this row and these columns; null when there are none.
    pub sa: *const i32,
    pub sb: *const i32,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub min_a: i32,
    pub min_b: i32,
    /// Products' exponents below this are not exact in f32.
    pub low: i32,
}

impl View {
    /// Offset of B's row for A's k; `W` elements are between one k and the next.
    ///
    /// # Safety
    /// `select` has as many elements as A if `SPARSE`, and `k` is one of A's columns.
    #[inline(always)]
    unsafe fn row<const W: usize, const SPARSE: bool>(&self, k: usize) -> usize {
        if SPARSE {
            // SAFETY: the caller's promise.
            usize::from(unsafe { *self.select.add(k * W) }) * W
        } else {
            k * W
        }
    }
}

/// One group by the reference, for `lanes` columns. `small`: row `r` of the block of four that a lane is in.
///
/// # Safety
/// The view's pointers cover the group and the columns.
#[cold]
#[inline(never)]
unsafe fn one_by_one<const G: usize, const W: usize, const SPARSE: bool, const SMALL: bool>(
    v: &View,
    k0: usize,
    r: usize,
    lanes: &mut [f32],
) {
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
            // SAFETY: the caller's promise.
            unsafe {
                x[i] = Factor::new((*v.a.add(k * W + row)).to_bits(), v.min_a);
                y[i] = Factor::new((*v.b.add(v.row::<W, SPARSE>(k) + l)).to_bits(), v.min_b);
                if !v.sa.is_null() {
                    x[i].unfold(*v.sa.add(v.m * (k / 32)), NAN_SCALE);
                    y[i].unfold(*v.sb.add(v.n * (k / 32) + l), NAN_SCALE);
                }
            }
        }
        *c = exact::group(&x, &y, *c, scheme);
    }
}

/// The kernel for one width; `ops` names the width's types and instructions.
macro_rules! width {
    ($name:ident, $features:literal, $lanes:literal, $F:ty, $I:ty, $ops:ident) => {
        pub mod $name {
            use super::*;
            use $ops::*;

            /// Updates `$lanes` columns of one row of D, all groups of `G` products (16: even and odd apart).
            ///
            /// # Safety
            /// The host has the features, and the view's pointers cover the columns.
            #[inline]
            #[target_feature(enable = $features)]
            pub unsafe fn row<
                const G: usize,
                const W: usize,
                const SPARSE: bool,
                const SMALL: bool,
            >(
                v: &View,
                r: usize,
                d: *mut f32,
            ) {
                unsafe {
                    let mut c = load_f(d);
                    let mut k = 0;
                    while k < v.k {
                        c = group::<G, W, SPARSE, SMALL>(v, k, r, c);
                        k += G;
                    }
                    store_f(d, c);
                }
            }

            /// A sum of products cut at 24 fraction bits, and the exponent it is aligned to.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn aligned<
                const N: usize,
                const W: usize,
                const SPARSE: bool,
                const SMALL: bool,
            >(
                v: &View,
                k0: usize,
                step: usize,
                r: usize,
            ) -> ($I, $I) {
                unsafe {
                    let mut p = [zero_f(); N];
                    let mut top = set_i(-1000);
                    let (mut a, mut ea) = (v.a.add(k0 * W), v.ea.add(k0 * W));
                    for (i, p) in p.iter_mut().enumerate() {
                        let (x, ex) = if SMALL {
                            (spread(load_f(a), r), cast_i(spread(load_f(ea.cast()), r)))
                        } else {
                            (set_f(*a), set_i(*ea))
                        };
                        a = a.add(step * W);
                        ea = ea.add(step * W);
                        let row = v.row::<W, SPARSE>(k0 + i * step);
                        *p = mul(x, load_f(v.b.add(row)));
                        top = max(top, add(ex, load_i(v.eb.add(row))));
                    }
                    // 2^(24 - top). Where all products are zeros, top's power may be none of f32's.
                    let scale = power(sub(set_i(24), max(top, set_i(-100))));
                    let mut sum = set_i(0);
                    for p in p {
                        sum = add(sum, truncate(mul(p, scale)));
                    }
                    (sum, top)
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn group<
                const G: usize,
                const W: usize,
                const SPARSE: bool,
                const SMALL: bool,
            >(
                v: &View,
                k: usize,
                r: usize,
                c: $F,
            ) -> $F {
                unsafe {
                    let (sum, top) = match G {
                        4 => aligned::<4, W, SPARSE, SMALL>(v, k, 1, r),
                        8 => aligned::<8, W, SPARSE, SMALL>(v, k, 1, r),
                        _ => {
                            let (s0, t0) = aligned::<8, W, SPARSE, SMALL>(v, k, 2, r);
                            let (s1, t1) = aligned::<8, W, SPARSE, SMALL>(v, k + 1, 2, r);
                            let top = max(t0, t1);
                            let sum =
                                add(shift_right(s0, sub(top, t0)), shift_right(s1, sub(top, t1)));
                            (sum, top)
                        }
                    };
                    // C's exponent; 128 for infinities and NaNs.
                    let magnitude = and(cast_i(c), set_i(0x7fff_ffff));
                    let ec = max(sub(right::<23>(magnitude), set_i(127)), set_i(-126));
                    let high = max(top, ec);
                    let extreme = either(
                        either(greater(high, set_i(HIGHEST)), greater(set_i(v.low), top)),
                        both(greater(set_i(LOWEST), high), not_zero(or(magnitude, sum))),
                    );
                    if any(extreme) {
                        let mut lanes = [0.0; $lanes];
                        store_f(lanes.as_mut_ptr(), c);
                        one_by_one::<G, W, SPARSE, SMALL>(v, k, r, &mut lanes);
                        return load_f(lanes.as_ptr());
                    }
                    let high = max(high, set_i(LOWEST));
                    let mut c24 = floor(mul(c, power(sub(set_i(24), high))));
                    if G == 16 {
                        // FP8 drops a C more than 25 binades below.
                        c24 = keep(greater(set_i(26), sub(high, ec)), c24);
                    }
                    let far = sub(high, top);
                    let t = add(shift_right(sum, far), c24);
                    // The seven bits below: of a sum far below, its sign.
                    let below = shift_left(sum, sub(set_i(32), far));
                    let below = select(greater(far, set_i(31)), sign(sum), below);
                    let f = right::<25>(below);
                    // -2^24 + f/128 is below 2^24 already.
                    let big = greater(xor(t, sign(t)), set_i((1 << 24) - 1));
                    let fine = or(left::<7>(t), f);
                    let coarse = or(left::<1>(t), min_unsigned(f, set_i(1)));
                    let unit = add(sub(high, set_i(31)), keep(big, set_i(6)));
                    mul(to_float(select(big, coarse, fine)), power(unit))
                }
            }
        }
    };
}

/// One-line functions over instructions of one width.
macro_rules! ops {
    ($name:ident, $features:literal, $(fn $f:ident $(<const $c:ident: $ct:ty>)? ($($p:ident: $t:ty),*) -> $r:ty $body:block)*) => {
        mod $name {
            use super::*;
            $(
                #[inline]
                #[target_feature(enable = $features)]
                pub fn $f $(<const $c: $ct>)? ($($p: $t),*) -> $r $body
            )*
        }
    };
}

ops! { ops256, "avx2,fma",
    fn zero_f() -> __m256 { _mm256_setzero_ps() }
    fn set_f(x: f32) -> __m256 { _mm256_set1_ps(x) }
    fn set_i(x: i32) -> __m256i { _mm256_set1_epi32(x) }
    fn cast_i(x: __m256) -> __m256i { _mm256_castps_si256(x) }
    fn mul(x: __m256, y: __m256) -> __m256 { _mm256_mul_ps(x, y) }
    fn add(x: __m256i, y: __m256i) -> __m256i { _mm256_add_epi32(x, y) }
    fn sub(x: __m256i, y: __m256i) -> __m256i { _mm256_sub_epi32(x, y) }
    fn max(x: __m256i, y: __m256i) -> __m256i { _mm256_max_epi32(x, y) }
    fn min_unsigned(x: __m256i, y: __m256i) -> __m256i { _mm256_min_epu32(x, y) }
    fn xor(x: __m256i, y: __m256i) -> __m256i { _mm256_xor_si256(x, y) }
    fn and(x: __m256i, y: __m256i) -> __m256i { _mm256_and_si256(x, y) }
    fn or(x: __m256i, y: __m256i) -> __m256i { _mm256_or_si256(x, y) }
    fn left<const N: i32>(x: __m256i) -> __m256i { _mm256_slli_epi32::<N>(x) }
    fn right<const N: i32>(x: __m256i) -> __m256i { _mm256_srli_epi32::<N>(x) }
    fn sign(x: __m256i) -> __m256i { _mm256_srai_epi32::<31>(x) }
    fn shift_left(x: __m256i, n: __m256i) -> __m256i { _mm256_sllv_epi32(x, n) }
    fn shift_right(x: __m256i, n: __m256i) -> __m256i { _mm256_srav_epi32(x, n) }
    fn power(e: __m256i) -> __m256 { _mm256_castsi256_ps(left::<23>(add(e, set_i(127)))) }
    fn truncate(x: __m256) -> __m256i { _mm256_cvttps_epi32(x) }
    fn floor(x: __m256) -> __m256i { _mm256_cvtps_epi32(_mm256_floor_ps(x)) }
    fn to_float(x: __m256i) -> __m256 { _mm256_cvtepi32_ps(x) }
    fn greater(x: __m256i, y: __m256i) -> __m256i { _mm256_cmpgt_epi32(x, y) }
    fn not_zero(x: __m256i) -> __m256i { _mm256_xor_si256(_mm256_cmpeq_epi32(x, set_i(0)), set_i(-1)) }
    fn either(x: __m256i, y: __m256i) -> __m256i { or(x, y) }
    fn both(x: __m256i, y: __m256i) -> __m256i { and(x, y) }
    fn any(x: __m256i) -> bool { _mm256_testz_si256(x, x) == 0 }
    fn keep(m: __m256i, x: __m256i) -> __m256i { and(m, x) }
    fn select(m: __m256i, x: __m256i, y: __m256i) -> __m256i { _mm256_blendv_epi8(y, x, m) }
    fn spread(x: __m256, r: usize) -> __m256 {
        match r {
            0 => _mm256_permute_ps::<0x00>(x),
            1 => _mm256_permute_ps::<0x55>(x),
            2 => _mm256_permute_ps::<0xaa>(x),
            _ => _mm256_permute_ps::<0xff>(x),
        }
    }
}

ops! { ops512, "avx2,fma,avx512f",
    fn zero_f() -> __m512 { _mm512_setzero_ps() }
    fn set_f(x: f32) -> __m512 { _mm512_set1_ps(x) }
    fn set_i(x: i32) -> __m512i { _mm512_set1_epi32(x) }
    fn cast_i(x: __m512) -> __m512i { _mm512_castps_si512(x) }
    fn mul(x: __m512, y: __m512) -> __m512 { _mm512_mul_ps(x, y) }
    fn add(x: __m512i, y: __m512i) -> __m512i { _mm512_add_epi32(x, y) }
    fn sub(x: __m512i, y: __m512i) -> __m512i { _mm512_sub_epi32(x, y) }
    fn max(x: __m512i, y: __m512i) -> __m512i { _mm512_max_epi32(x, y) }
    fn min_unsigned(x: __m512i, y: __m512i) -> __m512i { _mm512_min_epu32(x, y) }
    fn xor(x: __m512i, y: __m512i) -> __m512i { _mm512_xor_si512(x, y) }
    fn and(x: __m512i, y: __m512i) -> __m512i { _mm512_and_si512(x, y) }
    fn or(x: __m512i, y: __m512i) -> __m512i { _mm512_or_si512(x, y) }
    fn left<const N: u32>(x: __m512i) -> __m512i { _mm512_slli_epi32::<N>(x) }
    fn right<const N: u32>(x: __m512i) -> __m512i { _mm512_srli_epi32::<N>(x) }
    fn sign(x: __m512i) -> __m512i { _mm512_srai_epi32::<31>(x) }
    fn shift_left(x: __m512i, n: __m512i) -> __m512i { _mm512_sllv_epi32(x, n) }
    fn shift_right(x: __m512i, n: __m512i) -> __m512i { _mm512_srav_epi32(x, n) }
    fn power(e: __m512i) -> __m512 { _mm512_castsi512_ps(left::<23>(add(e, set_i(127)))) }
    fn truncate(x: __m512) -> __m512i { _mm512_cvttps_epi32(x) }
    fn floor(x: __m512) -> __m512i { _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x) }
    fn to_float(x: __m512i) -> __m512 { _mm512_cvtepi32_ps(x) }
    fn greater(x: __m512i, y: __m512i) -> __mmask16 { _mm512_cmpgt_epi32_mask(x, y) }
    fn not_zero(x: __m512i) -> __mmask16 { _mm512_test_epi32_mask(x, x) }
    fn either(x: __mmask16, y: __mmask16) -> __mmask16 { x | y }
    fn both(x: __mmask16, y: __mmask16) -> __mmask16 { x & y }
    fn any(x: __mmask16) -> bool { x != 0 }
    fn keep(m: __mmask16, x: __m512i) -> __m512i { _mm512_maskz_mov_epi32(m, x) }
    fn select(m: __mmask16, x: __m512i, y: __m512i) -> __m512i { _mm512_mask_blend_epi32(m, y, x) }
    fn spread(x: __m512, r: usize) -> __m512 {
        match r {
            0 => _mm512_permute_ps::<0x00>(x),
            1 => _mm512_permute_ps::<0x55>(x),
            2 => _mm512_permute_ps::<0xaa>(x),
            _ => _mm512_permute_ps::<0xff>(x),
        }
    }
}

/// Loads and stores.
macro_rules! memory {
    ($ops:ident, $mod:ident, $features:literal, $F:ty, $I:ty, $load:ident, $load_i:ident, $store:ident) => {
        mod $mod {
            use super::*;
            #[inline]
            #[target_feature(enable = $features)]
            pub unsafe fn load_f(p: *const f32) -> $F {
                // SAFETY: the caller's pointer covers the vector.
                unsafe { $load(p) }
            }
            #[inline]
            #[target_feature(enable = $features)]
            pub unsafe fn load_i(p: *const i32) -> $I {
                // SAFETY: the caller's pointer covers the vector.
                unsafe { $load_i(p.cast()) }
            }
            #[inline]
            #[target_feature(enable = $features)]
            pub unsafe fn store_f(p: *mut f32, x: $F) {
                // SAFETY: the caller's pointer covers the vector.
                unsafe { $store(p, x) }
            }
        }
    };
}

memory!(
    ops256,
    memory256,
    "avx2,fma",
    __m256,
    __m256i,
    _mm256_loadu_ps,
    _mm256_loadu_si256,
    _mm256_storeu_ps
);
memory!(
    ops512,
    memory512,
    "avx2,fma,avx512f",
    __m512,
    __m512i,
    _mm512_loadu_ps,
    _mm512_loadu_si512,
    _mm512_storeu_ps
);

mod all256 {
    pub use super::memory256::*;
    pub use super::ops256::*;
}
mod all512 {
    pub use super::memory512::*;
    pub use super::ops512::*;
}

width!(avx2, "avx2,fma", 8, __m256, __m256i, all256);
width!(avx512, "avx2,fma,avx512f", 16, __m512, __m512i, all512);
