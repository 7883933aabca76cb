//! One wave's state.

use wavesmith_isa::operand::code;

/// 64 lanes of one register.
pub type Row = [u32; 64];

/// First row of operand temporaries: two for each of three sources, two spare.
pub const TEMP: usize = 0;
/// Row of `v0`.
pub const VGPR: usize = 8;
/// Row of `a0`.
pub const AGPR: usize = VGPR + 256;
/// Rows of a wave.
pub const ROWS: usize = AGPR + 256;

/// [`Wave::special`]: MODE flushes f32 denormals.
pub const FLUSH32: u8 = 1;
/// [`Wave::special`]: VGPR indexing is on.
pub const INDEXING: u8 = 2;
/// [`Wave::special`]: MODE flushes f16 and f64 denormals.
pub const FLUSH16_64: u8 = 4;

/// [`Wave::special`]: MODE rounds one kind of floats otherwise than to nearest.
pub const ROUND: u8 = 8;

/// MODE bit that turns on VGPR indexing.
pub const MODE_GPR_IDX_EN: u32 = 1 << 27;

/// Whether a wave can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can.
    Ready,
    /// It waits at `s_barrier`.
    Barrier,
    /// It has ended.
    Ended,
}

/// Registers of one wave. Scalars are indexed by their source code, so `s[124]` is M0.
pub struct Wave {
    /// Temporaries, VGPRs, AccVGPRs.
    pub rows: Box<[Row]>,
    /// Scalar codes 0..=127.
    pub s: [u32; 128],
    /// SCC.
    pub scc: bool,
    /// MODE.
    pub mode: u32,
    /// What of MODE the fast paths do not do: [`FLUSH32`] …
    pub special: u8,
    /// Index of the next op.
    pub pc: usize,
    /// Number within the workgroup.
    pub number: u32,
    /// Can it go on.
    pub state: State,
    /// Instructions executed.
    pub executed: u64,
    /// SGPRs that held something when the wave started, from s0.
    pub initial_sgprs: u8,
    /// Private memory: each lane's bytes together, as dwords.
    pub scratch: Vec<u32>,
    /// Bytes of private memory of one lane.
    pub scratch_size: u32,
}

impl Wave {
    /// A wave with all registers zero.
    pub fn new() -> Wave {
        Wave {
            rows: vec![[0; 64]; ROWS].into_boxed_slice(),
            s: [0; 128],
            scc: false,
            mode: 0,
            special: 0,
            pc: 0,
            number: 0,
            state: State::Ready,
            executed: 0,
            initial_sgprs: 0,
            scratch: Vec::new(),
            scratch_size: 0,
        }
    }

    /// EXEC.
    #[inline(always)]
    pub fn exec(&self) -> u64 {
        self.s64(code::EXEC_LO as usize)
    }
    /// Sets EXEC.
    #[inline(always)]
    pub fn set_exec(&mut self, v: u64) {
        self.set_s64(code::EXEC_LO as usize, v);
    }
    /// VCC.
    #[inline(always)]
    pub fn vcc(&self) -> u64 {
        self.s64(code::VCC_LO as usize)
    }
    /// M0.
    #[inline(always)]
    pub fn m0(&self) -> u32 {
        self.s[code::M0 as usize]
    }
    /// A pair of scalar registers by the code of its first.
    #[inline(always)]
    pub fn s64(&self, c: usize) -> u64 {
        u64::from(self.s[c & 127]) | u64::from(self.s[(c + 1) & 127]) << 32
    }
    /// Sets a pair.
    #[inline(always)]
    pub fn set_s64(&mut self, c: usize, v: u64) {
        self.s[c & 127] = v as u32;
        self.s[(c + 1) & 127] = (v >> 32) as u32;
    }

    /// Sets MODE and what depends on it.
    pub fn set_mode(&mut self, mode: u32) {
        self.mode = mode;
        let mut special = 0;
        if mode >> 4 & 3 != 3 {
            special |= FLUSH32;
        }
        if mode >> 6 & 3 != 3 {
            special |= FLUSH16_64;
        }
        if mode & 15 != 0 {
            special |= ROUND;
        }
        if mode & MODE_GPR_IDX_EN != 0 {
            special |= INDEXING;
        }
        self.special = special;
    }

    /// Whether MODE has IEEE set.
    pub fn ieee(&self) -> bool {
        self.mode >> 9 & 1 != 0
    }
    /// Whether MODE has DX10_CLAMP set.
    pub fn dx10_clamp(&self) -> bool {
        self.mode >> 8 & 1 != 0
    }
    /// First active lane, 0 when none is (`v_readfirstlane_b32`).
    pub fn first_lane(&self) -> usize {
        match self.exec() {
            0 => 0,
            e => e.trailing_zeros() as usize,
        }
    }
}
