//! The host's vector instructions: the one place of this module with `unsafe` code.
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
    run(call, rows);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn wide(call: &Call, rows: &mut [Row]) {
    run(call, rows);
}
