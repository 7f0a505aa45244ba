//! Everything that can go wrong, each as one sentence.

/// Why there is no answer from the device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// The machine has no CUDA driver.
    #[error("there is no CUDA driver on this machine")]
    NoDriver,
    /// The driver knows no device, or none that it may use.
    #[error("the CUDA driver offers no device: {reason}")]
    NoDevice {
        /// What the driver said.
        reason: String,
    },
    /// NVRTC, the compiler for kernels, is not installed or not on the search path for libraries.
    #[error("the library NVRTC, which compiles the kernels, was not found (it comes with the CUDA toolkit)")]
    NoCompiler,
    /// The kernels were refused.
    #[error("the kernels do not compile for {target}: {log}")]
    Compile {
        /// The architecture they were compiled for.
        target: String,
        /// What the compiler said.
        log: String,
    },
    /// The device has too little memory.
    #[error("the device has no room for {bytes} more bytes")]
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// The driver failed.
    #[error("{what} failed on the device: {reason}")]
    Driver {
        /// What was being done.
        what: &'static str,
        /// What the driver said.
        reason: String,
    },
    /// A position on the device is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// The first such vertex that a triangle names.
        vertex: u32,
    },
    /// New positions for another number of vertices.
    #[error("{given} positions for {expected} vertices")]
    WrongVertexCount {
        /// Vertices of all meshes.
        expected: usize,
        /// Positions given.
        given: usize,
    },
    /// More vertices, triangles, meshes or pairs than can be counted on the device.
    #[error("{count} {what} are more than the {most} that the device can count")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}
