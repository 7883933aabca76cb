//! Dispatches of others' kernels with inputs made here and results computed here.
//!
//! | module | what |
//! |---|---|
//! | [`problem`] | arguments, buffers and outputs of one dispatch, as a loader's `Case`; what judges its report |
//! | [`ops`] | GEMM, attention, softmax, layer normalisation, vector addition |

pub mod ops;
pub mod problem;
