//! [`KernelBuilder`]: arguments, LDS, labels, waits; typed instructions come from `generated`.

use crate::flow::Program;
use crate::kernel::{Arg, ArgKind, BuildError, Kernel, Resources};
use crate::plan::{File, PlanError, RegisterPlan, waves_per_simd};
use crate::regs::{Agpr, Sgpr, Vgpr};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use wavesmith_isa::target::TargetType;
use wavesmith_isa::{Inst, Op, Target};

/// A place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(usize);

/// Bytes of LDS with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LdsRegion {
    /// Name.
    pub name: String,
    /// First byte.
    pub offset: u32,
    /// Length.
    pub bytes: u32,
}

/// The part of the builder that knows no target type, so that generated methods stay thin shells over it.
#[derive(Debug)]
pub(crate) struct Core {
    name: String,
    target: Target,
    pub(crate) insts: Vec<Inst>,
    pub(crate) fixups: Vec<(usize, Label)>,
    labels: Vec<(String, Option<usize>)>,
    notes: Vec<(usize, String)>,
    error: Option<BuildError>,
    args: Vec<Arg>,
    kernarg: u32,
    lds: u32,
}

impl Core {
    pub(crate) fn push(&mut self, inst: Inst) -> usize {
        self.insts.push(inst);
        self.insts.len() - 1
    }
    fn fail(&mut self, e: BuildError) {
        self.error.get_or_insert(e);
    }
    pub(crate) fn operand_error(&mut self, op: Op, why: String) {
        let (kernel, index) = (self.name.clone(), self.insts.len());
        self.fail(BuildError::Operand {
            kernel,
            index,
            mnemonic: op.info().name,
            why,
        });
    }
}

/// Builds one kernel for target `T`, an instruction at a time.
///
/// At entry `s[0:1]` holds the kernarg address, `s2`, `s3`, `s4` the workgroup's x, y, z, and `v0` the work-item's
/// x, y, z in ten bits each (gfx90a and up, LLVM AMDGPUUsage "Initial Kernel Execution State").
///
/// The methods never panic on a plan or operand that does not fit: the first mistake is kept and
/// [`finish`](KernelBuilder::finish) returns it.
#[derive(Debug)]
pub struct KernelBuilder<T: TargetType> {
    pub(crate) core: Core,
    plan: RegisterPlan,
    kernarg: Option<Sgpr<2>>,
    workgroup_id: Option<Sgpr<3>>,
    work_item: Option<Vgpr<1>>,
    workgroup: [u32; 3],
    target: PhantomData<T>,
}

/// The values a wave starts with.
#[derive(Debug)]
pub struct EntryState {
    /// Address of the kernarg segment.
    pub kernarg: Sgpr<2>,
    /// Workgroup x, y, z.
    pub workgroup_id: [Sgpr<1>; 3],
    /// Work-item x | y << 10 | z << 20.
    pub work_item: Vgpr<1>,
}

/// Which counters to wait for; `None` waits for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// Vector memory operations that may still be outstanding, 0..=63.
    pub vmcnt: Option<u32>,
    /// LDS, scalar memory and message operations that may still be outstanding, 0..=15.
    pub lgkmcnt: Option<u32>,
}

impl<T: TargetType> KernelBuilder<T> {
    /// An empty kernel called `name`, with `workgroup` work-items in x, y, z.
    pub fn new(name: &str, workgroup: [u32; 3]) -> KernelBuilder<T> {
        KernelBuilder {
            core: Core {
                name: name.to_owned(),
                target: T::TARGET,
                insts: Vec::new(),
                fixups: Vec::new(),
                labels: Vec::new(),
                notes: Vec::new(),
                error: None,
                args: Vec::new(),
                kernarg: 0,
                lds: 0,
            },
            plan: RegisterPlan::new(T::TARGET),
            kernarg: None,
            workgroup_id: None,
            work_item: None,
            workgroup,
            target: PhantomData,
        }
        .claim_entry()
    }

