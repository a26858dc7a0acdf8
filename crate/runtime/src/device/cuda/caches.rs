//! What launches ask of the caches, told to the driver for as long as they run. Whether it may be asked is checked before, in `launch`.

use super::driver::{Driver, Failure, check};
use super::{CudaDevice, State};
use crate::device::Prepared;
use cornerturn_base::caches::{AccessProperty, CacheLimits};
use cornerturn_base::error::Result;
use cudarc::driver::sys::{
    CUaccessPolicyWindow_st, CUaccessProperty, CUcontext, CUdevice_attribute_enum as Attribute,
    CUfunction, CUlaunchAttributeValue,
};
use std::ffi::{c_int, c_uint};

/// `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`, and its value for the driver's own choice.
const CARVEOUT: c_uint = 9;
const DRIVERS_CHOICE: c_int = -1;
/// `CU_LIMIT_PERSISTING_L2_CACHE_SIZE`.
const PERSISTING_LIMIT: c_uint = 6;
/// `CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`.
const WINDOW: c_uint = 1;

/// What the device allows, and what a new context sets aside.
pub(super) fn limits(
    driver: &Driver,
    context: CUcontext,
    attribute: &dyn Fn(Attribute) -> Result<c_int>,
) -> Result<CacheLimits> {
    let bytes =
        |which| Ok::<u32, cornerturn_base::Error>(u32::try_from(attribute(which)?).unwrap_or(0));
    let mut set_aside = 0_usize;
    // SAFETY: the context is alive and `set_aside` writable. GPUs before Ampere have no such limit, and leave it 0.
    unsafe {
        (driver.cuCtxSetCurrent)(context);
        (driver.cuCtxGetLimit)(&mut set_aside, PERSISTING_LIMIT);
    }
    Ok(CacheLimits {
        shared_bytes: bytes(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        reserved_shared_bytes: bytes(
            Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
        )?,
        set_aside_bytes: set_aside as u64,
        persisting_bytes: bytes(Attribute::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)?
            .into(),
        window_bytes: bytes(Attribute::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)?.into(),
    })
}

impl CudaDevice {
    /// Sets how much of L1 becomes shared memory in the launches that follow. Always, since the function is the same one
    /// for kernels that ask for different things.
    pub(super) fn carve_out(
        &self,
        state: &mut State,
        function: CUfunction,
        percent: Option<u32>,
    ) -> Result<()> {
        let percent = percent.map_or(DRIVERS_CHOICE, |percent| percent as c_int);
        // SAFETY: the function belongs to a loaded module of the current context.
        let code = unsafe { (self.driver.cuFuncSetAttribute)(function, CARVEOUT, percent) };
        self.settle(state, check("cuFuncSetAttribute", code))
    }

    /// Runs `launches` with L2 as the launch asks, and gives L2 back.
    pub(super) fn with_l2<T>(
        &self,
        state: &mut State,
        prepared: &Prepared,
        launches: impl FnOnce(&mut State) -> Result<T>,
    ) -> Result<T> {
        let asked = &prepared.caches;
        let by_itself = self.cache_limits.set_aside_bytes;
        if asked.persisting_bytes.is_none() && asked.window.is_none() {
            return launches(state);
        }
        let set = self
            .set_aside(asked.persisting_bytes.unwrap_or(by_itself))
            .and_then(|()| self.set_window(state, Some(prepared)));
        let result = self.settle(state, set).and_then(|()| launches(&mut *state));
        // After a fault or a hang it is another context's L2, or nobody's.
        let given_back = match state.hung {
            true => Ok(()),
            false => self
                .set_window(state, None)
                .and_then(|()| self.reset_persisting())
                .and_then(|()| self.set_aside(by_itself)),
        };
        let result = result?;
        self.settle(state, given_back)?;
        Ok(result)
    }

    fn set_aside(&self, bytes: u64) -> Result<(), Failure> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        // SAFETY: a context is current.
        let code = unsafe { (self.driver.cuCtxSetLimit)(PERSISTING_LIMIT, bytes) };
        check("cuCtxSetLimit", code)
    }

    /// Sets the window of what is queued from now on; none takes it away.
    fn set_window(&self, state: &State, prepared: Option<&Prepared>) -> Result<(), Failure> {
        let asked = prepared.and_then(|p| Some((p.window, p.caches.window.as_ref()?)));
        let window = match asked {
            Some(((address, bytes), window)) => CUaccessPolicyWindow_st {
                base_ptr: std::ptr::without_provenance_mut(address as usize),
                num_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
                hitRatio: window.hit_ratio,
                hitProp: property(window.hit),
                missProp: property(window.miss),
            },
            None => CUaccessPolicyWindow_st {
                base_ptr: std::ptr::null_mut(),
                num_bytes: 0,
                hitRatio: 0.0,
                hitProp: property(AccessProperty::Normal),
                missProp: property(AccessProperty::Normal),
            },
        };
        let value = CUlaunchAttributeValue {
            accessPolicyWindow: window,
        };
        // SAFETY: the stream belongs to the current context; the driver reads the member that the attribute names, which
        // is the one that was written, and copies it. It follows no address of the window.
        let code = unsafe { (self.driver.cuStreamSetAttribute)(state.stream, WINDOW, &value) };
        check("cuStreamSetAttribute", code)
    }
}

fn property(property: AccessProperty) -> CUaccessProperty {
    match property {
        AccessProperty::Normal => CUaccessProperty::CU_ACCESS_PROPERTY_NORMAL,
        AccessProperty::Streaming => CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING,
        AccessProperty::Persisting => CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING,
    }
}
