//! Programs that do something wrong: what they are told, and that they end as they would have.

use crate::{child, passes, report};
use cornerturn_cuda::{Driver, Kind, LoadedModule, Place, Status};
use cudarc::driver::sys;
use std::ffi::CString;
use std::os::unix::process::ExitStatusExt;
use std::ptr::null_mut;
use std::sync::Arc;

/// One thread that does something with the address that it is given.
fn ptx(body: &str) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
         ld.param.u64 %rd1, [p0];\n{body}\nret;\n}}\n"
    )
}

fn load(driver: &Driver, body: &str) -> Arc<LoadedModule> {
    driver.load_ptx(&ptx(body)).unwrap()
}

fn launch(
    driver: &'static Driver,
    module: &Arc<LoadedModule>,
    address: u64,
) -> cornerturn_cuda::Result<()> {
    let function = driver.function(module, "k")?;
    let launch = cornerturn_cuda::KernelLaunch {
        arguments: function.arguments(&address.to_le_bytes())?,
        function,
        grid: [1; 3],
        block: [1; 3],
        shared_bytes: 0,
        cluster: None,
        is_cooperative: false,
        is_programmatic: false,
    };
    driver.submit(0, cornerturn_cuda::Work::Kernel(launch))
}

/// Faults come from the first call that waits on, and stay until the context is reset.
#[test]
#[ignore = "run by `faults_stay`"]
fn faults() {
    let driver = Driver::start().unwrap();
    for (body, status) in [
        ("st.global.u32 [%rd1+4096], 1;", Status::ILLEGAL_ADDRESS),
        ("st.global.u32 [%rd1+2], 1;", Status::MISALIGNED_ADDRESS),
        ("trap;", Status::LAUNCH_FAILED),
        ("LOOP: bra LOOP;", Status::LAUNCH_TIMEOUT),
    ] {
        driver.use_device(0).unwrap();
        cornerturn_cuda::set_place(Some(Place {
            file: "main.cu".to_string(),
            line: 7,
        }));
        let buffer = driver.allocate(64, Kind::Device, Some("d_values")).unwrap();
        let module = load(driver, body);
        assert_eq!(launch(driver, &module, buffer), Ok(()), "{body}");
        // Not yet told, and nothing more is carried out.
        let fine = load(driver, "trap;");
        assert_eq!(launch(driver, &fine, buffer), Ok(()), "{body}");
        assert_eq!(driver.synchronize().unwrap_err().status, status, "{body}");
        let later = driver.allocate(64, Kind::Device, None);
        assert_eq!(later.unwrap_err().status, status, "{body}");
        driver.reset_primary(0).unwrap();
    }
    driver.use_device(0).unwrap();
    assert_eq!(driver.synchronize(), Ok(()));
    let twice = driver.allocate(64, Kind::Device, Some("d_twice")).unwrap();
    driver.free(twice, &[Kind::Device]).unwrap();
    let error = driver.free(twice, &[Kind::Device]).unwrap_err();
    assert_eq!(error.status, Status::INVALID_VALUE);
}

#[test]
fn faults_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    passes(
        "misuse::faults",
        &[("CORNERTURN_REPORT", path.to_str().unwrap())],
    );
    let report = report(&path);
    let kernels = report["kernels"].as_array().unwrap();
    let kinds: Vec<&str> = kernels
        .iter()
        .map(|one| one["findings"][0]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["out_of_bounds", "misaligned", "trap", "endless_loop"]
    );
    assert_eq!(kernels[1]["findings"][0]["buffer"], "d_values");
    assert_eq!(
        (&kernels[0]["file"], &kernels[0]["line"]),
        (&"main.cu".into(), &7.into())
    );
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(
        (findings.len(), &findings[0]["kind"]),
        (1, &"invalid_free".into())
    );
    let remarks = report["remarks"].as_array().unwrap();
    let leak = remarks.iter().find(|one| one["kind"] == "leak").unwrap();
    assert_eq!(
        leak["message"],
        "`d_values`, 64 bytes of device memory, is never freed"
    );
    assert_eq!((&leak["line"], &leak["count"]), (&7.into(), &4.into()));
}

