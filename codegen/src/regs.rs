//! Registers as types: owned ranges, borrowed parts, and what an operand accepts.

use crate::plan::{File, RegisterPlan};
use std::marker::PhantomData;
use wavesmith_isa::Operand;
use wavesmith_isa::text::Number;

/// An operand as an instruction takes it: the coded operand, and the dword behind it when it is a literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Given {
    /// The operand.
    pub operand: Operand,
    /// Its literal, if [`Operand::LITERAL`].
    pub lit: u32,
    /// A number; which inline constant or literal it becomes is the slot's to say.
    pub number: Option<Number>,
}

impl From<Operand> for Given {
    fn from(operand: Operand) -> Given {
        Given {
            operand,
            lit: 0,
            number: None,
        }
    }
}

macro_rules! register_type {
    ($(#[$m:meta])* $name:ident, $part:ident, $file:expr, $ctor:ident) => {
        $(#[$m])*
        #[derive(Debug)]
        pub struct $name<const N: usize> {
            first: u16,
            plan: Option<RegisterPlan>,
        }
        #[doc = concat!("`N` registers of a [`", stringify!($name), "`], borrowed.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $part<'a, const N: usize> {
            first: u16,
            owner: PhantomData<&'a ()>,
        }
        impl<const N: usize> $name<N> {
            pub(crate) fn owned(first: usize, plan: RegisterPlan) -> Self {
                Self { first: first as u16, plan: Some(plan) }
            }
            /// Stands in after an allocation failed; the builder has recorded the error and `finish` returns it.
            pub(crate) fn placeholder() -> Self {
                Self { first: 0, plan: None }
            }
            /// Index of the first register.
            pub fn index(&self) -> u32 {
                u32::from(self.first)
            }
            /// The `i`-th run of `M` registers.
            ///
            /// # Panics
            /// When that run is not inside the range: a mistake in the kernel's source.
            pub fn part<const M: usize>(&self, i: usize) -> $part<'_, M> {
                self.slice::<M>(i * M)
            }
            /// `M` registers from the `offset`-th on.
            ///
            /// # Panics
            /// When they are not inside the range.
            pub fn slice<const M: usize>(&self, offset: usize) -> $part<'_, M> {
                assert!(offset + M <= N, "registers {}..{} of a range of {N}", offset, offset + M);
                $part { first: self.first + offset as u16, owner: PhantomData }
            }
            /// The `i`-th register alone.
            ///
            /// # Panics
            /// When `i >= N`.
            pub fn reg(&self, i: usize) -> $part<'_, 1> {
                self.part::<1>(i)
            }
            /// The whole range, borrowed.
            pub fn whole(&self) -> $part<'_, N> {
                $part { first: self.first, owner: PhantomData }
            }
        }
        impl<const N: usize> Drop for $name<N> {
            fn drop(&mut self) {
                if let Some(plan) = &self.plan {
                    plan.release($file, usize::from(self.first), N);
                }
            }
        }
        impl<'a, const N: usize> $part<'a, N> {
            /// Index of the first register.
            pub fn index(&self) -> u32 {
                u32::from(self.first)
            }
            /// The `i`-th run of `M` registers.
            ///
            /// # Panics
            /// When that run is not inside the range.
            pub fn part<const M: usize>(&self, i: usize) -> $part<'a, M> {
                assert!((i + 1) * M <= N, "run {i} of {M} registers in a range of {N}");
                $part { first: self.first + (i * M) as u16, owner: PhantomData }
            }
            /// The `i`-th register alone.
            ///
            /// # Panics
            /// When `i >= N`.
            pub fn reg(&self, i: usize) -> $part<'a, 1> {
                self.part::<1>(i)
            }
        }
        impl<const N: usize> Reg for &$name<N> {
            fn given(&self) -> Given {
                Operand::$ctor(self.index(), N as u32).into()
            }
        }
        impl<const N: usize> Reg for $part<'_, N> {
            fn given(&self) -> Given {
                Operand::$ctor(self.index(), N as u32).into()
            }
        }
    };
}

/// What every operand type can do: say which operand it is.
pub trait Reg {
    /// The operand.
    fn given(&self) -> Given;
}

register_type!(
    /// `N` scalar registers, owned.
    Sgpr, SPart, File::Sgpr, s
);
register_type!(
    /// `N` vector registers, owned.
    Vgpr, VPart, File::Vgpr, v
);
register_type!(
    /// `N` accumulation registers, owned.
    Agpr, APart, File::Agpr, a
);

