//! A line per instruction: where, what, and what it wrote.

use std::fmt::Write;

use super::TraceSink;
use crate::exec::Flow;
use crate::group::Group;
use crate::launch::Setup;
use crate::sanitize::facts::{Facts, SCC};
use crate::sanitize::{register_name, register_rows};
use crate::watch::{Step, Watch};

/// Lanes that a line shows of a vector register.
const SHOWN: usize = 4;

/// Writes every instruction and the registers it has written.
pub(crate) struct Tracer {
    sink: TraceSink,
    base: u32,
}

impl Tracer {
    pub(crate) fn new(sink: TraceSink) -> Tracer {
        Tracer { sink, base: 0 }
    }
}

impl Watch for Tracer {
    fn start(&mut self, group: &Group<'_>, setup: &Setup) {
        let entry = group.env.program.ops.get(setup.entry);
        self.base = entry.map_or(0, |op| op.pc);
    }

    fn before(&mut self, _: &mut Group<'_>, _: usize, _: usize) -> Step {
        Step::Run
    }

    fn after(&mut self, group: &mut Group<'_>, wave: usize, at: usize, _: Flow) {
        let program = group.env.program;
        let op = &program.ops[at];
        let w = &group.waves[wave];
        let [x, y, z] = group.id;
        let mut text = String::new();
        wavesmith_isa::text::print(&op.inst, program.target, &mut text);
        let offset = op.pc.wrapping_sub(self.base);
        let mut line = format!("{x},{y},{z} w{wave} {offset:#06x}  {text:<48}");
        for r in Facts::new(&op.inst).writes {
            for i in register_rows(r) {
                let name = register_name(r.vector, i);
                // Writing to a string cannot fail.
                let _ = match (r.vector, i == usize::from(SCC)) {
                    (false, true) => write!(line, "  scc={}", u8::from(w.scc)),
                    (false, false) => write!(line, "  {name}={:#x}", w.s[i & 127]),
                    (true, _) => write!(line, "  {name}={}", lanes(&w.rows[i])),
                };
            }
        }
        (self.sink)(line.trim_end());
    }
}

/// One value for all lanes, or the first few.
fn lanes(row: &[u32; 64]) -> String {
    if row.iter().all(|v| *v == row[0]) {
        return format!("{:#x}", row[0]);
    }
    let first: Vec<String> = row[..SHOWN].iter().map(|v| format!("{v:#x}")).collect();
    format!("[{} …]", first.join(" "))
}