/// Host code that follows a device pointer.
#[test]
#[ignore = "run by `a_device_pointer_on_the_host_is_named`"]
fn follows_a_device_pointer() {
    let driver = Driver::start().unwrap();
    driver.use_device(0).unwrap();
    let buffer = driver.allocate(64, Kind::Device, Some("d_values")).unwrap();
    // SAFETY: none: this is the mistake that is tried, in a process of its own.
    let value = unsafe { ((buffer + 8) as *const u32).read_volatile() };
    panic!("it is {value}");
}

#[test]
fn a_device_pointer_on_the_host_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let variables = [("CORNERTURN_REPORT", path.to_str().unwrap())];
    let output = child("misuse::follows_a_device_pointer", &variables);
    assert_eq!(output.status.signal(), Some(11), "{:?}", output.status);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("byte 8 of `d_values`, which is device memory"),
        "{stderr}"
    );
    assert_eq!(report(&path)["findings"][0]["kind"], "invalid_address");
}

/// Loads machine code, and PTX that is none, through the C functions.
#[test]
#[ignore = "run by `images_without_ptx_are_explained`"]
fn loads_machine_code() {
    // SAFETY: the driver is started as its manual says; an image that is long enough for what is read of it.
    unsafe {
        sys::cuInit(0).result().unwrap();
        let (mut context, mut module) = (null_mut(), null_mut());
        sys::cuDevicePrimaryCtxRetain(&mut context, 0)
            .result()
            .unwrap();
        sys::cuCtxSetCurrent(context).result().unwrap();
        let elf = b"\x7fELF and more than enough bytes behind it";
        let error = sys::cuModuleLoadData(&mut module, elf.as_ptr().cast());
        assert_eq!(error, sys::CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
        let text = CString::new(ptx("no PTX at all")).unwrap();
        let error = sys::cuModuleLoadData(&mut module, text.as_ptr().cast());
        assert_ne!(error, sys::CUresult::CUDA_SUCCESS);
        for (new, code) in [
            (
                ("7.0", "99.0"),
                sys::CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            ),
            (
                ("sm_75", "sm_121"),
                sys::CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
            ),
        ] {
            let text = CString::new(ptx("").replace(new.0, new.1)).unwrap();
            assert_eq!(
                sys::cuModuleLoadData(&mut module, text.as_ptr().cast()),
                code
            );
        }
        assert_eq!(
            sys::cuModuleUnload(null_mut()),
            sys::CUresult::CUDA_ERROR_INVALID_HANDLE
        );
    }
}

#[test]
fn images_without_ptx_are_explained() {
    let (_, stderr) = passes("misuse::loads_machine_code", &[]);
    assert!(
        stderr.contains(
            "cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU: the module has machine code only"
        ),
        "{stderr}"
    );
    assert!(
        stderr.contains("CUDA_ERROR_INVALID_PTX: PTX line 10"),
        "{stderr}"
    );
}

#[test]
#[ignore = "run by `wrong_variables_are_refused`"]
fn is_refused() {
    // SAFETY: the driver is started as its manual says.
    let error = unsafe { sys::cuInit(0) };
    assert_eq!(error, sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    let mut count = 0;
    // SAFETY: a place for the count.
    let later = unsafe { sys::cuDeviceGetCount(&mut count) };
    assert_eq!(later, sys::CUresult::CUDA_ERROR_NOT_INITIALIZED);
}

#[test]
fn wrong_variables_are_refused() {
    for (name, value) in [("CORNERTURN_DEVICES", "many"), ("CORNERTURN_CHECK", "2")] {
        let (_, stderr) = passes("misuse::is_refused", &[(name, value)]);
        assert!(
            stderr.contains(&format!("cornerturn: {name}={value}: it is ")),
            "{stderr}"
        );
    }
}
