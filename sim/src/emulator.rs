//! The emulator as a device.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use wavesmith_isa::Target;
use wavesmith_loader::descriptor::KernelDescriptor;
use wavesmith_loader::metadata::KernelMetadata;
use wavesmith_loader::object::{ObjectFile, load_image};
use wavesmith_loader::preflight::{ChipLimits, check_launch};
use wavesmith_loader::{Device, DeviceError, DevicePtr, DispatchReport, Fault, Launch, ModuleId};

pub use crate::mfma::MfmaMode;

use crate::debug::{DebugWatch, SharedDebugger, TraceSink, Tracer};
use crate::group::{Control, Env, Group, Turn};
use crate::launch::{Addresses, Setup};
use crate::memory::{Alloc, Memory, read_bytes, write_bytes};
use crate::program::Program;
use crate::sanitize::{Sanitizer, Watcher};
use crate::watch::Watchers;
use crate::wave::Wave;

/// Called with workgroups done and workgroups in all, from any thread.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Most workgroups one thread keeps in flight when they wait for others.
const IN_FLIGHT: usize = 64;

/// How to run.
#[derive(Clone, Default)]
pub struct Options {
    /// Threads; 0 for as many as the machine has.
    pub threads: usize,
    /// How matrix instructions round.
    pub mfma: MfmaMode,
    /// Wave instructions after which a dispatch is given up as hanging; `None` for no limit.
    pub instruction_limit: Option<u64>,
    /// Run only these workgroups of a dispatch; none for all of them.
    pub workgroups: Vec<[u32; 3]>,
    /// Bytes of device memory; `None` for no limit.
    pub memory: Option<u64>,
    /// Checks every step and collects what is wrong; runs ten times slower or worse.
    pub sanitize: Option<Arc<Sanitizer>>,
    /// Shown every instruction before it runs.
    pub debug: Option<SharedDebugger>,
    /// Given a line for every instruction that has run, with what it has written.
    pub trace: Option<TraceSink>,
    /// Told about finished workgroups.
    pub progress: Option<Progress>,
}

impl Options {
    /// The watchers of one workgroup.
    fn watchers(&self) -> Watchers {
        let mut all = Watchers::new();
        // The debugger comes first: an instruction that it holds back has not begun for the others.
        if let Some(debugger) = &self.debug {
            all.push(Box::new(DebugWatch::new(debugger.clone())));
        }
        if let Some(out) = &self.sanitize {
            all.push(Box::new(Watcher::new(out.clone())));
        }
        if let Some(sink) = &self.trace {
            all.push(Box::new(Tracer::new(sink.clone())));
        }
        all
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("threads", &self.threads)
            .field("mfma", &self.mfma)
            .field("instruction_limit", &self.instruction_limit)
            .field("workgroups", &self.workgroups)
            .field("memory", &self.memory)
            .field("sanitize", &self.sanitize)
            .finish_non_exhaustive()
    }
}

struct KernelEntry {
    name: String,
    descriptor: KernelDescriptor,
    address: u64,
    entry: u64,
    metadata: Option<KernelMetadata>,
}

struct Module {
    image: Arc<Alloc>,
    program: Program,
    kernels: Vec<KernelEntry>,
}

