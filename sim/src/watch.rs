//! Hooks around every step of a wave, for the sanitizer and the debugger. A dispatch without them runs the loop that
//! has none.

use crate::exec::Flow;
use crate::group::Group;
use crate::launch::Setup;
use crate::wave::Wave;

/// What a watcher wants done with the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Run it.
    Run,
    /// Leave it out: it cannot run, and the watcher has said why.
    Skip,
    /// Let another wave go first; the instruction comes again.
    Yield,
}

/// Sees every instruction before and after it runs.
pub trait Watch: Send {
    /// A workgroup has been set up.
    fn start(&mut self, group: &Group<'_>, setup: &Setup);
    /// Instruction `at` of wave `wave` comes next. What is changed here must be put back in [`Watch::after`].
    fn before(&mut self, group: &mut Group<'_>, wave: usize, at: usize) -> Step;
    /// It has run, or was skipped.
    fn after(&mut self, group: &mut Group<'_>, wave: usize, at: usize, flow: Flow);
    /// No wave can go on but some wait at a barrier, which now opens.
    fn barrier(&mut self, _group: &Group<'_>) {}
    /// All waves have ended.
    fn done(&mut self, _group: &Group<'_>) {}
}

/// The watchers of a workgroup.
pub type Watchers = Vec<Box<dyn Watch>>;

/// Runs wave `i` for at most `share` instructions, each with the watchers around it.
pub fn run(group: &mut Group<'_>, i: usize, share: u64) -> Flow {
    let mut watchers = std::mem::take(&mut group.watch);
    let flow = steps(group, &mut watchers, i, share);
    group.watch = watchers;
    flow
}

fn steps(group: &mut Group<'_>, watchers: &mut Watchers, i: usize, share: u64) -> Flow {
    let program = group.env.program;
    for _ in 0..share {
        let at = group.waves[i].pc;
        let Some(op) = program.ops.get(at) else {
            let past = "execution ran past the end of the code".to_owned();
            return group.env.fail(past);
        };
        let mut step = Step::Run;
        for w in watchers.iter_mut() {
            step = step.max(w.before(group, i, at));
            if step == Step::Yield {
                return Flow::Yield;
            }
        }
        let wave: &mut Wave = &mut group.waves[i];
        wave.pc += 1;
        wave.executed += 1;
        let mut flow = Flow::Next;
        if step == Step::Run {
            #[allow(unsafe_code)]
            // SAFETY: predecoding took the handler from `Pair::pick`, which gives only what this host's CPU can run.
            let ran = unsafe { (op.run)(wave, op, &mut group.env) };
            flow = ran;
        }
        for w in watchers.iter_mut() {
            w.after(group, i, at, flow);
        }
        if flow != Flow::Next {
            return flow;
        }
    }
    Flow::Next
}
