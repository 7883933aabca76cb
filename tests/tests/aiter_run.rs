//! AITER's hand-written kernels on the emulator, against references done plainly on the host, each also under the
//! sanitizer.
//!
//! `WAVESMITH_AITER` names the directory with the objects: the wheel's `hsa`, or one above it. Without it these tests
//! pass with `SKIPPED` on standard error. Objects that only AITER's repository has are run when they are there.

mod aiter;
