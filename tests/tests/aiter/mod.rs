//! One file a family, which opens with the launch facts it uses.
//!
//! All kernels have arguments in slots of 16 bytes, 1024 in all to be safe, and one kernel an object.

mod bf16gemm;
mod f4gemm;
mod fmha_fwd;
mod i8gemm;
mod layer_norm;
mod random;
mod run;
mod topksoftmax;
