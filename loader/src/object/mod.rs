//! ELF code objects.

mod error;

pub use error::ObjectError;
pub(crate) use error::list;
