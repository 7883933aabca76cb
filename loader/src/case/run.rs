//! A whole case on a device.

use super::compare::{Comparison, compare};
use super::file::{ArgSpec, wrong};
use super::init::slice;
use super::{Case, CaseError, Dtype};
use crate::device::{Device, DeviceError, DevicePtr, DispatchReport, Launch};
use crate::kernarg::{LaunchShape, fill_hidden};
use crate::metadata::{Arg, KernelMetadata, ValueKind};
use crate::object::ObjectFile;

/// One buffer after the run.
#[derive(Debug, Clone, PartialEq)]
pub struct BufferResult {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// How it compares; `None` where nothing was expected.
    pub comparison: Option<Comparison>,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseReport {
    /// The kernel that ran.
    pub kernel: String,
    /// What the device tells.
    pub dispatch: DispatchReport,
    /// The buffers, in the case's order.
    pub buffers: Vec<BufferResult>,
}

impl CaseReport {
    /// Whether everything compared came out right.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.buffers
            .iter()
            .filter_map(|b| b.comparison)
            .all(|c| c.wrong == 0)
    }
}

impl Case {
    /// Runs the case with this code object: fills the buffers, launches, compares. Everything taken from the device is
    /// given back, also after an error.
    ///
    /// # Errors
    /// [`CaseError`]; wrong results are in the report instead.
    pub fn run(&self, device: &dyn Device, object: &[u8]) -> Result<CaseReport, CaseError> {
        self.launch.check()?;
        let file = ObjectFile::parse(object)?;
        if file.platform.target != device.target() {
            let (expected, found) = (device.target(), file.platform.target);
            return Err(DeviceError::WrongTarget { expected, found }.into());
        }
        let kernel = self.kernel_name(&file)?;
        let module = device.load(object)?;
        let mut held = Vec::new();
        let result = self.run_loaded(device, &file, &kernel, module, &mut held);
        let freed = held
            .into_iter()
            .map(|ptr| device.free(ptr))
            .fold(Ok(()), Result::and);
        let unloaded = device.unload(module);
        let report = result?;
        freed?;
        unloaded?;
        Ok(report)
    }

    fn run_loaded(
        &self,
        device: &dyn Device,
        file: &ObjectFile<'_>,
        kernel: &str,
        module: crate::device::ModuleId,
        held: &mut Vec<DevicePtr>,
    ) -> Result<CaseReport, CaseError> {
        for buffer in &self.launch.buffers {
            let contents = self.contents(buffer)?;
            // A buffer of no bytes still has an address.
            let ptr = device.alloc(buffer.size.max(1))?;
            held.push(ptr);
            device.label(ptr, &buffer.name);
            device.write(ptr, &contents)?;
        }
        let metadata = file.metadata.as_ref().and_then(|m| m.kernel(kernel));
        let kernarg = self.kernarg(metadata, held)?;
        let launch = Launch {
            module,
            kernel,
            grid: self.launch.grid,
            block: self.launch.block,
            dynamic_lds: self.launch.dynamic_lds,
            kernarg: &kernarg,
        };
        let dispatch = device.dispatch(&launch)?;
        let mut buffers = Vec::new();
        let mut expected_bytes = None;
        for (buffer, ptr) in self.launch.buffers.iter().zip(held.iter()) {
            let mut bytes = vec![0; buffer.size as usize];
            device.read(*ptr, &mut bytes)?;
            let mut comparison = None;
            if let Some(offset) = buffer.expected_offset {
                let all = match &mut expected_bytes {
                    Some(all) => all,
                    none => none.insert(
                        self.companion("expected_file", self.launch.expected_file.as_ref())?,
                    ),
                };
                let expected = slice(all, offset, buffer.size).ok_or_else(|| {
                    let expected = format!(
                        "{} bytes within the {} of expected_file",
                        buffer.size,
                        all.len()
                    );
                    wrong(format!("{}.expected_offset", buffer.name), expected, offset)
                })?;
                let (rtol, atol) = (buffer.rtol, buffer.atol);
                comparison = Some(compare(
                    &bytes,
                    expected,
                    buffer.compare,
                    buffer.dtype,
                    rtol,
                    atol,
                ));
            }
            buffers.push(BufferResult {
                name: buffer.name.clone(),
                bytes,
                comparison,
            });
        }
        Ok(CaseReport {
            kernel: kernel.to_owned(),
            dispatch,
            buffers,
        })
    }

    fn kernel_name(&self, file: &ObjectFile<'_>) -> Result<String, CaseError> {
        match (&self.launch.kernel, file.kernels.as_slice()) {
            (Some(name), _) => Ok(file.kernel(name)?.name.clone()),
            (None, [only]) => Ok(only.name.clone()),
            (None, several) => {
                let found = format!("{} kernels in the object", several.len());
                Err(wrong(
                    "kernel".to_owned(),
                    "a name, or an object with one kernel".to_owned(),
                    found,
                ))
            }
        }
    }

