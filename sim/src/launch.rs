//! What a wave's registers hold when it starts (LLVM AMDGPU usage guide, "Initial Kernel Execution State").

use wavesmith_isa::Target;
use wavesmith_isa::operand::code;
use wavesmith_loader::Launch;
use wavesmith_loader::descriptor::KernelDescriptor;

use crate::wave::{AGPR, State, VGPR, Wave};

/// Bytes of stack on top of the stated ones, for kernels whose stack the compiler could not bound.
const DYNAMIC_STACK: u32 = 16 * 1024;

/// Addresses that a dispatch hands to its waves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses {
    /// AQL packet.
    pub packet: u64,
    /// Queue.
    pub queue: u64,
    /// Kernel arguments.
    pub kernarg: u64,
}

/// One dispatch's constants.
pub struct Setup {
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// Addresses.
    pub addresses: Addresses,
    /// The argument segment, for preloading.
    pub kernarg: Vec<u8>,
    /// First op.
    pub entry: usize,
    /// Grid in work-items.
    pub grid: [u32; 3],
    /// Workgroup in work-items.
    pub block: [u32; 3],
    /// Dwords of LDS.
    pub lds_dwords: usize,
    /// LDS bytes on top of what the kernel declares.
    pub dynamic_lds: u32,
}

impl Setup {
    /// LDS dwords of a launch, in the target's units.
    pub fn lds_dwords(d: &KernelDescriptor, launch: &Launch<'_>, target: Target) -> usize {
        let bytes = d.group_segment_fixed_size + launch.dynamic_lds;
        (bytes.next_multiple_of(target.lds_granule()) / 4) as usize
    }

    /// Bytes of LDS that the kernel and its launch ask for; the hardware rounds up.
    pub fn lds_bytes(&self) -> u32 {
        let fixed = self.descriptor.group_segment_fixed_size;
        fixed.saturating_add(self.dynamic_lds)
    }

    /// VGPRs and AccVGPRs of a wave.
    pub fn vector_registers(&self) -> (usize, usize) {
        let d = &self.descriptor;
        let allocated = (d.compute_pgm_rsrc1.granulated_workitem_vgpr_count() as usize + 1) * 8;
        let offset = (d.compute_pgm_rsrc3.accum_offset() as usize + 1) * 4;
        let agprs = allocated.saturating_sub(offset).min(256);
        (allocated.min(offset).min(256), agprs)
    }

    /// Private bytes of a work-item.
    pub fn scratch_size(&self) -> u32 {
        let fixed = self.descriptor.private_segment_fixed_size;
        let dynamic = self.descriptor.kernel_code_properties.uses_dynamic_stack();
        (fixed + if dynamic { DYNAMIC_STACK } else { 0 }).next_multiple_of(4)
    }

    /// Waves of a workgroup.
    pub fn waves(&self) -> u32 {
        self.block.iter().product::<u32>().div_ceil(64)
    }

    /// Starts wave `number` of workgroup `id` in `w`.
    pub fn start(&self, w: &mut Wave, id: [u32; 3], number: u32) {
        let d = &self.descriptor;
        let (vgprs, agprs) = self.vector_registers();
        w.rows[..VGPR + vgprs].fill([0; 64]);
        w.rows[AGPR..AGPR + agprs].fill([0; 64]);
        w.s = [0; 128];
        w.scc = false;
        w.pc = self.entry;
        w.number = number;
        w.state = State::Ready;
        w.executed = 0;
        let r1 = &d.compute_pgm_rsrc1;
        let rounding = r1.float_round_mode_32() | r1.float_round_mode_16_64() << 2;
        let denorm = r1.float_denorm_mode_32() | r1.float_denorm_mode_16_64() << 2;
        w.set_mode(
            rounding
                | denorm << 4
                | u32::from(r1.enable_dx10_clamp()) << 8
                | u32::from(r1.enable_ieee_mode()) << 9
                | u32::from(r1.fp16_ovfl()) << 23,
        );
        w.scratch_size = self.scratch_size();
        w.scratch.clear();
        w.scratch.resize(w.scratch_size as usize * 64 / 4, 0);
        self.scalars(w, id);
        self.lanes(w, id, number);
    }

