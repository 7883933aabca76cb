//! The stepper: commands from stdin, what they show to stdout.

use std::io::{BufRead, Write};

use wavesmith_isa::operand::code;
use wavesmith_sim::debug::{Action, Debugger, View, WaveState};

/// Instructions that a listing shows before and after the next one.
const AROUND: (usize, usize) = (4, 6);
/// Dwords of LDS on a line.
const LDS_LINE: usize = 8;

const HELP: &str = "\
step [N], s       run N instructions of this wave
next, n           run to the instruction behind this one (over calls and backward branches)
continue, c       run to a breakpoint, or to the end
break PLACE, b    stop at an offset (0x40, 64) or label (L_0040), in any wave
delete PLACE      no longer stop there
print WHAT, p     s4 s[4:7] v3 v3[17] a0 exec vcc scc m0 mode pc counters
lds ADDRESS [N]   N dwords of LDS
regs              SGPRs that are not zero, EXEC, VCC, SCC, M0
list, l           the code around the next instruction
waves             the waves of the workgroup
wave N, w         go on with wave N
quit, q";

/// How far the wave in hand runs before it stops again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// This many instructions more.
    Steps(u64),
    /// This offset.
    Offset(i64),
    /// A breakpoint.
    Break,
}

/// A [`Debugger`] that asks.
pub struct Stepper {
    until: Until,
    breaks: Vec<i64>,
    /// Places named before there is code to look them up in.
    wanted: Vec<String>,
    /// Workgroup and wave in hand.
    focus: Option<([u32; 3], usize)>,
    prompt: bool,
}

impl Stepper {
    /// Stops at the first instruction, or first at one of `breaks` when there are some and `at_once` is not set.
    pub fn new(breaks: Vec<String>, at_once: bool) -> Stepper {
        use std::io::IsTerminal;
        Stepper {
            until: if at_once {
                Until::Steps(0)
            } else {
                Until::Break
            },
            breaks: Vec::new(),
            wanted: breaks,
            focus: None,
            prompt: std::io::stdin().is_terminal(),
        }
    }

    fn stops(&mut self, view: &View<'_>) -> bool {
        match &mut self.until {
            Until::Steps(0) => true,
            Until::Steps(n) => {
                *n -= 1;
                false
            }
            Until::Offset(to) if *to == view.pc() => true,
            _ => self.breaks.contains(&view.pc()),
        }
    }

    /// Reads commands until one lets the wave go on.
    fn ask(&mut self, view: &View<'_>, out: &mut impl Write) -> std::io::Result<Action> {
        let [x, y, z] = view.workgroup();
        writeln!(out, "workgroup {x},{y},{z} wave {}", view.wave())?;
        list(view, 0, 0, out)?;
        let stdin = std::io::stdin();
        loop {
            if self.prompt {
                write!(out, "(wavesmith) ")?;
            }
            out.flush()?;
            let mut line = String::new();
            if stdin.lock().read_line(&mut line)? == 0 {
                // Nobody is there to ask: run on.
                self.breaks.clear();
                self.until = Until::Break;
                return Ok(Action::Run);
            }
            if let Some(action) = self.command(line.trim(), view, out)? {
                return Ok(action);
            }
        }
    }

