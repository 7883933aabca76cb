//! A code object's text as a graph of basic blocks.
//!
//! Branch targets are exact. `s_setpc_b64` is followed where the address comes from `s_getpc_b64` and constants right
//! before it; otherwise it leaves the program (a return). `s_swappc_b64` and `s_call_b64` come back to the next
//! instruction with nothing in flight, which is LLVM's calling convention.

mod program;

pub use program::{Declared, Entry, Line, Program};

use wavesmith_isa::{Inst, Mnemonic as M};

/// How control leaves a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// To the successors.
    Falls,
    /// `s_endpgm`.
    Ends,
    /// To an address that is not known: a return or a computed jump.
    Leaves,
    /// To a function, and from there to the successor.
    Calls,
    /// To an address outside the text, or into the middle of an instruction.
    OutOfText,
}

/// A basic block: instructions `start..end` of the program.
#[derive(Clone, Debug)]
pub struct Block {
    /// First instruction.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Where control goes.
    pub successors: Vec<u32>,
    /// Where it comes from.
    pub predecessors: Vec<u32>,
    /// How it leaves.
    pub exit: End,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Blocks in the order of their addresses.
    pub blocks: Vec<Block>,
    /// The block of each instruction.
    pub block_of: Vec<u32>,
    /// Blocks at which a kernel or function starts.
    pub roots: Vec<u32>,
    /// Blocks in reverse post-order from the roots; those that nothing reaches are left out.
    pub order: Vec<u32>,
}

/// Where an instruction passes control to.
enum Jump {
    No,
    /// Taken or not.
    Maybe(Option<usize>),
    Always(Option<usize>),
    End,
    Leave,
    Call,
}

impl Flow {
    /// The graph of a program. Time and memory are linear in its length.
    pub fn new(program: &Program) -> Flow {
        let n = program.lines.len();
        let mut leader = vec![false; n + 1];
        leader[0] = true;
        let mut jumps = Vec::new();
        for e in &program.entries {
            if let Some(l) = leader.get_mut(e.at) {
                *l = true;
            }
        }
        for i in 0..n {
            let jump = jump(program, i);
            match &jump {
                Jump::No => continue,
                Jump::Maybe(Some(t)) | Jump::Always(Some(t)) => leader[*t] = true,
                _ => {}
            }
            leader[i + 1] = true;
            jumps.push((i, jump));
        }
        let mut blocks: Vec<Block> = Vec::new();
        let mut block_of = vec![0; n];
        for i in 0..n {
            if leader[i] {
                blocks.push(Block {
                    start: i as u32,
                    end: i as u32,
                    successors: Vec::new(),
                    predecessors: Vec::new(),
                    exit: End::Falls,
                });
            }
            let at = blocks.len() - 1;
            blocks[at].end = i as u32 + 1;
            block_of[i] = at as u32;
        }
        let mut jumps = jumps.into_iter().peekable();
        for b in 0..blocks.len() {
            let last = blocks[b].end as usize - 1;
            while jumps.next_if(|(i, _)| *i < last).is_some() {}
            let jump = jumps.next_if(|(i, _)| *i == last).map_or(Jump::No, |j| j.1);
            let next = (last + 1 < n).then_some(last + 1);
            let (to, falls, exit) = match jump {
                Jump::No => (None, true, End::Falls),
                Jump::Maybe(t) => (
                    t,
                    true,
                    if t.is_some() {
                        End::Falls
                    } else {
                        End::OutOfText
                    },
                ),
                Jump::Always(t) => (
                    t,
                    false,
                    if t.is_some() {
                        End::Falls
                    } else {
                        End::OutOfText
                    },
                ),
                Jump::End => (None, false, End::Ends),
                Jump::Leave => (None, false, End::Leaves),
                Jump::Call => (None, true, End::Calls),
            };
            blocks[b].exit = if falls && next.is_none() {
                End::OutOfText
            } else {
                exit
            };
            for s in to.into_iter().chain(next.filter(|_| falls)) {
                let s = block_of[s];
                if !blocks[b].successors.contains(&s) {
                    blocks[b].successors.push(s);
                    blocks[s as usize].predecessors.push(b as u32);
                }
            }
        }
        let mut roots: Vec<u32> = program
            .entries
            .iter()
            .filter_map(|e| block_of.get(e.at).copied())
            .collect();
        roots.sort_unstable();
        roots.dedup();
        let order = reverse_post_order(&blocks, &roots);
        Flow {
            blocks,
            block_of,
            roots,
            order,
        }
    }

    /// Whether a block is reached from a root.
    pub fn reached(&self) -> Vec<bool> {
        let mut r = vec![false; self.blocks.len()];
        for b in &self.order {
            r[*b as usize] = true;
        }
        r
    }