    fn claim_entry(mut self) -> Self {
        self.kernarg = Some(self.sgprs_at::<2>(0));
        self.work_item = Some(self.vgprs_at::<1>(0));
        self
    }

    /// The values the wave starts with, as owned registers; `None` when taken already.
    pub fn entry(&mut self) -> Option<EntryState> {
        let kernarg = self.kernarg.take()?;
        let work_item = self.work_item.take()?;
        self.workgroup_id = None;
        let workgroup_id = [
            self.sgprs_at::<1>(2),
            self.sgprs_at::<1>(3),
            self.sgprs_at::<1>(4),
        ];
        Some(EntryState {
            kernarg,
            workgroup_id,
            work_item,
        })
    }

    /// The register plan, for budgets and what is free.
    pub fn plan(&self) -> &RegisterPlan {
        &self.plan
    }

    fn plan_error(&mut self, source: PlanError) {
        let kernel = self.core.name.clone();
        self.core.fail(BuildError::Registers { kernel, source });
    }

    fn take(&mut self, got: Result<usize, PlanError>) -> Option<usize> {
        got.map_err(|e| self.plan_error(e)).ok()
    }

    /// `N` VGPRs, the lowest that are free.
    pub fn vgprs<const N: usize>(&mut self) -> Vgpr<N> {
        let got = self.plan.allocate(File::Vgpr, N);
        self.take(got)
            .map_or_else(Vgpr::placeholder, |i| Vgpr::owned(i, self.plan.clone()))
    }
    /// The VGPRs `first..first + N`.
    pub fn vgprs_at<const N: usize>(&mut self, first: usize) -> Vgpr<N> {
        let got = self.plan.pin(File::Vgpr, first, N);
        self.take(got)
            .map_or_else(Vgpr::placeholder, |i| Vgpr::owned(i, self.plan.clone()))
    }
    /// `N` AccVGPRs, the lowest that are free.
    pub fn agprs<const N: usize>(&mut self) -> Agpr<N> {
        let got = self.plan.allocate(File::Agpr, N);
        self.take(got)
            .map_or_else(Agpr::placeholder, |i| Agpr::owned(i, self.plan.clone()))
    }
    /// The AccVGPRs `first..first + N`.
    pub fn agprs_at<const N: usize>(&mut self, first: usize) -> Agpr<N> {
        let got = self.plan.pin(File::Agpr, first, N);
        self.take(got)
            .map_or_else(Agpr::placeholder, |i| Agpr::owned(i, self.plan.clone()))
    }
    /// `N` SGPRs, the lowest that are free.
    pub fn sgprs<const N: usize>(&mut self) -> Sgpr<N> {
        let got = self.plan.allocate(File::Sgpr, N);
        self.take(got)
            .map_or_else(Sgpr::placeholder, |i| Sgpr::owned(i, self.plan.clone()))
    }
    /// The SGPRs `first..first + N`.
    pub fn sgprs_at<const N: usize>(&mut self, first: usize) -> Sgpr<N> {
        let got = self.plan.pin(File::Sgpr, first, N);
        self.take(got)
            .map_or_else(Sgpr::placeholder, |i| Sgpr::owned(i, self.plan.clone()))
    }

    /// Declares the next argument; returns its byte offset in the kernarg segment.
    pub fn arg(&mut self, name: &str, kind: ArgKind) -> i32 {
        let offset = self.core.kernarg.next_multiple_of(kind.size());
        self.core.kernarg = offset + kind.size();
        self.core.args.push(Arg {
            name: name.to_owned(),
            kind,
            offset,
        });
        offset as i32
    }

