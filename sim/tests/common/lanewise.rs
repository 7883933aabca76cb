//! Runs a piece of code over rows of inputs, a work-item each.

use std::fmt::Write as _;

use wavesmith_isa::Target;
use wavesmith_loader::{Device, DeviceError, Launch};
use wavesmith_sim::Emulator;

/// Runs `body` once for each row: its inputs are in `v8..`, its outputs, which start as `old`, in `v40..`.
pub fn run<const N: usize, const M: usize>(
    target: Target,
    body: &str,
    rows: &[[u32; N]],
    old: [u32; M],
) -> Vec<[u32; M]> {
    let mut source = format!(
        "s_load_dwordx4 s[4:7], s[0:1], 0x0
         v_lshl_add_u32 v0, s2, 6, v0
         v_mul_u32_u24_e32 v1, {}, v0
         v_mul_u32_u24_e32 v2, {}, v0
         s_waitcnt lgkmcnt(0)\n",
        4 * N,
        4 * M
    );
    for i in 0..N {
        let _ = writeln!(
            source,
            "global_load_dword v{}, v1, s[4:5] offset:{}",
            8 + i,
            4 * i
        );
    }
    for (i, v) in old.iter().enumerate() {
        let _ = writeln!(source, "v_mov_b32_e32 v{}, {v:#x}", 40 + i);
    }
    let _ = writeln!(source, "s_waitcnt vmcnt(0)\n{body}");
    for i in 0..M {
        let _ = writeln!(
            source,
            "global_store_dword v2, v{}, s[6:7] offset:{}",
            40 + i,
            4 * i
        );
    }
    source.push_str("s_endpgm");
    let object = super::object(&source, target, 1024, 3);
    let gpu = Emulator::new(target);
    let items = rows.len().next_multiple_of(64);
    let mut input: Vec<u8> = rows
        .iter()
        .flatten()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    input.resize(items * N * 4, 0);
    let run = || -> Result<Vec<u8>, DeviceError> {
        let module = gpu.load(&object)?;
        let (from, to) = (
            gpu.alloc(input.len() as u64)?,
            gpu.alloc((items * M * 4) as u64)?,
        );
        gpu.write(from, &input)?;
        let mut kernarg = from.0.to_le_bytes().to_vec();
        kernarg.extend(to.0.to_le_bytes());
        gpu.dispatch(&Launch {
            module,
            kernel: "k",
            grid: [items as u32, 1, 1],
            block: [64, 1, 1],
            dynamic_lds: 0,
            kernarg: &kernarg,
        })?;
        let mut out = vec![0; items * M * 4];
        gpu.read(to, &mut out)?;
        Ok(out)
    };
    let out = run().unwrap_or_else(|e| panic!("{body}: {e}"));
    out.as_chunks::<4>()
        .0
        .as_chunks::<M>()
        .0
        .iter()
        .take(rows.len())
        .map(|r| r.map(u32::from_le_bytes))
        .collect()
}
