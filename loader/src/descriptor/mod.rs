//! The 64-byte kernel descriptor: what the command processor reads before it starts a kernel's waves.
//!
//! Layout and names are those of LLVM's AMDGPU usage guide, "Code Object V3 Kernel Descriptor". Every bit has a place
//! here, reserved ones too, so that `KernelDescriptor::parse(&b).emit() == b` for any 64 bytes.

mod bits;
mod counts;
mod rsrc;

pub use bits::Field;
pub use counts::{CountError, RegisterCounts, RegisterLimits};
pub use rsrc::{CodeProperties, KernargPreload, Rsrc1, Rsrc2, Rsrc3};

/// Size of a descriptor in bytes; also the alignment it must have in memory.
pub const DESCRIPTOR_SIZE: usize = 64;

/// A kernel descriptor, field by field in the order of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KernelDescriptor {
    /// LDS bytes the kernel uses without what a dispatch adds (offset 0).
    pub group_segment_fixed_size: u32,
    /// Scratch bytes each work-item uses, without a dynamic stack (offset 4).
    pub private_segment_fixed_size: u32,
    /// Bytes of the kernel argument segment (offset 8). Zero means "not stated".
    pub kernarg_size: u32,
    /// Reserved, zero (offset 12).
    pub reserved0: [u8; 4],
    /// From the descriptor's own address to the kernel's first instruction, a multiple of 256 (offset 16).
    pub kernel_code_entry_byte_offset: i64,
    /// Reserved, zero (offset 24).
    pub reserved1: [u8; 20],
    /// Accumulation registers' place and threadgroup split (offset 44).
    pub compute_pgm_rsrc3: Rsrc3,
    /// Register counts and floating-point modes (offset 48).
    pub compute_pgm_rsrc1: Rsrc1,
    /// User and system registers, exceptions (offset 52).
    pub compute_pgm_rsrc2: Rsrc2,
    /// Which user SGPRs are set up, wave size, stack (offset 56).
    pub kernel_code_properties: CodeProperties,
    /// Kernel arguments loaded to SGPRs before the wave starts (offset 58).
    pub kernarg_preload: KernargPreload,
    /// Reserved, zero (offset 60).
    pub reserved3: [u8; 4],
}

impl KernelDescriptor {
    /// Reads a descriptor. Any 64 bytes are one.
    #[must_use]
    pub fn parse(bytes: &[u8; DESCRIPTOR_SIZE]) -> KernelDescriptor {
        let word = |at: usize| u32::from_le_bytes(part(bytes, at));
        let half = |at: usize| u16::from_le_bytes(part(bytes, at));
        KernelDescriptor {
            group_segment_fixed_size: word(0),
            private_segment_fixed_size: word(4),
            kernarg_size: word(8),
            reserved0: part(bytes, 12),
            kernel_code_entry_byte_offset: i64::from_le_bytes(part(bytes, 16)),
            reserved1: part(bytes, 24),
            compute_pgm_rsrc3: Rsrc3::from_bits(word(44)),
            compute_pgm_rsrc1: Rsrc1::from_bits(word(48)),
            compute_pgm_rsrc2: Rsrc2::from_bits(word(52)),
            kernel_code_properties: CodeProperties::from_bits(half(56)),
            kernarg_preload: KernargPreload::from_bits(half(58)),
            reserved3: part(bytes, 60),
        }
    }

    /// Writes the descriptor's bytes.
    #[must_use]
    pub fn emit(&self) -> [u8; DESCRIPTOR_SIZE] {
        let mut bytes = [0; DESCRIPTOR_SIZE];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, &self.group_segment_fixed_size.to_le_bytes());
        put(4, &self.private_segment_fixed_size.to_le_bytes());
        put(8, &self.kernarg_size.to_le_bytes());
        put(12, &self.reserved0);
        put(16, &self.kernel_code_entry_byte_offset.to_le_bytes());
        put(24, &self.reserved1);
        put(44, &self.compute_pgm_rsrc3.bits().to_le_bytes());
        put(48, &self.compute_pgm_rsrc1.bits().to_le_bytes());
        put(52, &self.compute_pgm_rsrc2.bits().to_le_bytes());
        put(56, &self.kernel_code_properties.bits().to_le_bytes());
        put(58, &self.kernarg_preload.bits().to_le_bytes());
        put(60, &self.reserved3);
        bytes
    }

    /// How far hardware that preloads kernel arguments starts behind the entry: the 256 bytes before hold a fallback
    /// that loads the same arguments for hardware that does not. Zero for a kernel without preloading.
    #[must_use]
    pub fn preload_skip(&self) -> u64 {
        if self.kernarg_preload.length() > 0 {
            256
        } else {
            0
        }
    }

    /// Whether every reserved byte and bit is zero, as the hardware wants it.
    #[must_use]
    pub fn reserved_is_zero(&self) -> bool {
        self.reserved0 == [0; 4]
            && self.reserved1 == [0; 20]
            && self.reserved3 == [0; 4]
            && self.compute_pgm_rsrc1.reserved() == 0
            && self.compute_pgm_rsrc2.reserved() == 0
            && self.compute_pgm_rsrc3.reserved() == 0
            && self.kernel_code_properties.reserved() == 0
    }
}

/// `N` bytes at a constant offset that the layout above keeps inside the descriptor.
fn part<const N: usize>(bytes: &[u8; DESCRIPTOR_SIZE], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}