    /// The argument segment: `kernarg_file` or zeros, then buffers' addresses, then `args`, then the hidden arguments.
    ///
    /// # Errors
    /// [`CaseError::Field`], [`CaseError::Kernarg`], [`CaseError::Read`].
    pub fn kernarg(
        &self,
        metadata: Option<&KernelMetadata>,
        buffers: &[DevicePtr],
    ) -> Result<Vec<u8>, CaseError> {
        let launch = &self.launch;
        launch.check()?;
        let mut bytes = match &launch.kernarg_file {
            Some(file) => self.companion("kernarg_file", Some(file))?.into_owned(),
            None => Vec::new(),
        };
        let stated = metadata.map_or(0, |m| m.kernarg_segment_size.min(1 << 20)) as usize;
        let ends = launch.args.iter().map(|a| (a.offset + a.size) as usize);
        let pointers = launch
            .buffers
            .iter()
            .filter_map(|b| b.kernarg_offset)
            .map(|at| at as usize + 8);
        let size = ends
            .chain(pointers)
            .chain([stated, bytes.len()])
            .max()
            .unwrap_or(0);
        bytes.resize(size, 0);
        let address = |name: &str| {
            let found = launch
                .buffers
                .iter()
                .zip(buffers)
                .find(|(b, _)| b.name == name);
            found.map_or(0, |(_, ptr)| ptr.0)
        };
        for buffer in &launch.buffers {
            if let Some(at) = buffer.kernarg_offset {
                bytes[at as usize..at as usize + 8]
                    .copy_from_slice(&address(&buffer.name).to_le_bytes());
            }
        }
        let mut hidden = Vec::new();
        for (i, arg) in launch.args.iter().enumerate() {
            let room = &mut bytes[arg.offset as usize..(arg.offset + arg.size) as usize];
            match (arg.kind.as_str(), &arg.buffer, &arg.value) {
                ("global_buffer", Some(name), _) => {
                    room.copy_from_slice(
                        &address(name).wrapping_add(arg.buffer_offset).to_le_bytes(),
                    );
                }
                (kind, _, None) => hidden.push(Arg::new(
                    arg.offset,
                    arg.size,
                    ValueKind::from(kind.to_owned()),
                )),
                (_, _, Some(_)) => put_value(arg, i, room)?,
            }
        }
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds,
            ..LaunchShape::default()
        };
        if let Some(metadata) = metadata {
            fill_hidden(metadata, &mut bytes, &shape)?;
        }
        let described = KernelMetadata {
            args: Some(hidden),
            ..KernelMetadata::default()
        };
        fill_hidden(&described, &mut bytes, &shape)?;
        Ok(bytes)
    }
}

/// A number, or a list of numbers one behind the other.
fn put_value(arg: &ArgSpec, index: usize, room: &mut [u8]) -> Result<(), CaseError> {
    let value = arg.value.clone().unwrap_or(serde_json::Value::Null);
    let items = match value {
        serde_json::Value::Array(items) => items,
        single => vec![single],
    };
    let size = match arg.dtype {
        Some(dtype) => dtype.size(),
        None => room.len() / items.len().max(1),
    };
    let mut bytes = Vec::new();
    for item in &items {
        let bad = || {
            let expected = format!("numbers of {size} bytes");
            wrong(format!("args[{index}].value"), expected, item)
        };
        match (arg.dtype, item.as_i64(), item.as_u64(), item.as_f64()) {
            (Some(dtype), _, _, Some(v)) if dtype.is_float() => dtype.push(v, &mut bytes),
            (None, None, None, Some(v)) if size == 4 => Dtype::F32.push(v, &mut bytes),
            (None, None, None, Some(v)) if size == 8 => Dtype::F64.push(v, &mut bytes),
            (_, Some(v), _, _) if fits(v.into(), size) => bytes.extend(&v.to_le_bytes()[..size]),
            (_, _, Some(v), _) if fits(v.into(), size) => bytes.extend(&v.to_le_bytes()[..size]),
            _ => return Err(bad()),
        }
    }
    if bytes.len() != room.len() {
        let found = format!("{} bytes", bytes.len());
        return Err(wrong(
            format!("args[{index}].value"),
            format!("{} bytes", room.len()),
            found,
        ));
    }
    room.copy_from_slice(&bytes);
    Ok(())
}

/// Whether a number is one of `size` bytes, signed or unsigned.
fn fits(value: i128, size: usize) -> bool {
    matches!(size, 1..=8) && value >= -(1i128 << (8 * size - 1)) && value < 1i128 << (8 * size)
}