    /// The fewest blocks from `from` to `to`, both included; for showing.
    pub fn path(&self, from: u32, to: u32) -> Vec<u32> {
        let mut before = vec![u32::MAX; self.blocks.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(b) = queue.pop_front() {
            for s in &self.blocks[b as usize].successors {
                if before[*s as usize] == u32::MAX {
                    before[*s as usize] = b;
                    if *s == to {
                        let mut path = vec![to];
                        let mut at = to;
                        loop {
                            at = before[at as usize];
                            path.push(at);
                            if at == from || path.len() > self.blocks.len() {
                                path.reverse();
                                return path;
                            }
                        }
                    }
                    queue.push_back(*s);
                }
            }
        }
        Vec::new()
    }
}

fn reverse_post_order(blocks: &[Block], roots: &[u32]) -> Vec<u32> {
    let mut seen = vec![false; blocks.len()];
    let mut out = Vec::with_capacity(blocks.len());
    for root in roots {
        if std::mem::replace(&mut seen[*root as usize], true) {
            continue;
        }
        let mut stack = vec![(*root, 0)];
        while let Some((b, next)) = stack.last_mut() {
            match blocks[*b as usize].successors.get(*next) {
                Some(s) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*s as usize], true) {
                        stack.push((*s, 0));
                    }
                }
                None => {
                    out.push(*b);
                    stack.pop();
                }
            }
        }
    }
    out.reverse();
    out
}

fn jump(program: &Program, i: usize) -> Jump {
    let Some(inst) = &program.lines[i].inst else {
        return Jump::No;
    };
    let to = || program.index_of(program.lines[i].end() as i64 + 4 * i64::from(inst.imm));
    match inst.op.info().mnemonic {
        M::S_BRANCH => Jump::Always(to()),
        M::S_CBRANCH_SCC0
        | M::S_CBRANCH_SCC1
        | M::S_CBRANCH_VCCZ
        | M::S_CBRANCH_VCCNZ
        | M::S_CBRANCH_EXECZ
        | M::S_CBRANCH_EXECNZ
        | M::S_CBRANCH_CDBGSYS
        | M::S_CBRANCH_CDBGUSER
        | M::S_CBRANCH_CDBGSYS_OR_USER
        | M::S_CBRANCH_CDBGSYS_AND_USER => Jump::Maybe(to()),
        M::S_ENDPGM | M::S_ENDPGM_SAVED | M::S_ENDPGM_ORDERED_PS_DONE => Jump::End,
        M::S_SETPC_B64 => match computed(program, i, inst) {
            Some(address) => Jump::Always(program.index_of(address)),
            None => Jump::Leave,
        },
        M::S_SWAPPC_B64 | M::S_CALL_B64 => Jump::Call,
        M::S_CBRANCH_JOIN | M::S_CBRANCH_G_FORK | M::S_CBRANCH_I_FORK | M::S_RFE_B64 => Jump::Leave,
        _ => Jump::No,
    }
}

/// The address in the pair that `s_setpc_b64` takes, where the instructions before it make it of `s_getpc_b64` and
/// literals: the far jumps of LLVM and of hand-written code.
fn computed(program: &Program, at: usize, inst: &Inst) -> Option<i64> {
    let pair = inst.ops[0].index();
    let mut add: i64 = 0;
    for line in program.lines[..at].iter().rev().take(8) {
        let i = line.inst.as_ref()?;
        let m = i.op.info().mnemonic;
        let writes = |r: u32| {
            i.ops[0].is_sgpr()
                && (i.ops[0].index()..i.ops[0].index() + i.ops[0].dwords()).contains(&r)
        };
        match m {
            M::S_GETPC_B64 if writes(pair) => return Some(line.end() as i64 + add),
            M::S_ADD_U32 if writes(pair) => {
                let source = &i.ops[1..3];
                let literal = source.iter().find_map(|o| match o.kind() {
                    wavesmith_isa::operand::OperandKind::Literal => Some(i64::from(i.lit as i32)),
                    wavesmith_isa::operand::OperandKind::Int(n) => Some(i64::from(n)),
                    _ => None,
                })?;
                add += literal;
            }
            M::S_SUB_U32 if writes(pair) => {
                add -= i64::from(if i.ops[2].is_literal() {
                    i.lit as i32
                } else {
                    return None;
                });
            }
            // The high half follows: carries of a distance within the text, which sign-extends.
            M::S_ADDC_U32 | M::S_SUBB_U32 if writes(pair + 1) => {}
            _ if writes(pair) || writes(pair + 1) => return None,
            _ => {}
        }
    }
    None
}