    fn command(
        &mut self,
        line: &str,
        view: &View<'_>,
        out: &mut impl Write,
    ) -> std::io::Result<Option<Action>> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" if !self.prompt => {}
            "" | "s" | "step" => {
                let n: u64 = rest.parse().unwrap_or(1);
                self.until = Until::Steps(n.max(1) - 1);
                return Ok(Some(Action::Run));
            }
            "n" | "next" => {
                self.until = Until::Offset(view.pc() + view.size());
                return Ok(Some(Action::Run));
            }
            "c" | "continue" => {
                self.until = Until::Break;
                return Ok(Some(Action::Run));
            }
            "b" | "break" => match view.place(rest) {
                Some(at) => {
                    self.breaks.push(at);
                    writeln!(out, "stops at {at:#06x}")?;
                }
                None => writeln!(out, "no instruction begins at {rest}")?,
            },
            "delete" => match view.place(rest) {
                Some(at) => self.breaks.retain(|b| *b != at),
                None => writeln!(out, "no instruction begins at {rest}")?,
            },
            "p" | "print" => print(rest, view, out)?,
            "lds" => lds(rest, view, out)?,
            "regs" => regs(view, out)?,
            "l" | "list" => list(view, AROUND.0, AROUND.1, out)?,
            "waves" => waves(view, out)?,
            "w" | "wave" => match rest
                .parse::<usize>()
                .ok()
                .filter(|n| *n < view.waves().len())
            {
                Some(n) if view.waves()[n] == WaveState::Ready => {
                    self.focus = Some((view.workgroup(), n));
                    self.until = Until::Steps(0);
                    return Ok(Some(if n == view.wave() {
                        Action::Run
                    } else {
                        Action::Yield
                    }));
                }
                Some(n) => {
                    if let Some(other) = view.of_wave(n) {
                        let state = state(view.waves()[n]);
                        writeln!(out, "wave {n} cannot go on ({state})")?;
                        list(&other, 1, 0, out)?;
                        regs(&other, out)?;
                    }
                }
                None => writeln!(out, "waves 0 to {}", view.waves().len() - 1)?,
            },
            "q" | "quit" => {
                out.flush()?;
                // Nothing is held that must be put back: the dispatch ends with the process.
                std::process::exit(0);
            }
            "h" | "help" => writeln!(out, "{HELP}")?,
            _ => writeln!(out, "no command {word}; help lists them")?,
        }
        Ok(None)
    }
}

impl Debugger for Stepper {
    fn before(&mut self, view: &View<'_>) -> Action {
        for name in std::mem::take(&mut self.wanted) {
            match view.place(&name) {
                Some(at) => self.breaks.push(at),
                None => eprintln!("no instruction begins at {name}"),
            }
        }
        let here = (view.workgroup(), view.wave());
        if self.until != Until::Break
            && let Some(focus) = self.focus.filter(|f| *f != here)
        {
            // Others wait while the wave in hand can go on; a breakpoint of theirs does not take over.
            let ready = focus.0 != here.0 || view.waves()[focus.1] == WaveState::Ready;
            if ready && focus.0 == here.0 {
                return Action::Yield;
            }
            if focus.0 == here.0 && view.waves()[focus.1] == WaveState::Barrier {
                return Action::Run;
            }
        }
        if !self.stops(view) {
            return Action::Run;
        }
        self.focus = Some(here);
        let mut out = std::io::stdout().lock();
        // A reader that has gone away asks nothing more.
        self.ask(view, &mut out).unwrap_or(Action::Run)
    }
}

fn list(view: &View<'_>, before: usize, after: usize, out: &mut impl Write) -> std::io::Result<()> {
    for line in view.listing(before, after) {
        if let Some(label) = &line.label {
            writeln!(out, "{label}:")?;
        }
        let mark = if line.current { "=>" } else { "  " };
        writeln!(out, "{mark} {:#06x}  {}", line.offset, line.text)?;
    }
    Ok(())
}

fn state(s: WaveState) -> &'static str {
    match s {
        WaveState::Ready => "ready",
        WaveState::Barrier => "at a barrier",
        WaveState::Ended => "ended",
    }
}

fn waves(view: &View<'_>, out: &mut impl Write) -> std::io::Result<()> {
    for (i, s) in view.waves().into_iter().enumerate() {
        let mark = if i == view.wave() { "=>" } else { "  " };
        let pc = view.of_wave(i).map_or(0, |v| v.pc());
        writeln!(out, "{mark} wave {i}  {pc:#06x}  {}", state(s))?;
    }
    Ok(())
}

fn regs(view: &View<'_>, out: &mut impl Write) -> std::io::Result<()> {
    let set: Vec<String> = (0..=usize::from(code::SGPR_LAST))
        .filter_map(|i| Some((i, view.scalar(i).filter(|v| *v != 0)?)))
        .map(|(i, v)| format!("s{i}={v:#x}"))
        .collect();
    writeln!(out, "{}", set.join(" "))?;
    writeln!(
        out,
        "exec={:#018x} vcc={:#018x} scc={} m0={:#x}",
        view.exec(),
        view.vcc(),
        u8::from(view.scc()),
        view.m0()
    )
}