/// A functional emulator of one GPU.
///
/// ```
/// use wavesmith_isa::Target;
/// use wavesmith_loader::Device;
/// let gpu = wavesmith_sim::Emulator::new(Target::Gfx950);
/// let buffer = gpu.alloc(1024)?;
/// gpu.write(buffer, &[1, 2, 3])?;
/// # Ok::<(), wavesmith_loader::DeviceError>(())
/// ```
pub struct Emulator {
    target: Target,
    options: Options,
    memory: Memory,
    used: AtomicU64,
    modules: RwLock<HashMap<u64, Arc<Module>>>,
    next: AtomicU64,
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulator")
            .field("target", &self.target)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Emulator {
    /// An emulator of `target` with the default options.
    #[must_use]
    pub fn new(target: Target) -> Emulator {
        Emulator::with_options(target, Options::default())
    }

    /// An emulator of `target`.
    #[must_use]
    pub fn with_options(target: Target, options: Options) -> Emulator {
        Emulator {
            target,
            options,
            memory: Memory::default(),
            used: AtomicU64::new(0),
            modules: RwLock::default(),
            next: AtomicU64::new(1),
        }
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The options, to change before the next dispatch.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Memory from the host.
    fn take(&self, bytes: u64) -> Result<Arc<Alloc>, DeviceError> {
        self.memory.alloc(bytes).ok_or(DeviceError::OutOfMemory {
            requested: bytes,
            available: 0,
        })
    }

    fn threads(&self) -> usize {
        match self.options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }

    fn module(&self, id: ModuleId) -> Result<Arc<Module>, DeviceError> {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        modules
            .get(&id.0)
            .cloned()
            .ok_or(DeviceError::UnknownModule { id: id.0 })
    }

    /// The allocation that holds `len` bytes at `ptr`, and the offset in it.
    fn locate(
        &self,
        what: &'static str,
        ptr: DevicePtr,
        len: u64,
    ) -> Result<(Arc<Alloc>, u64), DeviceError> {
        let alloc = self.memory.holding(ptr.0).ok_or(DeviceError::BadPointer {
            what,
            address: ptr.0,
            found: "in no allocation".to_owned(),
        })?;
        let off = ptr.0 - alloc.base;
        if len > alloc.size - off {
            return Err(DeviceError::OutOfBounds {
                what,
                address: ptr.0,
                len,
                base: alloc.base,
                size: alloc.size,
            });
        }
        Ok((alloc, off))
    }

    fn run(
        &self,
        module: &Module,
        setup: &Setup,
        launch: &Launch<'_>,
    ) -> Result<DispatchReport, DeviceError> {
        let groups = launch.workgroups();
        let total: u64 = groups.iter().map(|n| u64::from(*n)).product();
        let only = &self.options.workgroups;
        if let Some(id) = only.iter().find(|id| (0..3).any(|i| id[i] >= groups[i])) {
            return Err(DeviceError::BadLaunch {
                kernel: launch.kernel.to_owned(),
                field: "workgroup",
                expected: format!("within {} × {} × {}", groups[0], groups[1], groups[2]),
                found: format!("{}, {}, {}", id[0], id[1], id[2]),
            });
        }
        let count = if only.is_empty() {
            total
        } else {
            only.len() as u64
        };
        let work = Work {
            module,
            setup,
            groups,
            only,
            count,
            next: AtomicU64::new(0),
            done: AtomicU64::new(0),
            waves: AtomicU64::new(0),
            executed: AtomicU64::new(0),
            control: Control {
                stop: AtomicBool::new(false),
                budget: AtomicU64::new(self.options.instruction_limit.unwrap_or(u64::MAX / 2)),
            },
            fault: Mutex::new(None),
            emulator: self,
        };
        let started = Instant::now();
        let threads = (self.threads() as u64).min(count).max(1);
        if threads == 1 {
            work.worker();
        } else {
            // A pool of the wanted size; the spawning thread waits for all of it.
            match rayon::ThreadPoolBuilder::new()
                .num_threads(threads as usize)
                .build()
            {
                Ok(pool) => pool.scope(|s| (0..threads).for_each(|_| s.spawn(|_| work.worker()))),
                Err(_) => work.worker(),
            }
        }
        let elapsed = started.elapsed();
        let fault = work
            .fault
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(mut fault) = fault {
            fault.kernel = launch.kernel.to_owned();
            if let Some(pc) = &mut fault.pc {
                let base = module.program.ops.get(setup.entry).map_or(0, |op| op.pc);
                *pc = pc.wrapping_sub(base.into());
            }
            return Err(fault.into());
        }
        Ok(DispatchReport {
            elapsed,
            workgroups: work.done.into_inner(),
            waves: work.waves.into_inner(),
            instructions: Some(work.executed.into_inner()),
        })
    }
}

/// A dispatch being run by several threads.
struct Work<'a> {
    module: &'a Module,
    setup: &'a Setup,
    groups: [u32; 3],
    only: &'a [[u32; 3]],
    count: u64,
    next: AtomicU64,
    done: AtomicU64,
    waves: AtomicU64,
    executed: AtomicU64,
    control: Control,
    fault: Mutex<Option<Box<Fault>>>,
    emulator: &'a Emulator,
}

impl<'a> Work<'a> {
    /// Runs workgroups until none is left. One that waits for others steps back behind a new one.
    fn worker(&self) {
        let mut active: VecDeque<Group<'a>> = VecDeque::new();
        let mut spare: Vec<Group<'a>> = Vec::new();
        while !self.control.stop.load(Ordering::Relaxed) {
            let fresh = if active.len() < IN_FLIGHT {
                self.claim(&mut spare)
            } else {
                None
            };
            let Some(mut group) = fresh.or_else(|| active.pop_front()) else {
                return;
            };
            match group.turn(&self.control) {
                Turn::Done => {
                    let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                    self.waves
                        .fetch_add(group.waves.len() as u64, Ordering::Relaxed);
                    self.executed.fetch_add(group.executed(), Ordering::Relaxed);
                    if let Some(progress) = &self.emulator.options.progress {
                        progress(done, self.count);
                    }
                    spare.push(group);
                }
                Turn::Yielded => {
                    active.push_back(group);
                    std::thread::yield_now();
                }
                Turn::Fault => {
                    self.control.stop.store(true, Ordering::Relaxed);
                    let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
                    if fault.is_none() {
                        *fault = group.env.fault.take();
                    }
                    return;
                }
                Turn::Stopped => return,
            }
        }
    }

