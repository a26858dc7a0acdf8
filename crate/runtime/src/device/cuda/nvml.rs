//! NVML, the library that manages GPUs, where it is installed. A machine without it loses these facts and nothing else.

use cornerturn_base::clocks::Clocks;
use cornerturn_base::libraries;
use libloading::Library;
use std::ffi::{CString, c_char, c_uint, c_ulonglong, c_void};

/// NVML's names for the bits of `nvmlDeviceGetCurrentClocksThrottleReasons`, without those that mean no harm: idle
/// (0x1), an application's own clock setting (0x2), sync boost (0x10), the display's setting (0x100).
const THROTTLE_REASONS: [(c_ulonglong, &str); 5] = [
    (0x4, "software power cap"),
    (0x8, "hardware slowdown"),
    (0x20, "software thermal slowdown"),
    (0x40, "hardware thermal slowdown"),
    (0x80, "hardware power brake slowdown"),
];

const CLOCK_SM: c_uint = 1;
const CLOCK_MEMORY: c_uint = 2;

type Handle = *mut c_void;
type Init = unsafe extern "C" fn() -> c_uint;
type ByBusId = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_uint;
type ClockInfo = unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_uint;
type Reasons = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_uint;
type DriverVersion = unsafe extern "C" fn(*mut c_char, c_uint) -> c_uint;

/// NVML with one GPU chosen.
pub(crate) struct Nvml {
    library: Library,
    handle: Handle,
}

// SAFETY: NVML may be called from any thread, from several at a time (NVML API Reference, section 2), and the handle
// stays valid in all of them.
unsafe impl Send for Nvml {}
// SAFETY: as above.
unsafe impl Sync for Nvml {}

impl Nvml {
    /// NVML for the GPU at a PCI bus id; `None` where it is not there.
    pub(crate) fn open(bus_id: &str) -> Option<Self> {
        let bus_id = CString::new(bus_id).ok()?;
        // SAFETY: loading NVIDIA's management library runs no initialisation of its own.
        let library = libraries::NVML
            .iter()
            .find_map(|name| unsafe { Library::new(*name) }.ok())?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the signatures are the NVML manual's; `handle` is writable and the id NUL-terminated.
        unsafe {
            let init = library.get::<Init>(b"nvmlInit_v2\0").ok()?;
            if init() != 0 {
                return None;
            }
            let by_bus_id = library
                .get::<ByBusId>(b"nvmlDeviceGetHandleByPciBusId_v2\0")
                .ok()?;
            if by_bus_id(bus_id.as_ptr(), &mut handle) != 0 {
                return None;
            }
        }
        Some(Self { library, handle })
    }

    /// The clocks now.
    pub(crate) fn clocks(&self) -> Clocks {
        Clocks {
            sm_mhz: self.clock(CLOCK_SM),
            memory_mhz: self.clock(CLOCK_MEMORY),
            throttle_reasons: self.throttle_reasons(),
        }
    }

    fn clock(&self, which: c_uint) -> Option<u32> {
        let mut mhz = 0;
        // SAFETY: the signature is the NVML manual's; the handle is the one NVML gave and `mhz` writable.
        let code = unsafe {
            let info = self
                .library
                .get::<ClockInfo>(b"nvmlDeviceGetClockInfo\0")
                .ok()?;
            info(self.handle, which, &mut mhz)
        };
        (code == 0).then_some(mhz)
    }

    fn throttle_reasons(&self) -> Vec<String> {
        let mut bits = 0;
        let name = b"nvmlDeviceGetCurrentClocksThrottleReasons\0";
        // SAFETY: as above.
        let code = unsafe {
            match self.library.get::<Reasons>(name) {
                Ok(reasons) => reasons(self.handle, &mut bits),
                Err(_) => return Vec::new(),
            }
        };
        if code == 0 { reasons(bits) } else { Vec::new() }
    }

    /// The driver's version, such as `570.86.15`; empty where NVML does not tell.
    pub(crate) fn driver_version(&self) -> String {
        let mut text = [0_u8; 96];
        // SAFETY: the signature is the NVML manual's; the buffer has the length given.
        let code = unsafe {
            match self
                .library
                .get::<DriverVersion>(b"nvmlSystemGetDriverVersion\0")
            {
                Ok(version) => version(text.as_mut_ptr().cast(), text.len() as c_uint),
                Err(_) => return String::new(),
            }
        };
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(0);
        if code == 0 {
            String::from_utf8_lossy(&text[..end]).into_owned()
        } else {
            String::new()
        }
    }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: `open` initialised it; NVML counts its users.
        unsafe {
            if let Ok(shutdown) = self.library.get::<Init>(b"nvmlShutdown\0") {
                shutdown();
            }
        }
    }
}

fn reasons(bits: c_ulonglong) -> Vec<String> {
    let held = THROTTLE_REASONS.iter().filter(|(bit, _)| bits & bit != 0);
    held.map(|(_, name)| (*name).to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttle_bits_become_words() {
        assert_eq!(reasons(0x1 | 0x2), Vec::<String>::new());
        assert_eq!(
            reasons(0x4 | 0x40),
            ["software power cap", "hardware thermal slowdown"]
        );
    }

    #[test]
    fn a_machine_without_the_gpu_gives_no_nvml() {
        assert!(Nvml::open("no such bus id").is_none());
    }
}
