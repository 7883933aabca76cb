//! LLVM's C interface, loaded at run time. The only file of this package with `unsafe`: an oracle in another
//! language can't be asked otherwise. It runs in the worker process only, never in a test's own process.
#![allow(unsafe_code)]

use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::Mutex;
use wavesmith_isa::Target;

const TRIPLE: &CStr = c"amdgcn-amd-amdhsa";
/// `LLVMObjectFile`.
const OBJECT_FILE: c_uint = 1;
/// `LLVMDSError`.
const ERROR: c_uint = 0;

type Ptr = *mut c_void;
type Handler = extern "C" fn(Ptr, Ptr);

/// The functions of LLVM-C (llvm-c/*.h) that are used here, by their names there.
struct Functions {
    disasm_create: unsafe extern "C" fn(*const c_char, *const c_char, Ptr, c_int, Ptr, Ptr) -> Ptr,
    disasm_one: unsafe extern "C" fn(Ptr, *mut u8, u64, u64, *mut c_char, usize) -> usize,
    context_create: unsafe extern "C" fn() -> Ptr,
    context_dispose: unsafe extern "C" fn(Ptr),
    module_create: unsafe extern "C" fn(*const c_char, Ptr) -> Ptr,
    module_dispose: unsafe extern "C" fn(Ptr),
    set_target: unsafe extern "C" fn(Ptr, *const c_char),
    set_asm: unsafe extern "C" fn(Ptr, *const c_char, usize),
    target_from_triple: unsafe extern "C" fn(*const c_char, *mut Ptr, *mut *mut c_char) -> c_int,
    machine_create: unsafe extern "C" fn(
        Ptr,
        *const c_char,
        *const c_char,
        *const c_char,
        c_int,
        c_int,
        c_int,
    ) -> Ptr,
    emit: unsafe extern "C" fn(Ptr, Ptr, c_uint, *mut *mut c_char, *mut Ptr) -> c_int,
    buffer_start: unsafe extern "C" fn(Ptr) -> *const u8,
    buffer_size: unsafe extern "C" fn(Ptr) -> usize,
    buffer_dispose: unsafe extern "C" fn(Ptr),
    message_dispose: unsafe extern "C" fn(*mut c_char),
    set_handler: unsafe extern "C" fn(Ptr, Handler, Ptr),
    description: unsafe extern "C" fn(Ptr) -> *mut c_char,
    severity: unsafe extern "C" fn(Ptr) -> c_uint,
}

/// LLVM with its AMDGPU target started, a disassembler and a target machine for each of our targets.
pub struct Llvm {
    f: Functions,
    disassemblers: [Ptr; 2],
    machines: [Ptr; 2],
}

/// The library can't be used, and why.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not loadable, or without a function that is needed.
    #[error("LLVM: {0}")]
    Library(#[from] libloading::Error),
    /// It was built without the AMDGPU target, or doesn't know the processor.
    #[error("this LLVM has no {what} for {target}")]
    NoTarget {
        /// What could not be made.
        what: &'static str,
        /// For which target.
        target: Target,
    },
}

// The library stays loaded for the life of the process, so the copied function pointers stay good.
unsafe fn get<T: Copy>(lib: &Library, name: &str) -> Result<T, libloading::Error> {
    let symbol: Symbol<'_, T> = unsafe { lib.get(name.as_bytes()) }?;
    Ok(*symbol)
}

