"""LLVM's AMDGPU assembler and disassembler, through its C API and ctypes.

The library is librocmllvm.so of the package rocm-llvm-python beside this interpreter, or the one that AMDGPU_LLVM_LIB names.
"""

import ctypes
import glob
import os
import sys

import elf

TRIPLE = b"amdgcn-amd-amdhsa"
OBJECT_FILE = 1  # LLVMObjectFile
ERROR = 0  # LLVMDSError

_pointer, _text, _size, _int = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
_handler = ctypes.CFUNCTYPE(None, _pointer, _pointer)

# name: (result, arguments)
_FUNCTIONS = {
    "LLVMContextCreate": (_pointer, []),
    "LLVMContextDispose": (None, [_pointer]),
    "LLVMContextSetDiagnosticHandler": (None, [_pointer, _handler, _pointer]),
    "LLVMGetDiagInfoSeverity": (_int, [_pointer]),
    "LLVMGetDiagInfoDescription": (_pointer, [_pointer]),
    "LLVMDisposeMessage": (None, [_pointer]),
    "LLVMModuleCreateWithNameInContext": (_pointer, [_text, _pointer]),
    "LLVMDisposeModule": (None, [_pointer]),
    "LLVMSetTarget": (None, [_pointer, _text]),
    "LLVMSetModuleInlineAsm2": (None, [_pointer, _text, _size]),
    "LLVMGetTargetFromTriple": (_int, [_text, ctypes.POINTER(_pointer), ctypes.POINTER(_pointer)]),
    "LLVMCreateTargetMachine": (_pointer, [_pointer, _text, _text, _text, _int, _int, _int]),
    "LLVMDisposeTargetMachine": (None, [_pointer]),
    "LLVMTargetMachineEmitToMemoryBuffer": (
        _int,
        [_pointer, _pointer, _int, ctypes.POINTER(_pointer), ctypes.POINTER(_pointer)],
    ),
    "LLVMGetBufferStart": (_pointer, [_pointer]),
    "LLVMGetBufferSize": (_size, [_pointer]),
    "LLVMDisposeMemoryBuffer": (None, [_pointer]),
    "LLVMCreateDisasmCPU": (_pointer, [_text, _text, _pointer, _int, _pointer, _pointer]),
    "LLVMDisasmInstruction": (_size, [_pointer, _pointer, ctypes.c_uint64, ctypes.c_uint64, _pointer, _size]),
    "LLVMDisasmDispose": (None, [_pointer]),
}


def _path():
    named = os.environ.get("AMDGPU_LLVM_LIB")
    if named:
        return named
    for root in sys.path:
        found = sorted(glob.glob(os.path.join(root, "rocm", "llvm", "**", "librocmllvm.so"), recursive=True))
        if found:
            return found[0]
    sys.exit("oracle: no librocmllvm.so beside this interpreter; pip install rocm-llvm-python, or set AMDGPU_LLVM_LIB")


def _load():
    # Its own symbols first: the interpreter's process may hold another LLVM.
    lib = ctypes.CDLL(_path(), mode=os.RTLD_NOW | os.RTLD_LOCAL | getattr(os, "RTLD_DEEPBIND", 0))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    for part in ("TargetInfo", "Target", "TargetMC", "AsmParser", "AsmPrinter", "Disassembler"):
        initialise = getattr(lib, "LLVMInitializeAMDGPU" + part)
        initialise.restype, initialise.argtypes = None, []
        initialise()
    return lib


_lib = _load()


def assemble(source, cpu):
    """The bytes of a whole text; raises ValueError with LLVM's messages."""
    messages = []

    @_handler
    def note(info, _):
        if _lib.LLVMGetDiagInfoSeverity(info) == ERROR:
            text = _lib.LLVMGetDiagInfoDescription(info)
            messages.append(ctypes.string_at(text).decode(errors="replace"))
            _lib.LLVMDisposeMessage(text)

    target, error, buffer = _pointer(), _pointer(), _pointer()
    if _lib.LLVMGetTargetFromTriple(TRIPLE, ctypes.byref(target), ctypes.byref(error)):
        raise RuntimeError("this LLVM has no AMDGPU target")
    machine = _lib.LLVMCreateTargetMachine(target, TRIPLE, cpu.encode(), b"", 0, 0, 0)
    context = _lib.LLVMContextCreate()
    _lib.LLVMContextSetDiagnosticHandler(context, note, None)
    module = _lib.LLVMModuleCreateWithNameInContext(b"oracle", context)
    _lib.LLVMSetTarget(module, TRIPLE)
    # LLVM takes any processor name and falls back; this line makes it complain instead.
    text = (f'.amdgcn_target "amdgcn-amd-amdhsa--{cpu}"\n.text\n' + source).encode()
    _lib.LLVMSetModuleInlineAsm2(module, text, len(text))
    failed = _lib.LLVMTargetMachineEmitToMemoryBuffer(
        machine, module, OBJECT_FILE, ctypes.byref(error), ctypes.byref(buffer)
    )
    if failed:
        messages.append(ctypes.string_at(error).decode(errors="replace"))
        _lib.LLVMDisposeMessage(error)
        file = None
    else:
        file = ctypes.string_at(_lib.LLVMGetBufferStart(buffer), _lib.LLVMGetBufferSize(buffer))
        _lib.LLVMDisposeMemoryBuffer(buffer)
    _lib.LLVMDisposeModule(module)
    _lib.LLVMContextDispose(context)
    _lib.LLVMDisposeTargetMachine(machine)
    if messages or file is None:
        raise ValueError("\n".join(messages[:5]))
    return elf.section(file, ".text")


class Disassembler:
    """Bytes to text, for one processor."""

    def __init__(self, cpu):
        self._context = _lib.LLVMCreateDisasmCPU(TRIPLE, cpu.encode(), None, 0, None, None)
        if not self._context:
            raise RuntimeError(f"this LLVM has no disassembler for {cpu}")
        self._text = ctypes.create_string_buffer(1024)

    def one(self, code, address=0):
        """(bytes taken, text) of the first instruction; (0, None) where there is none."""
        room = ctypes.create_string_buffer(bytes(code), len(code))
        used = _lib.LLVMDisasmInstruction(
            self._context, room, len(code), address, self._text, len(self._text)
        )
        return (used, plain(self._text.value.decode())) if used else (0, None)

    def all(self, code):
        """[(offset, size, text)]; what is no instruction has the text None and a size of four."""
        steps, at = [], 0
        while at + 4 <= len(code):
            used, text = self.one(code[at : at + 20], at)
            steps.append((at, used or 4, text))
            at += used or 4
        return steps


def plain(text):
    """Text without comments and with single spaces."""
    for mark in ("//", ";"):
        text = text.split(mark)[0]
    return " ".join(text.split())
