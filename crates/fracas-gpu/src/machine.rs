//! The wall: the only file with unsafe code. Behind it are the CUDA driver and compiler, and the kernels as compiled for the
//! processor.
//!
//! A *machine* has memory, runs kernels on it in the order asked for, and copies between its memory and ours. Outside of
//! this file an address is a number that only kernels use.
//!
//! What makes it sound: kernels are our own and given in [`Arguments`], whose layout tests compare with theirs; [`Memory`] is
//! freed only when its owner is dropped, after the work on it has ended, since all work of a machine is in one stream;
//! copies check lengths; and the bytes that come back are numbers, for which every pattern is valid.

use crate::GpuError;
use crate::layout::{Arguments, BLOCK, Counters, Kernel};
use crate::source;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaGraph, CudaSlice, CudaStream, DevicePtr, DeviceRepr,
    DriverError, LaunchConfig, PushKernelArg, result, sys,
};
use cudarc::nvrtc;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};

/// Plain numbers that may be copied byte by byte.
///
/// # Safety
/// Implementors have no padding, and every pattern of bits is a value.
pub(crate) unsafe trait Plain: Copy + 'static {}
// SAFETY: numbers, and arrays and structures of numbers without gaps.
unsafe impl Plain for u32 {}
unsafe impl Plain for [u32; 2] {}
unsafe impl Plain for [u32; 4] {}
unsafe impl Plain for [f64; 3] {}
unsafe impl Plain for [f64; 18] {}
unsafe impl Plain for Counters {}

// SAFETY: all fields are plain numbers, laid out as in `kernels/layout.h`.
unsafe impl DeviceRepr for Arguments {}

/// Where kernels run.
pub(crate) enum Machine {
    Cuda(Box<Cuda>),
    #[cfg(feature = "host")]
    Host,
}

/// A piece of a machine's memory. Its contents are bytes; reading and writing is checked against its length.
pub(crate) struct Memory {
    bytes: usize,
    owner: Owner,
}

impl Memory {
    /// Its length.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

enum Owner {
    Cuda(CudaSlice<u8>),
    #[cfg(feature = "host")]
    Host(Vec<u128>),
}

/// Launches that have been put together to be run again and again.
pub(crate) enum Recorded {
    Cuda(CudaGraph),
    #[cfg(feature = "host")]
    Host {
        launches: Vec<(Kernel, u32)>,
        arguments: Box<Arguments>,
    },
}

/// A device, its kernels, and the stream in which all its work is done.
pub(crate) struct Cuda {
    stream: Arc<CudaStream>,
    functions: Vec<CudaFunction>,
    done: CudaEvent,
    counters: Pinned,
    name: String,
    processors: u32,
}

/// Page-locked memory for the counters of a step.
struct Pinned {
    at: *mut Counters,
    // Keeps the driver's context alive until the memory is freed.
    context: Arc<CudaContext>,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.context.record_err(self.context.bind_to_thread());
        // SAFETY: from `malloc_host`, and freed once.
        self.context.record_err(unsafe { result::free_host(self.at.cast()) });
    }
}

fn failed(what: &'static str) -> impl Fn(DriverError) -> GpuError {
    move |error| GpuError::Driver { what, reason: reason(&error) }
}

fn reason(error: &DriverError) -> String {
    match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => format!("{} ({})", text.to_string_lossy(), name.to_string_lossy()),
        _ => format!("{:?}", error.0),
    }
}

impl Machine {
    /// The first CUDA device, with the kernels compiled for it.
    pub(crate) fn cuda() -> Result<Self, GpuError> {
        let (context, functions) = ready()?;
        let stream = context.new_stream().map_err(failed("making a stream"))?;
        let done = context.new_event(None).map_err(failed("making an event"))?;
        // SAFETY: the memory is written before it is read: by `memset` below.
        let at =
            unsafe { result::malloc_host(size_of::<Counters>(), 0) }.map_err(failed("allocating memory"))?;
        // SAFETY: just allocated, large enough, aligned to pages.
        unsafe { std::ptr::write_bytes(at.cast::<u8>(), 0, size_of::<Counters>()) };
        let counters = Pinned { at: at.cast(), context: context.clone() };
        let processors = context
            .attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(failed("asking for the number of processors"))?;
        let name = context.name().unwrap_or_else(|_| "a CUDA device".into());
        Ok(Self::Cuda(Box::new(Cuda {
            stream,
            functions,
            done,
            counters,
            name,
            processors: processors as u32,
        })))
    }