macro_rules! special {
    ($($(#[$m:meta])* $name:ident = $operand:expr;)*) => { $(
        $(#[$m])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl Reg for $name {
            fn given(&self) -> Given { $operand.into() }
        }
    )* };
}

special! {
    /// `vcc`, both halves.
    VCC = Operand::VCC;
    /// `exec`, both halves.
    EXEC = Operand::EXEC;
    /// `m0`.
    M0 = Operand::M0;
    /// `src_scc`.
    SCC = Operand::SCC;
    /// `off`: no address register.
    Off = Operand::OFF;
}

impl From<Number> for Given {
    fn from(n: Number) -> Given {
        Given {
            operand: Operand::NONE,
            lit: 0,
            number: Some(n),
        }
    }
}
impl Reg for i32 {
    fn given(&self) -> Given {
        Number::Int(i64::from(*self)).into()
    }
}
impl Reg for u32 {
    fn given(&self) -> Given {
        Number::Int(i64::from(*self)).into()
    }
}
impl Reg for f32 {
    fn given(&self) -> Given {
        Number::Float(f64::from(*self)).into()
    }
}

macro_rules! operand_trait {
    ($(#[$m:meta])* $name:ident, $what:literal, [$($ty:ty),*] $(, one: [$($one:ty),*])? $(, two: [$($two:ty),*])?) => {
        $(#[$m])*
        #[diagnostic::on_unimplemented(
            message = $what,
            label = "wrong operand here",
            note = "registers are passed by shared reference; check the tuple's width and its register file"
        )]
        pub trait $name<const N: usize>: Reg {}
        $(impl<const N: usize> $name<N> for $ty {})*
        $($(impl $name<1> for $one {})*)?
        $($(impl $name<2> for $two {})*)?
    };
}

operand_trait!(
    /// A VGPR tuple.
    VReg, "`{Self}` is not a tuple of {N} VGPRs", [&Vgpr<N>, VPart<'_, N>]
);
operand_trait!(
    /// An AccVGPR tuple.
    AReg, "`{Self}` is not a tuple of {N} AccVGPRs", [&Agpr<N>, APart<'_, N>]
);
operand_trait!(
    /// A VGPR or AccVGPR tuple.
    VOrA, "`{Self}` is not a tuple of {N} VGPRs or AccVGPRs", [&Vgpr<N>, VPart<'_, N>, &Agpr<N>, APart<'_, N>]
);
operand_trait!(
    /// A matrix accumulator input: VGPRs, AccVGPRs, or an inline constant.
    MatC, "`{Self}` is not a tuple of {N} VGPRs or AccVGPRs, nor a constant",
    [&Vgpr<N>, VPart<'_, N>, &Agpr<N>, APart<'_, N>, i32, f32]
);
operand_trait!(
    /// A scalar register that can be written or that holds an address.
    SReg, "`{Self}` is not a tuple of {N} SGPRs", [&Sgpr<N>, SPart<'_, N>], one: [M0], two: [VCC, EXEC]
);
operand_trait!(
    /// A scalar source: SGPRs, special registers, constants.
    SSrc, "`{Self}` is not a scalar source of {N} dwords", [&Sgpr<N>, SPart<'_, N>, i32, u32, f32], one: [M0, SCC], two: [VCC, EXEC]
);
operand_trait!(
    /// A vector source: VGPRs, SGPRs, special registers, constants.
    Src, "`{Self}` is not a vector source of {N} dwords", [&Vgpr<N>, VPart<'_, N>, &Sgpr<N>, SPart<'_, N>, i32, u32, f32], one: [M0, SCC], two: [VCC, EXEC]
);

/// A buffer address: `Off`, one VGPR (`offen` or `idxen`), or two (both).
#[diagnostic::on_unimplemented(message = "`{Self}` is not a buffer address: Off, one VGPR or two")]
pub trait BufferAddr: Reg {}
impl BufferAddr for Off {}
impl BufferAddr for &Vgpr<1> {}
impl BufferAddr for &Vgpr<2> {}
impl BufferAddr for VPart<'_, 1> {}
impl BufferAddr for VPart<'_, 2> {}

/// A vector address: a 64-bit pair, or a 32-bit offset beside a scalar base, or `Off` (scratch).
#[diagnostic::on_unimplemented(message = "`{Self}` is not a vector address: one VGPR or a pair")]
pub trait VAddr: Reg {}
impl VAddr for Off {}
impl VAddr for &Vgpr<1> {}
impl VAddr for &Vgpr<2> {}
impl VAddr for VPart<'_, 1> {}
impl VAddr for VPart<'_, 2> {}

/// A scalar base: an SGPR pair (one SGPR for scratch), or `Off`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a scalar base: SGPRs or Off")]
pub trait SAddr: Reg {}
impl SAddr for Off {}
impl SAddr for &Sgpr<1> {}
impl SAddr for &Sgpr<2> {}
impl SAddr for SPart<'_, 1> {}
impl SAddr for SPart<'_, 2> {}

/// An A or B tuple of an f8f6f4 matrix instruction: 8, 6 or 4 dwords by its format.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a tuple of 8, 6 or 4 VGPRs or AccVGPRs")]
pub trait MatF: Reg {}
macro_rules! matf { ($($n:literal)*) => { $(
    impl MatF for &Vgpr<$n> {}
    impl MatF for VPart<'_, $n> {}
    impl MatF for &Agpr<$n> {}
    impl MatF for APart<'_, $n> {}
)* } }
matf!(4 6 8);

/// The offset of a scalar memory access: a byte count, or an SGPR.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar memory offset: a byte count (i32) or one SGPR"
)]
pub trait SmemOffset {
    /// The operand; an immediate carries its value in `lit`.
    fn smem(&self) -> Given;
}
impl SmemOffset for i32 {
    fn smem(&self) -> Given {
        Given {
            operand: Operand::IMM,
            lit: *self as u32,
            number: None,
        }
    }
}
impl SmemOffset for &Sgpr<1> {
    fn smem(&self) -> Given {
        self.given()
    }
}
impl SmemOffset for SPart<'_, 1> {
    fn smem(&self) -> Given {
        self.given()
    }
}
impl SmemOffset for M0 {
    fn smem(&self) -> Given {
        self.given()
    }
}
