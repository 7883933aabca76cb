//! Something that moves on runs that take over a second.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A spinner with the time that has gone by on stderr. It shows nothing for the first second, nothing when stderr is no
/// terminal, and removes itself when dropped.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts one; with `silent` it never shows.
    pub fn start(what: &str, silent: bool) -> Progress {
        if silent {
            return Progress(None);
        }
        let bar = ProgressBar::new_spinner().with_message(what.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        let handle = bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(1));
            if !handle.is_finished() {
                handle.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Progress(Some(bar))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