    /// Name of the device.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Cuda(cuda) => &cuda.name,
            #[cfg(feature = "host")]
            Self::Host => "the processor",
        }
    }

    /// How many blocks keep the whole machine busy.
    pub(crate) fn full_grid(&self) -> u32 {
        match self {
            Self::Cuda(cuda) => cuda.processors * 8,
            #[cfg(feature = "host")]
            Self::Host => 3,
        }
    }

    /// Address of the stream, for programs that make their own kernels wait.
    pub(crate) fn stream_address(&self) -> u64 {
        match self {
            Self::Cuda(cuda) => cuda.stream.cu_stream() as u64,
            #[cfg(feature = "host")]
            Self::Host => 0,
        }
    }

    /// Memory for this many items, all bytes zero.
    pub(crate) fn allocate(&self, items: usize, bytes_each: usize) -> Result<Memory, GpuError> {
        // Never nothing, so that every address is one.
        let bytes = items.checked_mul(bytes_each).unwrap_or(usize::MAX / 2).max(16);
        let owner = match self {
            Self::Cuda(cuda) => match cuda.stream.alloc_zeros::<u8>(bytes) {
                Ok(slice) => Owner::Cuda(slice),
                Err(error) if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    return Err(GpuError::OutOfMemory { bytes });
                }
                Err(error) => return Err(failed("allocating memory")(error)),
            },
            #[cfg(feature = "host")]
            Self::Host => {
                let mut words = Vec::new();
                let count = bytes.div_ceil(16);
                words.try_reserve_exact(count).map_err(|_| GpuError::OutOfMemory { bytes })?;
                words.resize(count, 0);
                Owner::Host(words)
            }
        };
        Ok(Memory { bytes, owner })
    }

    /// Copies items into the memory, from its beginning on, in the order of launches.
    pub(crate) fn write<T: Plain>(&self, memory: &mut Memory, items: &[T]) -> Result<(), GpuError> {
        assert!(size_of_val(items) <= memory.bytes, "more items than there is room for");
        if items.is_empty() {
            return Ok(());
        }
        // SAFETY: `Plain` has no padding, and any bytes may be looked at as `u8`.
        let bytes = unsafe { std::slice::from_raw_parts(items.as_ptr().cast::<u8>(), size_of_val(items)) };
        match (self, &mut memory.owner) {
            (Self::Cuda(cuda), Owner::Cuda(slice)) => {
                cuda.stream.memcpy_htod(bytes, slice).map_err(failed("copying to the device"))
            }
            #[cfg(feature = "host")]
            (Self::Host, Owner::Host(words)) => {
                // SAFETY: both are valid for the length, which was checked, and do not overlap.
                unsafe {
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), words.as_mut_ptr().cast(), bytes.len())
                };
                Ok(())
            }
            #[cfg(feature = "host")]
            _ => unreachable!("memory of another machine"),
        }
    }

    /// Copies items out of the memory, from its beginning on, after all launches.
    pub(crate) fn read<T: Plain>(&self, memory: &Memory, items: &mut [T]) -> Result<(), GpuError> {
        assert!(size_of_val(items) <= memory.bytes, "more items than there are");
        if items.is_empty() {
            return Ok(());
        }
        // SAFETY: any bytes are valid as `Plain`.
        let bytes =
            unsafe { std::slice::from_raw_parts_mut(items.as_mut_ptr().cast::<u8>(), size_of_val(items)) };
        match (self, &memory.owner) {
            (Self::Cuda(cuda), Owner::Cuda(slice)) => {
                let view = slice.slice(..bytes.len());
                cuda.stream.memcpy_dtoh(&view, bytes).map_err(failed("copying from the device"))?;
                cuda.stream.synchronize().map_err(failed("copying from the device"))
            }
            #[cfg(feature = "host")]
            (Self::Host, Owner::Host(words)) => {
                // SAFETY: both are valid for the length, which was checked, and do not overlap.
                unsafe {
                    std::ptr::copy_nonoverlapping(words.as_ptr().cast(), bytes.as_mut_ptr(), bytes.len())
                };
                Ok(())
            }
            #[cfg(feature = "host")]
            _ => unreachable!("memory of another machine"),
        }
    }

    /// Copies one memory into another of the same length, in the order of launches.
    pub(crate) fn copy(&self, from: &Memory, to: &mut Memory) -> Result<(), GpuError> {
        assert_eq!(from.bytes, to.bytes, "memories of different lengths");
        match (self, &from.owner, &mut to.owner) {
            (Self::Cuda(cuda), Owner::Cuda(from), Owner::Cuda(to)) => {
                cuda.stream.memcpy_dtod(from, to).map_err(failed("copying on the device"))
            }
            #[cfg(feature = "host")]
            (Self::Host, Owner::Host(from), Owner::Host(to)) => {
                to.copy_from_slice(from);
                Ok(())
            }
            #[cfg(feature = "host")]
            _ => unreachable!("memory of another machine"),
        }
    }

    /// The address kernels know the memory by.
    pub(crate) fn address(&self, memory: &Memory) -> u64 {
        match (self, &memory.owner) {
            (Self::Cuda(cuda), Owner::Cuda(slice)) => slice.device_ptr(&cuda.stream).0,
            #[cfg(feature = "host")]
            (_, Owner::Host(words)) => words.as_ptr() as u64,
            #[cfg(feature = "host")]
            _ => unreachable!("memory of another machine"),
        }
    }

    /// Puts launches together: counters are cleared before, and brought back after them.
    pub(crate) fn record(
        &self,
        launches: &[(Kernel, u32)],
        arguments: &Arguments,
    ) -> Result<Recorded, GpuError> {
        match self {
            Self::Cuda(cuda) => {
                let what = failed("recording a step");
                let stream = &cuda.stream;
                stream.synchronize().map_err(&what)?;
                stream
                    .begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
                    .map_err(&what)?;
                let put = || -> Result<(), DriverError> {
                    // SAFETY: the counters' address is that of a memory of their size, kept by the caller of `launch`.
                    unsafe {
                        result::memset_d8_async(
                            arguments.counters,
                            0,
                            size_of::<Counters>(),
                            stream.cu_stream(),
                        )?;
                    }
                    for &(kernel, blocks) in launches {
                        cuda.launch(kernel, blocks, arguments)?;
                    }
                    // SAFETY: pinned memory of this size, which lives as long as the machine; looked at after waiting.
                    unsafe {
                        let to = std::slice::from_raw_parts_mut(cuda.counters.at, 1);
                        result::memcpy_dtoh_async(to, arguments.counters, stream.cu_stream())
                    }
                };
                let put = put();
                let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0));
                put.map_err(&what)?;
                let graph = graph.map_err(&what)?.ok_or_else(|| GpuError::Driver {
                    what: "recording a step",
                    reason: "nothing was recorded".into(),
                })?;
                graph.upload().map_err(&what)?;
                Ok(Recorded::Cuda(graph))
            }
            #[cfg(feature = "host")]
            Self::Host => Ok(Recorded::Host { launches: launches.to_vec(), arguments: Box::new(*arguments) }),
        }
    }

    /// Starts what was recorded. All memory its arguments name must be there until it is done.
    pub(crate) fn start(&mut self, recorded: &Recorded) -> Result<(), GpuError> {
        match (self, recorded) {
            (Self::Cuda(cuda), Recorded::Cuda(graph)) => {
                let what = failed("starting a step");
                graph.launch().map_err(&what)?;
                cuda.done.record(&cuda.stream).map_err(&what)
            }
            #[cfg(feature = "host")]
            (Self::Host, Recorded::Host { launches, arguments }) => {
                // SAFETY: the address is that of a memory of this size.
                unsafe { std::ptr::write_bytes(arguments.counters as *mut Counters, 0, 1) };
                launches.iter().try_for_each(|&(kernel, blocks)| launch_on_host(kernel, blocks, arguments))
            }
            #[cfg(feature = "host")]
            _ => unreachable!("recorded on another machine"),
        }
    }

    /// Whether everything that was started has ended.
    pub(crate) fn is_done(&self) -> Result<bool, GpuError> {
        match self {
            Self::Cuda(cuda) => cuda.done.try_is_complete().map_err(failed("asking for the state of a step")),
            #[cfg(feature = "host")]
            Self::Host => Ok(true),
        }
    }

    /// Waits for everything that was started; the counters of the last step.
    pub(crate) fn wait(&self, counters: &Memory) -> Result<Counters, GpuError> {
        match self {
            Self::Cuda(cuda) => {
                cuda.stream.synchronize().map_err(failed("a step"))?;
                // SAFETY: initialised at the beginning, written by the device, which has stopped.
                Ok(unsafe { cuda.counters.at.read_volatile() })
            }
            #[cfg(feature = "host")]
            Self::Host => match &counters.owner {
                // SAFETY: a memory for counters is as large as they are, and aligned to 16 bytes.
                Owner::Host(words) => Ok(unsafe { words.as_ptr().cast::<Counters>().read() }),
                Owner::Cuda(_) => unreachable!("memory of another machine"),
            },
        }
        .inspect(|_| debug_assert!(counters.bytes >= size_of::<Counters>()))
    }

    /// Runs one kernel and waits for it.
    pub(crate) fn run(&self, kernel: Kernel, blocks: u32, arguments: &Arguments) -> Result<(), GpuError> {
        match self {
            Self::Cuda(cuda) => {
                let what = failed("a kernel");
                cuda.launch(kernel, blocks, arguments).map_err(&what)?;
                cuda.stream.synchronize().map_err(&what)
            }
            #[cfg(feature = "host")]
            Self::Host => launch_on_host(kernel, blocks, arguments),
        }
    }

    /// A mark in the stream of work, for measuring.
    pub(crate) fn mark(&self) -> Result<Option<CudaEvent>, GpuError> {
        match self {
            Self::Cuda(cuda) => {
                let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
                cuda.stream.record_event(flags).map(Some).map_err(failed("setting a mark"))
            }
            #[cfg(feature = "host")]
            Self::Host => Ok(None),
        }
    }
}

