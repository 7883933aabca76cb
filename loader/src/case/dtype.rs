//! Element types of buffers.

use half::{bf16, f16};
use serde::Deserialize;

/// Declares the element types once: name, size, and conversions from and to f64.
macro_rules! dtypes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $size:literal, $ty:ty, $from:expr, $to:expr, $float:literal;)*) => {
        /// An element's type. 8-bit and smaller floats have several encodings and are given as bytes (`u8`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Dtype {
            $($(#[$doc])* $variant,)*
        }

        impl Dtype {
            /// Its name in a `launch.json`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Dtype::$variant => $name,)* }
            }

            /// Every name, for messages.
            #[must_use]
            pub fn names() -> &'static str {
                concat!($($name, " "),*).trim_end()
            }

            /// Its size in bytes.
            #[must_use]
            pub fn size(self) -> usize {
                match self { $(Dtype::$variant => $size,)* }
            }

            /// Whether it is a floating-point type.
            #[must_use]
            pub fn is_float(self) -> bool {
                match self { $(Dtype::$variant => $float,)* }
            }

            /// The element nearest to `value`, little-endian, at the end of `out`.
            pub fn push(self, value: f64, out: &mut Vec<u8>) {
                match self {
                    $(Dtype::$variant => { let convert: fn(f64) -> $ty = $from; out.extend(convert(value).to_le_bytes()) })*
                }
            }

            /// The element in the first bytes of `bytes`; `None` when there are too few.
            #[must_use]
            pub fn read(self, bytes: &[u8]) -> Option<f64> {
                match self {
                    $(Dtype::$variant => {
                        let convert: fn($ty) -> f64 = $to;
                        Some(convert(<$ty>::from_le_bytes(bytes.get(..$size)?.try_into().ok()?)))
                    })*
                }
            }
        }
    };
}

dtypes! {
    /// IEEE double.
    F64 = "f64", 8, f64, |v| v, |v| v, true;
    /// IEEE single.
    F32 = "f32", 4, f32, |v| v as f32, f64::from, true;
    /// IEEE half.
    F16 = "f16", 2, f16, f16::from_f64, f64::from, true;
    /// The upper half of an f32.
    Bf16 = "bf16", 2, bf16, bf16::from_f64, f64::from, true;
    /// Signed 64 bits; beyond 2⁵³ not exact here.
    I64 = "i64", 8, i64, |v| v as i64, |v| v as f64, false;
    /// Unsigned 64 bits; beyond 2⁵³ not exact here.
    U64 = "u64", 8, u64, |v| v as u64, |v| v as f64, false;
    /// Signed 32 bits.
    I32 = "i32", 4, i32, |v| v as i32, f64::from, false;
    /// Unsigned 32 bits.
    U32 = "u32", 4, u32, |v| v as u32, f64::from, false;
    /// Signed 16 bits.
    I16 = "i16", 2, i16, |v| v as i16, f64::from, false;
    /// Unsigned 16 bits.
    U16 = "u16", 2, u16, |v| v as u16, f64::from, false;
    /// Signed 8 bits.
    I8 = "i8", 1, i8, |v| v as i8, f64::from, false;
    /// Unsigned 8 bits.
    U8 = "u8", 1, u8, |v| v as u8, f64::from, false;
}

impl Dtype {
    /// The least and largest value of an integer type; −1 and 1 of a float.
    pub(super) fn range(self) -> (f64, f64) {
        if self.is_float() {
            return (-1.0, 1.0);
        }
        let bits = 8 * self.size() as i32;
        match self {
            Dtype::I64 | Dtype::I32 | Dtype::I16 | Dtype::I8 => {
                (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1) - 1.0)
            }
            _ => (0.0, 2f64.powi(bits) - 1.0),
        }
    }
}
