//! With the feature `host`, compiles the kernels for the processor.

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    #[cfg(feature = "host")]
    compile();
}

#[cfg(feature = "host")]
fn compile() {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").file("kernels/host.cpp").opt_level(2);
    // Bounds on rounding errors hold for operations rounded one by one.
    build.flag_if_supported("-ffp-contract=off").flag_if_supported("-Wno-unused-parameter");
    build.compile("fracas_gpu_host");
}
