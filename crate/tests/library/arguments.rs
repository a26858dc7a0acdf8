//! Launches that do not fit the kernel or the device are refused before anything runs.

use crate::{FILL, devices, registered};
use cornerturn::{Argument, Device, Error, Kernel, args};

fn reason(error: &Error) -> String {
    assert_eq!(error.exit_code(), 2, "{error}");
    error.to_string()
}

#[test]
fn arguments_are_checked_against_the_parameters() {
    let (kernel, _) = registered("padded");
    for device in devices() {
        let input = device.upload("input", &[1.0_f32; 15]).unwrap();
        let output = device.poisoned::<f32>("output", 15).unwrap();
        let doubles = device.poisoned::<f64>("doubles", 15).unwrap();
        let (rows, columns) = (3_usize, 5_usize);
        let launch = |arguments: &[Argument]| device.launch(&kernel, 1, (32, 8), arguments);
        let refuse = |arguments: &[Argument]| reason(&launch(arguments).unwrap_err());

        assert!(launch(args![input, output, rows, columns]).is_ok());
        let text = refuse(args![input, output, rows]);
        assert!(
            text.contains("4 arguments (in, out, rows, columns), and 3 were given"),
            "{text}"
        );
        let text = refuse(args![input, doubles, rows, columns]);
        assert!(
            text.contains("argument 2 (`out`) is buffer `doubles` of f64"),
            "{text}"
        );
        assert!(text.contains("pointer to f32"), "{text}");
        let text = refuse(args![input, rows, output, columns]);
        assert!(
            text.contains("argument 2 (`out`)") && text.contains("give it a buffer"),
            "{text}"
        );
        let text = refuse(args![input, output, output, columns]);
        assert!(
            text.contains("argument 3 (`rows`)") && text.contains("not a pointer"),
            "{text}"
        );
        let text = refuse(args![input, output, rows, 1_u64 << 40]);
        assert!(
            text.contains("argument 4 (`columns`)") && text.contains("32 bits"),
            "{text}"
        );
        let text = refuse(args![input, output, rows, 5.0]);
        assert!(text.contains("argument 4 (`columns`) is 5 (f64)"), "{text}");

        let elsewhere = Device::emulator()
            .upload("elsewhere", &[0.5_f32; 15])
            .unwrap();
        let text = refuse(args![elsewhere, output, rows, columns]);
        assert!(text.contains("another device"), "{text}");
    }
}

#[test]
fn limits_of_a_launch_are_checked() {
    let kernel = Kernel::ptx(FILL, "fill").unwrap();
    for device in devices() {
        let out = device.poisoned::<u32>("out", 64).unwrap();
        let refuse = |grid: (usize, usize, usize), block: (usize, usize, usize)| {
            reason(
                &device
                    .launch(&kernel, grid, block, args![out, 1])
                    .unwrap_err(),
            )
        };
        assert!(refuse((0, 1, 1), (32, 1, 1)).contains("0 blocks in x"));
        assert!(refuse((1, 65_536, 1), (32, 1, 1)).contains("65536 blocks in y"));
        assert!(refuse((1 << 31, 1, 1), (32, 1, 1)).contains("2147483648 blocks in x"));
        assert!(refuse((1, 1, 1), (32, 0, 1)).contains("0 threads in y"));
        assert!(refuse((1, 1, 1), (1025, 1, 1)).contains("1025 threads in x"));
        assert!(refuse((1, 1, 1), (1, 1, 65)).contains("65 threads in z"));
        assert!(refuse((1, 1, 1), (32, 33, 1)).contains("1056 threads"));
        assert!(device.launch(&kernel, 2, 32, args![out, 1]).is_ok());
    }
}

#[test]
fn buffers_know_their_size() {
    for device in devices() {
        let buffer = device.upload("numbers", &[1_u16, 2, 3]).unwrap();
        assert_eq!(
            (buffer.len(), buffer.bytes(), buffer.name()),
            (3, 6, "numbers")
        );
        assert_eq!(buffer.read().unwrap(), [1, 2, 3]);
        buffer.write(&[4, 5, 6]).unwrap();
        assert_eq!(buffer.read().unwrap(), [4, 5, 6]);
        assert!(
            reason(&buffer.write(&[1]).unwrap_err()).contains("holds 3 elements, and 1 were given")
        );
        buffer.poison().unwrap();
        assert_eq!(buffer.read().unwrap(), [0xFFFF; 3]);
        let raw = buffer.raw();
        let mut two = [0; 2];
        raw.write_at(2, &[7, 0]).unwrap();
        raw.read_at(2, &mut two).unwrap();
        assert_eq!(two, [7, 0]);
        assert!(reason(&raw.read_at(5, &mut two).unwrap_err()).contains("past its end"));
        assert!(reason(&raw.write_at(usize::MAX, &two).unwrap_err()).contains("past its end"));
        assert!(reason(&device.upload::<f32>("none", &[]).unwrap_err()).contains("`none`"));
        assert!(device.poisoned::<f64>("huge", usize::MAX / 2).is_err());
    }
}

/// Each thread passes its number through `extern __shared__` memory to `out`; at most 64 threads a block.
const THROUGH_SHARED: &str = r"
.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 4 .b8 words[];
.visible .entry through_shared(
    .param .u64 p0
)
.maxntid 64, 1, 1
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [p0];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, words;
    add.s32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r1;
    bar.sync 0;
    ld.shared.u32 %r4, [%r3];
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r4;
    ret;
}
";

#[test]
fn dynamic_shared_memory_and_launch_bounds_belong_to_the_launch() {
    let kernel = Kernel::ptx(THROUGH_SHARED, "through_shared").unwrap();
    for device in devices() {
        let out = device.poisoned::<u32>("out", 64).unwrap();
        let enough = kernel.with_dynamic_shared_bytes(256);
        let report = device.launch(&enough, 1, 64, args![out]).unwrap();
        assert_eq!(report.dynamic_shared_bytes, 256);
        assert_eq!(out.read().unwrap(), (0..64).collect::<Vec<u32>>());
        let text = reason(&device.launch(&enough, 1, 65, args![out]).unwrap_err());
        assert!(
            text.contains("65 threads") && text.contains("at most 64"),
            "{text}"
        );
    }
    // A GPU rounds the size up; the emulator takes it at its word.
    let device = Device::emulator();
    let out = device.poisoned::<u32>("out", 64).unwrap();
    let short = kernel.with_dynamic_shared_bytes(252);
    let error = device.launch(&short, 1, 64, args![out]).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("thread (63, 0, 0)"), "{error}");
}