fn lds(rest: &str, view: &View<'_>, out: &mut impl Write) -> std::io::Result<()> {
    let mut parts = rest.split_whitespace().map(number);
    let from = parts.next().flatten().unwrap_or(0) / 4;
    let n = parts.next().flatten().unwrap_or(LDS_LINE);
    let all = view.lds();
    let end = from.saturating_add(n).min(all.len());
    for at in (from..end).step_by(LDS_LINE) {
        write!(out, "{:#06x} ", 4 * at)?;
        for v in &all[at..end.min(at + LDS_LINE)] {
            write!(out, " {v:08x}")?;
        }
        writeln!(out)?;
    }
    if from >= end {
        writeln!(out, "the workgroup has {} bytes of LDS", 4 * all.len())?;
    }
    Ok(())
}

fn number(text: &str) -> Option<usize> {
    match text.strip_prefix("0x") {
        Some(hex) => usize::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// `v3`, `v3[17]`, `s[4:7]`: the letter, the first and last register, the lane.
fn register(text: &str) -> Option<(char, usize, usize, Option<usize>)> {
    let letter = text.chars().next().filter(|c| "sva".contains(*c))?;
    let rest = &text[1..];
    if let Some(range) = rest.strip_prefix('[') {
        let (from, to) = range.strip_suffix(']')?.split_once(':')?;
        return Some((letter, from.parse().ok()?, to.parse().ok()?, None));
    }
    let (index, lane) = match rest.split_once('[') {
        Some((index, lane)) => (index, Some(lane.strip_suffix(']')?.parse().ok()?)),
        None => (rest, None),
    };
    let index = index.parse().ok()?;
    Some((letter, index, index, lane))
}

fn print(what: &str, view: &View<'_>, out: &mut impl Write) -> std::io::Result<()> {
    match what {
        "exec" => return writeln!(out, "exec = {:#018x}", view.exec()),
        "vcc" => return writeln!(out, "vcc = {:#018x}", view.vcc()),
        "scc" => return writeln!(out, "scc = {}", u8::from(view.scc())),
        "m0" => return writeln!(out, "m0 = {:#x}", view.m0()),
        "mode" => return writeln!(out, "mode = {:#x}", view.mode()),
        "pc" => return writeln!(out, "pc = {:#06x}", view.pc()),
        "counters" => {
            let (vm, lgkm) = view.counters();
            writeln!(out, "vmcnt <= {vm}, lgkmcnt <= {lgkm}")?;
            for (at, text, wait) in view.outstanding() {
                writeln!(out, "  {at:#06x}  {text}  ({wait})")?;
            }
            return Ok(());
        }
        _ => {}
    }
    let Some((letter, first, last, lane)) = register(what) else {
        return writeln!(out, "print what? help lists it");
    };
    for i in first..=last.min(first + 511) {
        if letter == 's' {
            match view.scalar(i).filter(|_| i <= usize::from(code::SGPR_LAST)) {
                Some(v) => writeln!(out, "s{i} = {v:#x}")?,
                None => return writeln!(out, "no register s{i}"),
            }
            continue;
        }
        let row = if letter == 'v' {
            view.vgpr(i)
        } else {
            view.agpr(i)
        };
        let Some(row) = row else {
            return writeln!(out, "no register {letter}{i}");
        };
        match lane {
            Some(l) if l < 64 => writeln!(out, "{letter}{i}[{l}] = {:#x}", row[l])?,
            Some(_) => return writeln!(out, "lanes 0 to 63"),
            None if row.iter().all(|v| *v == row[0]) => {
                writeln!(out, "{letter}{i} = {:#x} in all lanes", row[0])?;
            }
            None => {
                writeln!(out, "{letter}{i} =")?;
                for (n, lanes) in row.chunks(8).enumerate() {
                    let text: Vec<String> = lanes.iter().map(|v| format!("{v:08x}")).collect();
                    writeln!(out, "  {:2}  {}", 8 * n, text.join(" "))?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers() {
        assert_eq!(register("v3"), Some(('v', 3, 3, None)));
        assert_eq!(register("a12[63]"), Some(('a', 12, 12, Some(63))));
        assert_eq!(register("s[4:7]"), Some(('s', 4, 7, None)));
        assert_eq!(register("x1"), None);
        assert_eq!(register("v"), None);
    }
}