/// Waits until work has passed a mark.
pub(crate) fn finish(mark: &Option<CudaEvent>) -> Result<(), GpuError> {
    mark.as_ref().map_or(Ok(()), |event| event.synchronize().map_err(failed("a step")))
}

/// Milliseconds between two marks; nothing on machines without marks.
pub(crate) fn between(from: &Option<CudaEvent>, to: &Option<CudaEvent>) -> Result<f64, GpuError> {
    match (from, to) {
        (Some(from), Some(to)) => from.elapsed_ms(to).map(f64::from).map_err(failed("reading a clock")),
        _ => Ok(0.0),
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // The device may still be writing counters.
        self.stream.context().record_err(self.stream.synchronize());
    }
}

impl Cuda {
    fn launch(&self, kernel: Kernel, blocks: u32, arguments: &Arguments) -> Result<(), DriverError> {
        if blocks == 0 {
            return Ok(());
        }
        let grid = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        let mut launch = self.stream.launch_builder(&self.functions[kernel as usize]);
        launch.arg(arguments);
        // SAFETY: each kernel takes the arguments by value and stays within the lengths they name.
        unsafe { launch.launch(grid) }.map(|_| ())
    }
}

/// A device that has been opened, and its kernels as soon as they have been compiled.
struct Device {
    context: Arc<CudaContext>,
    functions: Option<Vec<CudaFunction>>,
}

