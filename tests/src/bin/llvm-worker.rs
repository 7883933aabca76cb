//! LLVM in a process of its own, for `wavesmith_tests::oracle`: `llvm-worker LIBRARY`, requests on standard input.

fn main() {
    let Some(library) = std::env::args_os().nth(1) else {
        eprintln!("usage: llvm-worker LIBRARY");
        std::process::exit(2);
    };
    if let Err(e) = wavesmith_tests::oracle::worker::serve(library.as_ref()) {
        eprintln!("llvm-worker: {e}");
        std::process::exit(3);
    }
}