    fn claim(&self, spare: &mut Vec<Group<'a>>) -> Option<Group<'a>> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        if n >= self.count {
            return None;
        }
        let [gx, gy, _] = self.groups.map(u64::from);
        let (id, index) = match self.only.get(n as usize) {
            Some(id) => {
                let [x, y, z] = id.map(u64::from);
                (*id, x + gx * (y + gy * z))
            }
            None => ([n % gx, n / gx % gy, n / (gx * gy)].map(|v| v as u32), n),
        };
        let mut group = spare.pop().unwrap_or_else(|| Group {
            waves: (0..self.setup.waves()).map(|_| Wave::new()).collect(),
            env: Env {
                lds: Vec::new(),
                mem: self.emulator.memory.view(),
                program: &self.module.program,
                mfma: self.emulator.options.mfma,
                group_index: 0,
                fault: None,
            },
            id,
            watch: self.emulator.options.watchers(),
        });
        group.id = id;
        group.env.group_index = index;
        group.env.lds.clear();
        group.env.lds.resize(self.setup.lds_dwords, 0);
        for (i, w) in group.waves.iter_mut().enumerate() {
            self.setup.start(w, id, i as u32);
        }
        group.tell(|w, g| w.start(g, self.setup));
        Some(group)
    }
}

impl Device for Emulator {
    fn name(&self) -> String {
        format!("emulator ({})", self.target)
    }

    fn target(&self) -> Target {
        self.target
    }

    fn alloc(&self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        let limit = self.options.memory.unwrap_or(1 << 40);
        let used = self.used.load(Ordering::Relaxed);
        if bytes > limit.saturating_sub(used) {
            return Err(DeviceError::OutOfMemory {
                requested: bytes,
                available: limit.saturating_sub(used),
            });
        }
        let alloc = self.take(bytes)?;
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Ok(DevicePtr(alloc.base))
    }

    fn label(&self, ptr: DevicePtr, name: &str) {
        if let Some(a) = self.memory.holding(ptr.0) {
            a.set_name(name);
        }
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        match self.memory.free(ptr.0) {
            Some(size) => {
                self.used.fetch_sub(size, Ordering::Relaxed);
                Ok(())
            }
            None => Err(DeviceError::BadPointer {
                what: "free",
                address: ptr.0,
                found: "not the start of an allocation".to_owned(),
            }),
        }
    }

    fn write(&self, ptr: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        let (alloc, off) = self.locate("write", ptr, bytes.len() as u64)?;
        write_bytes(&alloc, off, bytes);
        Ok(())
    }

    fn read(&self, ptr: DevicePtr, out: &mut [u8]) -> Result<(), DeviceError> {
        let (alloc, off) = self.locate("read", ptr, out.len() as u64)?;
        read_bytes(&alloc, off, out);
        Ok(())
    }