/// Opening the device takes a tenth of a second, so it stays open for the next soup.
static DEVICE: Mutex<Option<Device>> = Mutex::new(None);

/// Opens the first device, if that has not been done.
fn open(device: &mut Option<Device>) -> Result<&mut Device, GpuError> {
    if device.is_none() {
        // SAFETY: loads the driver's library and lets go of it.
        if !unsafe { sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        let context = CudaContext::new(0).map_err(|error| GpuError::NoDevice { reason: reason(&error) })?;
        // SAFETY: all work on our memory is in one stream, so its order needs no events.
        unsafe { context.disable_event_tracking() };
        *device = Some(Device { context, functions: None });
    }
    let device = device.as_mut().expect("just opened");
    device.context.bind_to_thread().map_err(failed("opening the device"))?;
    Ok(device)
}

/// The device and its kernels.
fn ready() -> Result<(Arc<CudaContext>, Vec<CudaFunction>), GpuError> {
    let mut device = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    let device = open(&mut device)?;
    if device.functions.is_none() {
        device.functions = Some(load_kernels(&device.context)?);
    }
    Ok((device.context.clone(), device.functions.clone().unwrap_or_default()))
}

/// Whether there is a device and a compiler; the device's name.
pub(crate) fn look_for_device() -> Result<String, GpuError> {
    let mut device = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    let device = open(&mut device)?;
    // SAFETY: loads the compiler's library and lets go of it.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err(GpuError::NoCompiler);
    }
    device.context.name().map_err(failed("asking for the device's name"))
}

/// The kernels, from the cache or from the compiler.
fn load_kernels(context: &Arc<CudaContext>) -> Result<Vec<CudaFunction>, GpuError> {
    // SAFETY: loads the compiler's library and lets go of it.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err(GpuError::NoCompiler);
    }
    let (major, minor) = context.compute_capability().map_err(failed("asking for the architecture"))?;
    let target = format!("sm_{major}{minor}");
    let mut options: Vec<String> = source::OPTIONS.map(String::from).to_vec();
    options.push(format!("--gpu-architecture={target}"));
    let mut version = (0, 0);
    // SAFETY: two places for two numbers.
    unsafe { nvrtc::sys::nvrtcVersion(&mut version.0, &mut version.1) };
    let file = source::cache_folder().map(|folder| source::cache_file(&folder, &target, version, &options));
    if let Some(image) = file.as_deref().and_then(source::read)
        && let Ok(functions) = functions_of(context, image)
    {
        return Ok(functions);
    }
    let image = compile(&target, &options)?;
    if let Some(file) = &file {
        source::write(file, &image);
    }
    functions_of(context, image).map_err(failed("loading the kernels"))
}

