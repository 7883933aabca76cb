//! Something that moves on runs that take over a second.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on stderr that counts workgroups. It shows nothing for the first second, nothing when stderr is no terminal, and
/// removes itself when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Starts one; with `silent` it never shows.
    pub fn start(what: String, silent: bool) -> Progress {
        let bar =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(what);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} workgroups {elapsed}")
        {
            bar.set_style(style);
        }
        if !silent {
            let shown = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(1));
                if !shown.is_finished() {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(Duration::from_millis(200));
                }
            });
        }
        Progress(bar)
    }

    /// What the emulator tells about finished workgroups.
    pub fn listener(&self) -> wavesmith_sim::Progress {
        let bar = self.0.clone();
        Arc::new(move |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