impl Llvm {
    /// Loads the library and starts it.
    ///
    /// # Errors
    /// When it can't be loaded, or lacks the AMDGPU target.
    pub fn load(path: &Path) -> Result<Llvm, LoadError> {
        let f = unsafe {
            let lib = Library::new(path)?;
            for part in [
                "TargetInfo",
                "Target",
                "TargetMC",
                "AsmParser",
                "AsmPrinter",
                "Disassembler",
            ] {
                let start: unsafe extern "C" fn() =
                    get(&lib, &format!("LLVMInitializeAMDGPU{part}"))?;
                start();
            }
            let f = Functions {
                disasm_create: get(&lib, "LLVMCreateDisasmCPU")?,
                disasm_one: get(&lib, "LLVMDisasmInstruction")?,
                context_create: get(&lib, "LLVMContextCreate")?,
                context_dispose: get(&lib, "LLVMContextDispose")?,
                module_create: get(&lib, "LLVMModuleCreateWithNameInContext")?,
                module_dispose: get(&lib, "LLVMDisposeModule")?,
                set_target: get(&lib, "LLVMSetTarget")?,
                set_asm: get(&lib, "LLVMSetModuleInlineAsm2")?,
                target_from_triple: get(&lib, "LLVMGetTargetFromTriple")?,
                machine_create: get(&lib, "LLVMCreateTargetMachine")?,
                emit: get(&lib, "LLVMTargetMachineEmitToMemoryBuffer")?,
                buffer_start: get(&lib, "LLVMGetBufferStart")?,
                buffer_size: get(&lib, "LLVMGetBufferSize")?,
                buffer_dispose: get(&lib, "LLVMDisposeMemoryBuffer")?,
                message_dispose: get(&lib, "LLVMDisposeMessage")?,
                set_handler: get(&lib, "LLVMContextSetDiagnosticHandler")?,
                description: get(&lib, "LLVMGetDiagInfoDescription")?,
                severity: get(&lib, "LLVMGetDiagInfoSeverity")?,
            };
            std::mem::forget(lib);
            f
        };
        let mut llvm = Llvm {
            f,
            disassemblers: [std::ptr::null_mut(); 2],
            machines: [std::ptr::null_mut(); 2],
        };
        for target in Target::ALL {
            let cpu = CString::new(target.name()).unwrap_or_default();
            let i = target as usize;
            let none = std::ptr::null_mut();
            unsafe {
                llvm.disassemblers[i] =
                    (llvm.f.disasm_create)(TRIPLE.as_ptr(), cpu.as_ptr(), none, 0, none, none);
                let (mut of, mut why) = (none, std::ptr::null_mut());
                if (llvm.f.target_from_triple)(TRIPLE.as_ptr(), &mut of, &mut why) == 0 {
                    llvm.machines[i] = (llvm.f.machine_create)(
                        of,
                        TRIPLE.as_ptr(),
                        cpu.as_ptr(),
                        c"".as_ptr(),
                        0,
                        0,
                        0,
                    );
                }
            }
            if llvm.disassemblers[i].is_null() {
                return Err(LoadError::NoTarget {
                    what: "disassembler",
                    target,
                });
            }
            // An unknown processor only warns; this directive makes the assembler refuse it.
            let probe = format!(".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n");
            if llvm.machines[i].is_null() || llvm.emit(&probe, target).is_err() {
                return Err(LoadError::NoTarget {
                    what: "assembler",
                    target,
                });
            }
        }
        Ok(llvm)
    }

    /// The first instruction of `code`: bytes taken and LLVM's text, comments and all.
    pub fn disassemble(&self, code: &[u8], target: Target) -> Option<(usize, String)> {
        let mut code = code.to_vec();
        let mut text = [0u8; 1024];
        let used = unsafe {
            (self.f.disasm_one)(
                self.disassemblers[target as usize],
                code.as_mut_ptr(),
                code.len() as u64,
                0,
                text.as_mut_ptr().cast(),
                text.len(),
            )
        };
        let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
        (used != 0).then(|| (used, String::from_utf8_lossy(&text[..end]).into_owned()))
    }

    /// The object file of a whole text.
    ///
    /// # Errors
    /// LLVM's messages, each with the position that it names.
    pub fn emit(&self, source: &str, target: Target) -> Result<Vec<u8>, Vec<String>> {
        let f = &self.f;
        let messages: Mutex<Vec<String>> = Mutex::default();
        let notes = Notes {
            f,
            messages: &messages,
        };
        let mut object = None;
        unsafe {
            let context = (f.context_create)();
            (f.set_handler)(context, note, std::ptr::from_ref(&notes).cast_mut().cast());
            let module = (f.module_create)(c"oracle".as_ptr(), context);
            (f.set_target)(module, TRIPLE.as_ptr());
            (f.set_asm)(module, source.as_ptr().cast(), source.len());
            let (mut why, mut buffer) = (std::ptr::null_mut(), std::ptr::null_mut());
            let machine = self.machines[target as usize];
            if (f.emit)(machine, module, OBJECT_FILE, &mut why, &mut buffer) == 0 {
                let (start, size) = ((f.buffer_start)(buffer), (f.buffer_size)(buffer));
                object = Some(std::slice::from_raw_parts(start, size).to_vec());
                (f.buffer_dispose)(buffer);
            } else {
                notes.take(why);
            }
            (f.module_dispose)(module);
            (f.context_dispose)(context);
        }
        let messages = messages.into_inner().unwrap_or_default();
        match object {
            Some(object) if messages.is_empty() => Ok(object),
            _ => Err(messages),
        }
    }
}

/// Where the diagnostics of one emission go.
struct Notes<'a> {
    f: &'a Functions,
    messages: &'a Mutex<Vec<String>>,
}

impl Notes<'_> {
    unsafe fn take(&self, text: *mut c_char) {
        if text.is_null() {
            return;
        }
        let owned = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned();
        unsafe { (self.f.message_dispose)(text) };
        if let Ok(mut m) = self.messages.lock() {
            m.push(owned);
        }
    }
}

extern "C" fn note(info: Ptr, notes: Ptr) {
    // `emit` keeps the notes alive until the context is gone.
    let notes = unsafe { &*notes.cast::<Notes<'_>>() };
    unsafe {
        if (notes.f.severity)(info) == ERROR {
            notes.take((notes.f.description)(info));
        }
    }
}

unsafe extern "C" {
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// Runs `work` in a copy of this process, and says whether it came to its end. A worker has a single thread, so
/// the copy is whole.
pub fn in_a_copy(work: impl FnOnce()) -> bool {
    unsafe {
        match fork() {
            0 => {
                work();
                _exit(0)
            }
            -1 => false,
            child => {
                let mut status = -1;
                waitpid(child, &mut status, 0) == child && status == 0
            }
        }
    }
}