    /// `bytes` of LDS, aligned to `align` (a power of two).
    pub fn lds(&mut self, name: &str, bytes: u32, align: u32) -> LdsRegion {
        let offset = self.core.lds.next_multiple_of(align.max(1));
        let end = u64::from(offset) + u64::from(bytes);
        let (target, limit) = (self.core.target, self.core.target.lds_bytes());
        if end > u64::from(limit) {
            let kernel = self.core.name.clone();
            self.core.fail(BuildError::Lds {
                kernel,
                region: name.to_owned(),
                wanted: end,
                limit,
                target,
            });
        } else {
            self.core.lds = end as u32;
        }
        LdsRegion {
            name: name.to_owned(),
            offset,
            bytes,
        }
    }

    /// A label, not bound yet.
    pub fn label(&mut self, name: &str) -> Label {
        self.core.labels.push((name.to_owned(), None));
        Label(self.core.labels.len() - 1)
    }

    /// Binds `label` to the next instruction.
    pub fn bind(&mut self, label: Label) {
        let at = self.core.insts.len();
        let (name, place) = &mut self.core.labels[label.0];
        if place.is_some() {
            let (kernel, label) = (self.core.name.clone(), name.clone());
            self.core.fail(BuildError::Label {
                kernel,
                label,
                what: "is bound twice",
            });
        } else {
            *place = Some(at);
        }
    }

    /// A loop: `body` runs, and again as long as SCC is 1 at its end.
    pub fn repeat_while_scc1(&mut self, name: &str, body: impl FnOnce(&mut Self)) {
        let top = self.label(name);
        self.bind(top);
        body(self);
        self.s_cbranch_scc1(top);
    }

    /// A note on the next instruction, kept for listings.
    pub fn note(&mut self, text: &str) {
        self.core
            .notes
            .push((self.core.insts.len(), text.to_owned()));
    }

    /// `s_waitcnt`: the fields are vmcnt in bits 3:0 and 15:14, expcnt 6:4, lgkmcnt 11:8; what is not named
    /// waits for nothing.
    pub fn wait(&mut self, w: Wait) {
        let (vm, lgkm) = (
            w.vmcnt.unwrap_or(63).min(63),
            w.lgkmcnt.unwrap_or(15).min(15),
        );
        self.s_waitcnt(((vm & 15) | (7 << 4) | (lgkm << 8) | ((vm >> 4) << 14)) as i32);
    }

    /// Waits until at most `n` vector memory operations are outstanding.
    pub fn wait_vmcnt(&mut self, n: u32) {
        self.wait(Wait {
            vmcnt: Some(n),
            lgkmcnt: None,
        });
    }

    /// Waits until at most `n` LDS and scalar memory operations are outstanding.
    pub fn wait_lgkmcnt(&mut self, n: u32) {
        self.wait(Wait {
            vmcnt: None,
            lgkmcnt: Some(n),
        });
    }

    /// `states` wait states of `s_nop`, as few instructions as it takes (one waits 1..=16).
    pub fn nops(&mut self, mut states: u32) {
        while states > 0 {
            let n = states.min(16);
            self.s_nop(n as i32 - 1);
            states -= n;
        }
    }

    /// Puts in the waits that are missing so far, the weakest that prove every use on every path; each carries a note.
    /// Waits written by hand count and stay as they are. Labels must be bound.
    pub fn auto_waits(&mut self) {
        let Some(program) = self.program() else {
            return;
        };
        let waits = crate::insert::waits(&program);
        let put = waits
            .iter()
            .map(|(i, w)| (*i, vec![crate::insert::wait(*w)]));
        self.put(put.collect(), "wait put in: a use behind it");
    }

    /// Puts in the states that hazard rules ask for, by the manual's count. Labels must be bound.
    pub fn auto_nops(&mut self) {
        let Some(nops) = self.program().and_then(|p| crate::insert::nops(&p)) else {
            return;
        };
        let put = nops.iter().map(|(i, n)| (*i, crate::insert::nop(*n)));
        self.put(put.collect(), "states put in: a hazard rule asks for them");
    }

