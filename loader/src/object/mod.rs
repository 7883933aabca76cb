//! ELF code objects: [`write()`] makes them with the `object` crate, [`ObjectFile`] reads any with `goblin`, so that one
//! can find the other's mistakes.
//!
//! | file | what |
//! |---|---|
//! | `consts` | AMDGPU's numbers |
//! | `flags` | the header's meaning |
//! | `spec` | an object's content without its layout |
//! | `write/` | content → bytes |
//! | `read/` | bytes → a view; view → content |
//! | `image` | a view as it lies in memory once loaded |

pub mod consts;
mod error;
mod flags;
mod image;
mod read;
mod spec;
mod write;

pub use error::ObjectError;
pub(crate) use error::list;
pub use flags::{AbiVersion, Feature, Platform, machine_name};
pub use image::{Image, LoadedKernel, MAX_IMAGE, load_image};
pub use read::{Kernel, ObjectFile, Relocation, Section, Segment, Symbol};
pub use spec::{
    CodeObject, ExtraSection, KernelSpec, KernelSymbol, LocalSymbol, Place, Visibility,
};
pub(crate) use write::addresses;
pub use write::{WriteError, write};
