//! A code object's content, apart from how a file lays it out: what [`super::write()`] takes and
//! [`super::ObjectFile::to_spec`] gives back.

use super::consts::{CODE_ALIGN, DESCRIPTOR_ALIGN};
use super::flags::Platform;
use crate::descriptor::{DESCRIPTOR_SIZE, KernelDescriptor};
use crate::metadata::{KernelMetadata, Metadata};
use wavesmith_isa::Target;

/// What goes into one kernel of an object under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSpec {
    /// Its name; the descriptor's symbol is this with `.kd` behind.
    pub name: String,
    /// Its instructions, as they lie in memory. Padding for the instruction prefetcher is part of it, if wanted.
    pub code: Vec<u8>,
    /// Its descriptor. The writer computes the entry offset.
    pub descriptor: KernelDescriptor,
    /// Its metadata; `name` and `symbol` are overwritten.
    pub metadata: KernelMetadata,
}

/// A kernel's place in the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelSymbol {
    /// Its name.
    pub name: String,
    /// Where its first instruction is in `.text`; a multiple of 256.
    pub code_offset: u64,
    /// Size of its function symbol; hand-written assembly often says 0.
    pub code_size: u64,
    /// Where its descriptor is in `.rodata`; a multiple of 64.
    pub descriptor_offset: u64,
    /// Its descriptor. The writer computes the entry offset; [`super::ObjectFile::to_spec`] leaves 0 there.
    pub descriptor: KernelDescriptor,
    /// Visibility of the descriptor's symbol; the function's is always protected.
    pub descriptor_visibility: Visibility,
}

/// `STV_*` of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Visibility {
    /// As its binding says.
    Default,
    /// Not outside its component's control.
    Internal,
    /// Not visible outside its component.
    Hidden,
    /// Visible and not to be replaced.
    #[default]
    Protected,
}

impl Visibility {
    pub(super) fn number(self) -> u8 {
        match self {
            Visibility::Default => 0,
            Visibility::Internal => 1,
            Visibility::Hidden => 2,
            Visibility::Protected => 3,
        }
    }

    pub(super) fn from_other(st_other: u8) -> Visibility {
        match st_other & 3 {
            0 => Visibility::Default,
            1 => Visibility::Internal,
            2 => Visibility::Hidden,
            _ => Visibility::Protected,
        }
    }
}

/// Where a local symbol points.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// An offset in `.text`.
    Text(u64),
    /// An offset in `.rodata`.
    Rodata(u64),
    /// A number, no address.
    Absolute(u64),
}

/// A local symbol: a label, a device function, a constant's name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LocalSymbol {
    /// Its name.
    pub name: String,
    /// `STT_*`: 0 none, 1 object, 2 function.
    pub kind: u8,
    /// Its size in bytes.
    pub size: u64,
    /// Where it points.
    pub place: Place,
    /// Its visibility. A hidden one was global in its source; the linker lists those behind the kernels' names.
    pub visibility: Visibility,
}

/// A section besides the usual ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExtraSection {
    /// Its name, such as `.eh_frame` or `.debug_line`.
    pub name: String,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`: with SHF_ALLOC (2) it is loaded, read-only, behind `.rodata`; without, it stands before `.comment`.
    pub flags: u64,
    /// `sh_addralign`.
    pub align: u64,
    /// `sh_entsize`.
    pub entry_size: u64,
    /// Its content. Addresses in it are not adjusted when other parts move.
    pub data: Vec<u8>,
}

/// The content of a code object.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeObject {
    /// Chip, version and features.
    pub platform: Platform,
    /// The `.text` section.
    pub text: Vec<u8>,
    /// The `.rodata` section. The descriptors' bytes are overwritten from `kernels`.
    pub rodata: Vec<u8>,
    /// The kernels, in the order of their symbols.
    pub kernels: Vec<KernelSymbol>,
    /// The metadata note.
    pub metadata: Metadata,
    /// Local symbols, in order.
    pub symbols: Vec<LocalSymbol>,
    /// Further sections, in order.
    pub sections: Vec<ExtraSection>,
    /// Content of `.comment`, strings ended by NUL; empty for no such section.
    pub comment: Vec<u8>,
    /// Whether a `.relro_padding` section fills the last page, as lld 18 and later write.
    pub relro_padding: bool,
}

/// A filler that an instruction fetch may run into: `s_nop 0`.
const S_NOP: [u8; 4] = [0x00, 0x00, 0x80, 0xbf];

impl CodeObject {
    /// An object for `target`, without kernels.
    #[must_use]
    pub fn new(target: Target) -> CodeObject {
        CodeObject::for_platform(Platform::new(target))
    }

    /// An object for `platform`, without kernels.
    #[must_use]
    pub fn for_platform(platform: Platform) -> CodeObject {
        let metadata = Metadata {
            version: platform.abi.metadata_version().to_vec(),
            target: Some(platform.triple()),
            ..Metadata::default()
        };
        CodeObject {
            platform,
            text: Vec::new(),
            rodata: Vec::new(),
            kernels: Vec::new(),
            metadata,
            symbols: Vec::new(),
            sections: Vec::new(),
            comment: concat!("Wavesmith ", env!("CARGO_PKG_VERSION"), "\0")
                .as_bytes()
                .to_vec(),
            relro_padding: true,
        }
    }

    /// Adds a kernel behind those there are, its code at the next multiple of 256.
    pub fn push(&mut self, kernel: KernelSpec) -> &mut CodeObject {
        while !(self.text.len() as u64).is_multiple_of(CODE_ALIGN) {
            let phase = self.text.len() % S_NOP.len();
            self.text.push(S_NOP[phase]);
        }
        let slot = (self.rodata.len() as u64).next_multiple_of(DESCRIPTOR_ALIGN);
        self.kernels.push(KernelSymbol {
            name: kernel.name.clone(),
            code_offset: self.text.len() as u64,
            code_size: kernel.code.len() as u64,
            descriptor_offset: slot,
            descriptor: KernelDescriptor {
                kernel_code_entry_byte_offset: 0,
                ..kernel.descriptor
            },
            descriptor_visibility: Visibility::Protected,
        });
        self.text.extend_from_slice(&kernel.code);
        self.rodata.resize(slot as usize + DESCRIPTOR_SIZE, 0);
        self.metadata.kernels.push(KernelMetadata {
            symbol: format!("{}.kd", kernel.name),
            name: kernel.name,
            ..kernel.metadata
        });
        self
    }

    /// Builds an object of these kernels.
    #[must_use]
    pub fn of(platform: Platform, kernels: impl IntoIterator<Item = KernelSpec>) -> CodeObject {
        let mut object = CodeObject::for_platform(platform);
        for kernel in kernels {
            object.push(kernel);
        }
        object
    }
}