fn functions_of(context: &Arc<CudaContext>, image: Vec<u8>) -> Result<Vec<CudaFunction>, DriverError> {
    let module = context.load_module(nvrtc::Ptx::from_binary(image))?;
    Kernel::ALL.iter().map(|kernel| module.load_function(kernel.name())).collect()
}

/// Machine code for the target.
fn compile(target: &str, options: &[String]) -> Result<Vec<u8>, GpuError> {
    let refused = |log: String| GpuError::Compile { target: target.to_owned(), log };
    let code = |error: nvrtc::result::NvrtcError| refused(format!("{:?}", error.0));
    let text = std::ffi::CString::new(source::SOURCE).map_err(|_| refused("a zero in the source".into()))?;
    let program = nvrtc::result::create_program(&text, Some(c"fracas.cu")).map_err(code)?;
    // SAFETY: the program was made above and is destroyed after the last use.
    unsafe {
        let compiled = nvrtc::result::compile_program(program, options).map_err(|_| {
            let log = nvrtc::result::get_program_log(program).unwrap_or_default();
            // The log ends in a zero, or is empty.
            let bytes: Vec<u8> = log.iter().map(|&c| c as u8).collect();
            let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
            refused(text.to_string_lossy().into_owned())
        });
        let image = compiled.and_then(|()| {
            let mut size = 0;
            nvrtc::sys::nvrtcGetCUBINSize(program, &mut size).result().map_err(code)?;
            let mut image = vec![0_u8; size];
            nvrtc::sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result().map_err(code)?;
            Ok(image)
        });
        nvrtc::result::destroy_program(program).ok();
        image
    }
}

#[cfg(feature = "host")]
mod host {
    use super::{Arguments, GpuError, Kernel};

    unsafe extern "C" {
        fn fracas_host_launch(kernel: u32, blocks: u32, arguments: *const Arguments) -> i32;
        #[cfg(test)]
        fn fracas_host_sizes(sizes: *mut u64);
    }

    pub(super) fn launch_on_host(kernel: Kernel, blocks: u32, arguments: &Arguments) -> Result<(), GpuError> {
        // SAFETY: each kernel stays within the lengths its arguments name.
        match unsafe { fracas_host_launch(kernel as u32, blocks, arguments) } {
            0 => Ok(()),
            _ => Err(GpuError::Driver { what: "a kernel", reason: "there is no such kernel".into() }),
        }
    }

    #[cfg(test)]
    pub(super) fn sizes() -> [u64; 5] {
        let mut sizes = [0; 5];
        // SAFETY: room for the five numbers that are written.
        unsafe { fracas_host_sizes(sizes.as_mut_ptr()) };
        sizes
    }
}

#[cfg(feature = "host")]
use host::launch_on_host;

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;
    use crate::layout::{CORNERS_BYTES, PlanLayout, RECORD_BYTES};

    #[test]
    fn both_languages_mean_the_same_structures() {
        let ours = [
            size_of::<PlanLayout>(),
            size_of::<Counters>(),
            RECORD_BYTES,
            CORNERS_BYTES,
            size_of::<Arguments>(),
        ];
        assert_eq!(host::sizes(), ours.map(|size| size as u64));
    }

    #[test]
    fn memory_gives_back_what_was_put_in() {
        let machine = Machine::Host;
        let mut memory = machine.allocate(3, 8).unwrap();
        let mut back = [[7_u32; 2]; 3];
        machine.read(&memory, &mut back).unwrap();
        assert_eq!(back, [[0; 2]; 3]);
        machine.write(&mut memory, &[[1_u32, 2], [3, 4], [5, 6]]).unwrap();
        machine.read(&memory, &mut back).unwrap();
        assert_eq!(back, [[1, 2], [3, 4], [5, 6]]);
        let mut copy = machine.allocate(3, 8).unwrap();
        machine.copy(&memory, &mut copy).unwrap();
        back.fill([0; 2]);
        machine.read(&copy, &mut back).unwrap();
        assert_eq!(back, [[1, 2], [3, 4], [5, 6]]);
    }

    #[test]
    fn too_much_memory_is_an_error() {
        assert!(matches!(Machine::Host.allocate(usize::MAX / 64, 32), Err(GpuError::OutOfMemory { .. })));
    }
}
