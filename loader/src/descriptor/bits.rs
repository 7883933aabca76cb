//! Typed bit fields: one declaration gives the getter, the setter and the row of the layout table.

/// One field of a packed word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name, lower case as in LLVM's guide.
    pub name: &'static str,
    /// Its lowest bit.
    pub lo: u32,
    /// Its width in bits.
    pub width: u32,
}

/// Declares a packed word.
///
/// `name, with_name: lo, width;` is a number and `name, with_name: bit;` a flag. Setters take the low bits of what they
/// are given; in debug builds a value too wide for its field stops the program, since no caller means it.
macro_rules! packed {
    ($(#[$doc:meta])* $name:ident: $int:ty { $($body:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name($int);

        impl $name {
            /// The word from its bits.
            #[must_use]
            pub const fn from_bits(bits: $int) -> Self {
                Self(bits)
            }

            /// The word's bits.
            #[must_use]
            pub const fn bits(self) -> $int {
                self.0
            }

            /// The bits that belong to no field.
            #[must_use]
            pub fn reserved(self) -> $int {
                let mut used: $int = 0;
                for field in Self::FIELDS {
                    used |= ((((1u64 << field.width) - 1) << field.lo) as $int);
                }
                self.0 & !used
            }

            /// Each field's name and value, from the lowest bit up.
            pub fn fields(self) -> impl Iterator<Item = (&'static str, u32)> {
                Self::FIELDS.iter().map(move |f| {
                    (f.name, ((u64::from(self.0) >> f.lo) & ((1u64 << f.width) - 1)) as u32)
                })
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut s = f.debug_struct(stringify!($name));
                for (name, value) in self.fields().filter(|(_, value)| *value != 0) {
                    s.field(name, &value);
                }
                if self.reserved() != 0 {
                    s.field("reserved", &format_args!("{:#x}", self.reserved()));
                }
                s.finish()
            }
        }

        $crate::descriptor::bits::packed_fields!($name, $int, [] $($body)*);
    };
}

/// The recursive part of [`packed`]: takes one field at a time and collects the table.
macro_rules! packed_fields {
    ($name:ident, $int:ty, [$($table:tt)*]) => {
        impl $name {
            /// The word's layout, from the lowest bit up.
            pub const FIELDS: &'static [$crate::descriptor::bits::Field] = &[$($table)*];
        }
    };
    ($name:ident, $int:ty, [$($table:tt)*]
        $(#[$doc:meta])* $get:ident, $set:ident: $lo:literal, $width:literal; $($rest:tt)*) => {
        impl $name {
            $(#[$doc])*
            #[must_use]
            pub const fn $get(self) -> u32 {
                ((self.0 >> $lo) & ((1 << $width) - 1)) as u32
            }

            #[doc = concat!("Sets `", stringify!($get), "`, ", stringify!($width), " bits wide.")]
            #[must_use]
            pub const fn $set(self, value: u32) -> Self {
                debug_assert!(value < 1 << $width, "value does not fit its field");
                let mask: $int = ((1 << $width) - 1) << $lo;
                Self((self.0 & !mask) | (((value as $int) << $lo) & mask))
            }
        }
        $crate::descriptor::bits::packed_fields!($name, $int, [$($table)*
            $crate::descriptor::bits::Field { name: stringify!($get), lo: $lo, width: $width },] $($rest)*);
    };
    ($name:ident, $int:ty, [$($table:tt)*]
        $(#[$doc:meta])* $get:ident, $set:ident: $bit:literal; $($rest:tt)*) => {
        impl $name {
            $(#[$doc])*
            #[must_use]
            pub const fn $get(self) -> bool {
                (self.0 >> $bit) & 1 == 1
            }

            #[doc = concat!("Sets `", stringify!($get), "`.")]
            #[must_use]
            pub const fn $set(self, value: bool) -> Self {
                Self((self.0 & !(1 << $bit)) | ((value as $int) << $bit))
            }
        }
        $crate::descriptor::bits::packed_fields!($name, $int, [$($table)*
            $crate::descriptor::bits::Field { name: stringify!($get), lo: $bit, width: 1 },] $($rest)*);
    };
}

pub(crate) use {packed, packed_fields};