    fn load(&self, object: &[u8]) -> Result<ModuleId, DeviceError> {
        let file = ObjectFile::parse(object)?;
        if file.platform.target != self.target {
            return Err(DeviceError::WrongTarget {
                expected: self.target,
                found: file.platform.target,
            });
        }
        // Laid out once for its size, then where it lies.
        let size = load_image(&file, 0)?.bytes.len() as u64;
        let alloc = self.take(size)?;
        alloc.set_name("code object");
        let image = match load_image(&file, alloc.base) {
            Ok(image) => image,
            Err(error) => {
                self.memory.free(alloc.base);
                return Err(error.into());
            }
        };
        write_bytes(&alloc, 0, &image.bytes);
        let (text, code) = file.text()?;
        let base = text.wrapping_add(image.delta);
        let at = base.wrapping_sub(image.base) as usize;
        // Relocations may have changed the code.
        let code = image.bytes.get(at..at + code.len()).unwrap_or(code);
        let program = Program::new(code, base, self.target);
        let kernels = file
            .kernels
            .iter()
            .map(|k| KernelEntry {
                name: k.name.clone(),
                descriptor: k.descriptor,
                address: k.descriptor_address.wrapping_add(image.delta),
                entry: k.entry.wrapping_add(image.delta),
                metadata: file
                    .metadata
                    .as_ref()
                    .and_then(|m| m.kernel(&k.name))
                    .cloned(),
            })
            .collect();
        let module = Module {
            image: alloc,
            program,
            kernels,
        };
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        modules.insert(id, Arc::new(module));
        Ok(ModuleId(id))
    }

    fn kernels(&self, module: ModuleId) -> Result<Vec<String>, DeviceError> {
        let module = self.module(module)?;
        Ok(module.kernels.iter().map(|k| k.name.clone()).collect())
    }

    fn unload(&self, module: ModuleId) -> Result<(), DeviceError> {
        let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        let gone = modules
            .remove(&module.0)
            .ok_or(DeviceError::UnknownModule { id: module.0 })?;
        self.memory.free(gone.image.base);
        Ok(())
    }

    fn dispatch(&self, launch: &Launch<'_>) -> Result<DispatchReport, DeviceError> {
        let module = self.module(launch.module)?;
        let kernel = module
            .kernels
            .iter()
            .find(|k| k.name == launch.kernel)
            .ok_or_else(|| DeviceError::NoKernel {
                kernel: launch.kernel.to_owned(),
                available: module.kernels.iter().map(|k| k.name.clone()).collect(),
            })?;
        let d = kernel.descriptor;
        check_launch(
            launch,
            &d,
            kernel.metadata.as_ref(),
            &ChipLimits::of(self.target),
        )?;
        let start = kernel.entry.wrapping_add(d.preload_skip());
        let entry = module.program.op_at(start).ok_or_else(|| {
            DeviceError::from(Box::new(Fault {
                kernel: launch.kernel.to_owned(),
                message: format!("no instruction begins at the kernel's entry {start:#x}"),
                ..Fault::default()
            }))
        })?;
        // Compilers may load past the last argument, up to the next 64 bytes.
        let kernarg = self.take((launch.kernarg.len() as u64).next_multiple_of(64).max(64))?;
        let packet = self.take(64)?;
        let queue = self.take(4096)?;
        kernarg.set_name("kernel arguments");
        packet.set_name("dispatch packet");
        queue.set_name("queue");
        write_bytes(&kernarg, 0, launch.kernarg);
        let setup = Setup {
            descriptor: d,
            addresses: Addresses {
                packet: packet.base,
                queue: queue.base,
                kernarg: kernarg.base,
            },
            kernarg: launch.kernarg.to_vec(),
            entry,
            grid: launch.grid,
            block: launch.block,
            lds_dwords: Setup::lds_dwords(&d, launch, self.target),
            dynamic_lds: launch.dynamic_lds,
        };
        write_bytes(&packet, 0, &setup.packet(launch, kernel.address));
        let result = self.run(&module, &setup, launch);
        for a in [kernarg, packet, queue] {
            self.memory.free(a.base);
        }
        result
    }
}