    fn scalars(&self, w: &mut Wave, id: [u32; 3]) {
        let p = &self.descriptor.kernel_code_properties;
        let r2 = &self.descriptor.compute_pgm_rsrc2;
        let mut n = 0;
        let put = |w: &mut Wave, n: &mut usize, v: u32| {
            if *n < 102 {
                w.s[*n] = v;
            }
            *n += 1;
        };
        let pair = |v: u64| [v as u32, (v >> 32) as u32];
        let a = &self.addresses;
        let mut values: Vec<u32> = Vec::with_capacity(16);
        if p.enable_sgpr_private_segment_buffer() {
            values.extend([0; 4]);
        }
        if p.enable_sgpr_dispatch_ptr() {
            values.extend(pair(a.packet));
        }
        if p.enable_sgpr_queue_ptr() {
            values.extend(pair(a.queue));
        }
        if p.enable_sgpr_kernarg_segment_ptr() {
            values.extend(pair(a.kernarg));
        }
        if p.enable_sgpr_dispatch_id() {
            values.extend([0; 2]);
        }
        if p.enable_sgpr_flat_scratch_init() {
            values.extend([0; 2]);
        }
        if p.enable_sgpr_private_segment_size() {
            values.push(self.scratch_size());
        }
        let preload = &self.descriptor.kernarg_preload;
        for i in 0..preload.length() as usize {
            let at = (preload.offset() as usize + i) * 4;
            let word = self.kernarg.get(at..at + 4).and_then(|b| b.try_into().ok());
            values.push(word.map_or(0, u32::from_le_bytes));
        }
        // The count may reserve more than is set up.
        values.resize((r2.user_sgpr_count() as usize).max(values.len()), 0);
        for v in values {
            put(w, &mut n, v);
        }
        let system = [
            (r2.enable_sgpr_workgroup_id_x(), id[0]),
            (r2.enable_sgpr_workgroup_id_y(), id[1]),
            (r2.enable_sgpr_workgroup_id_z(), id[2]),
            (r2.enable_sgpr_workgroup_info(), 0),
        ];
        for (on, v) in system {
            if on {
                put(w, &mut n, v);
            }
        }
        w.initial_sgprs = n.min(102) as u8;
        // M0 starts at the LDS size, so that its clamp allows all of it.
        w.s[code::M0 as usize] = (self.lds_dwords * 4) as u32;
    }

    fn lanes(&self, w: &mut Wave, id: [u32; 3], number: u32) {
        let [bx, by, bz] = self.block;
        let mut exec = 0u64;
        for l in 0..64u32 {
            let flat = number * 64 + l;
            let (x, y, z) = (flat % bx, flat / bx % by, flat / (bx * by));
            let local = [x, y, z];
            let inside = z < bz
                && (0..3).all(|i| {
                    u64::from(id[i]) * u64::from(self.block[i]) + u64::from(local[i])
                        < u64::from(self.grid[i])
                });
            if z < bz {
                w.rows[VGPR][l as usize] = x | y << 10 | z << 20;
            }
            exec |= u64::from(inside) << l;
        }
        w.set_exec(exec);
        if exec == 0 {
            // The dispatcher starts no wave without work-items.
            w.state = State::Ended;
        }
    }

    /// The AQL packet's bytes.
    pub fn packet(&self, launch: &Launch<'_>, object: u64) -> [u8; 64] {
        let mut b = [0; 64];
        let mut put = |at: usize, v: &[u8]| b[at..at + v.len()].copy_from_slice(v);
        let dims = (1..=3)
            .rev()
            .find(|n| *n == 1 || self.grid[n - 1] > 1)
            .unwrap_or(1) as u16;
        // Kernel dispatch, system scope acquire and release.
        put(0, &(2u16 | 2 << 9 | 2 << 11).to_le_bytes());
        put(2, &dims.to_le_bytes());
        for i in 0..3 {
            put(4 + 2 * i, &(self.block[i] as u16).to_le_bytes());
            put(12 + 4 * i, &self.grid[i].to_le_bytes());
        }
        put(24, &self.scratch_size().to_le_bytes());
        let lds = self.descriptor.group_segment_fixed_size + launch.dynamic_lds;
        put(28, &lds.to_le_bytes());
        put(32, &object.to_le_bytes());
        put(40, &self.addresses.kernarg.to_le_bytes());
        b
    }
}