    /// What is built so far, with branches led to their labels; an unbound label or an instruction that cannot be
    /// encoded is left for `finish` to name.
    fn program(&self) -> Option<Program> {
        let mut program = Program::of_insts(&self.core.insts, self.core.target);
        for (at, label) in &self.core.fixups {
            let place = self.core.labels.get(label.0)?.1?;
            let to = program.lines.get(place)?.offset;
            let line = program.lines.get_mut(*at)?;
            let end = line.end();
            if let Some(inst) = &mut line.inst {
                inst.imm = ((i64::from(to) - i64::from(end)) / 4) as i32;
            }
        }
        Some(program)
    }

    fn put(&mut self, put: BTreeMap<usize, Vec<Inst>>, why: &str) {
        let old = std::mem::take(&mut self.core.insts);
        let (mut label, mut own) = (Vec::new(), Vec::new());
        let mut notes = Vec::new();
        for (i, inst) in old.iter().enumerate() {
            label.push(self.core.insts.len());
            if let Some(new) = put.get(&i) {
                notes.push((self.core.insts.len(), why.to_owned()));
                self.core.insts.extend(new);
            }
            own.push(self.core.insts.len());
            self.core.insts.push(*inst);
        }
        let end = self.core.insts.len();
        let of = |v: &[usize], i: usize| v.get(i).copied().unwrap_or(end);
        for (_, place) in &mut self.core.labels {
            *place = place.map(|p| of(&label, p));
        }
        self.core
            .fixups
            .iter_mut()
            .for_each(|f| f.0 = of(&own, f.0));
        self.core.notes.iter_mut().for_each(|n| n.0 = of(&own, n.0));
        self.core.notes.extend(notes);
        self.core.notes.sort_by_key(|n| n.0);
    }

    /// Resolves branches, checks every instruction by encoding it, and counts resources.
    ///
    /// # Errors
    /// The first mistake made while building, a label never bound, a branch out of reach, or an instruction
    /// that cannot be encoded.
    pub fn finish(mut self) -> Result<Kernel, BuildError> {
        if let Some(e) = self.core.error.take() {
            return Err(e);
        }
        let name = self.core.name.clone();
        let ends = self
            .core
            .insts
            .last()
            .is_some_and(|i| matches!(i.op, Op::S_ENDPGM | Op::S_BRANCH));
        if !ends {
            return Err(BuildError::RunsOff { kernel: name });
        }
        let [sgprs, vgprs, agprs] =
            [File::Sgpr, File::Vgpr, File::Agpr].map(|f| self.plan.high_water(f) as u32);
        let resources = Resources {
            vgprs,
            agprs,
            sgprs,
            lds_bytes: self.core.lds,
            waves_per_simd: waves_per_simd(self.core.target, vgprs, agprs),
        };
        let mut labels = Vec::new();
        for (label, place) in &self.core.labels {
            match place {
                Some(p) => labels.push((label.clone(), *p)),
                None => {
                    return Err(BuildError::Label {
                        kernel: name,
                        label: label.clone(),
                        what: "is never bound",
                    });
                }
            }
        }
        let core = self.core;
        // Instruction sizes do not depend on branch offsets, so one pass gives every address.
        let mut k = Kernel::new(
            name,
            core.target,
            core.insts,
            labels,
            core.notes,
            resources,
            core.args,
            core.kernarg,
            self.workgroup,
        )
        .assemble()?;
        for (at, label) in core.fixups {
            let (label, place) = &k.labels[label.0];
            let dwords = (i64::from(k.offsets[*place]) - i64::from(k.offsets[at + 1])) / 4;
            if i64::from(dwords as i16) != dwords {
                return Err(BuildError::BranchTooFar {
                    kernel: k.name,
                    label: label.clone(),
                    dwords,
                });
            }
            k.insts[at].imm = dwords as i32;
        }
        k.assemble()
    }
}
