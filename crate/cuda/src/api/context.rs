//! Contexts: primary ones, others, the stack of a thread, limits and settings.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::Ordering;

use super::device::known;
use super::{Handle, In, Out, driver, exports};
use crate::context::{current, pop, push};
use crate::status::{Result, Status};
use crate::stream::held;

/// What limits are at first, by number: stack, printf buffer, heap of device code, depth of synchronisation, launches
/// under way, L2 fetch granularity, persisting L2.
const LIMITS: [(u32, usize); 7] = [
    (0, 1024),
    (1, 1 << 20),
    (2, 8 << 20),
    (3, 2),
    (4, 2048),
    (5, 64),
    (6, 0),
];

exports! {
    /// Retains the primary context of a device.
    fn cuDevicePrimaryCtxRetain(context: Out<Handle>, device: c_int) {
        context.check()?;
        context.set(driver()?.retain_primary(known(device)?)?.handle)
    }

    /// Releases it.
    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        driver()?.release_primary(known(device)?)
    }

    /// Frees what it holds.
    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        driver()?.reset_primary(known(device)?)
    }

    /// Sets its flags.
    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) {
        let mut primary = driver()?.primary(known(device)?)?;
        primary.flags = flags;
        if let Some(context) = &primary.context {
            context.flags.store(flags, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Its flags, and whether there is one.
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<c_uint>, is_active: Out<c_int>) {
        let primary = driver()?.primary(known(device)?)?;
        flags.set(primary.flags)?;
        is_active.set(c_int::from(primary.context.is_some()))
    }

    /// Makes a context.
    fn cuCtxCreate_v2(context: Out<Handle>, flags: c_uint, device: c_int) {
        context.check()?;
        context.set(driver()?.create_context(known(device)?, flags)?.handle)
    }

    /// The same; affinities are not known.
    fn cuCtxCreate_v3(context: Out<Handle>, _affinities: u64, _count: c_int, flags: c_uint, device: c_int) {
        context.check()?;
        context.set(driver()?.create_context(known(device)?, flags)?.handle)
    }

    /// The same.
    fn cuCtxCreate_v4(context: Out<Handle>, _params: u64, flags: c_uint, device: c_int) {
        context.check()?;
        context.set(driver()?.create_context(known(device)?, flags)?.handle)
    }

    /// Destroys a context that was made.
    fn cuCtxDestroy_v2(context: Handle) {
        driver()?.destroy_context(context)
    }

    /// Pushes a context on this thread's stack.
    fn cuCtxPushCurrent_v2(context: Handle) {
        driver()?.contexts.get(context).ok_or(Status::INVALID_CONTEXT)?;
        push(context);
        Ok(())
    }

    /// Takes the current one from it.
    fn cuCtxPopCurrent_v2(context: Out<Handle>) {
        driver()?;
        match pop() {
            0 => Err(Status::INVALID_CONTEXT.into()),
            popped => {
                context.set_if_asked(popped);
                Ok(())
            }
        }
    }

    /// Makes a context the current one.
    fn cuCtxSetCurrent(context: Handle) {
        driver()?.make_current(context)
    }

    /// The current one, null for none.
    fn cuCtxGetCurrent(context: Out<Handle>) {
        driver()?;
        context.set(current())
    }

    /// The device of the current one.
    fn cuCtxGetDevice(device: Out<c_int>) {
        device.set(driver()?.context_even_failed()?.device as c_int)
    }

    /// Its flags.
    fn cuCtxGetFlags(flags: Out<c_uint>) {
        flags.set(driver()?.context()?.flags.load(Ordering::Relaxed))
    }

    /// Sets them.
    fn cuCtxSetFlags(flags: c_uint) {
        driver()?.context()?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    /// A number that no other context has.
    fn cuCtxGetId(context: Handle, id: Out<u64>) {
        let driver = driver()?;
        let context = match context {
            0 => driver.context_even_failed()?.handle,
            handle => driver.contexts.get(handle).ok_or(Status::INVALID_CONTEXT)?.handle,
        };
        id.set(context)
    }

    /// The version of the API.
    fn cuCtxGetApiVersion(_context: Handle, version: Out<c_uint>) {
        driver()?;
        version.set(3020)
    }

    /// Waits for all that the current context has been given.
    fn cuCtxSynchronize() {
        driver()?.synchronize()
    }

    /// A limit.
    fn cuCtxGetLimit(value: Out<usize>, limit: c_uint) {
        let context = driver()?.context()?;
        let set = held(&context.limits);
        let find = |all: &[(u32, usize)]| {
            let found = all.iter().find(|(known, _)| *known == limit);
            found.map(|(_, value)| *value)
        };
        let found = find(&set).or_else(|| find(&LIMITS));
        value.set(found.ok_or(Status::INVALID_VALUE)?)
    }

    /// Sets a limit: it is kept, and changes nothing.
    fn cuCtxSetLimit(limit: c_uint, value: usize) {
        let context = driver()?.context()?;
        if !LIMITS.iter().any(|(known, _)| *known == limit) {
            return Err(Status::INVALID_VALUE.into());
        }
        let mut set = held(&context.limits);
        set.retain(|(known, _)| *known != limit);
        set.push((limit, value));
        Ok(())
    }

    /// What is preferred of L1 and shared memory: nothing.
    fn cuCtxGetCacheConfig(config: Out<c_uint>) {
        driver()?.context()?;
        config.set(0)
    }

    /// It changes nothing.
    fn cuCtxSetCacheConfig(config: c_uint) {
        driver()?.context()?;
        at_most(config, 3)
    }

    /// Banks of shared memory have 4 bytes.
    fn cuCtxGetSharedMemConfig(config: Out<c_uint>) {
        driver()?.context()?;
        config.set(1)
    }

    /// They stay so.
    fn cuCtxSetSharedMemConfig(config: c_uint) {
        driver()?.context()?;
        at_most(config, 2)
    }

    /// There is no L2 cache whose lines could persist.
    fn cuCtxResetPersistingL2Cache() {
        driver()?.context().map(drop)
    }

    /// Priorities of streams: accepted, and without meaning, since there is one order.
    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        driver()?.context()?;
        least.set_if_asked(0);
        greatest.set_if_asked(-5);
        Ok(())
    }

    /// Retains the current context.
    fn cuCtxAttach(context: Out<Handle>, _flags: c_uint) {
        context.set(driver()?.context()?.handle)
    }

    /// Releases it.
    fn cuCtxDetach(context: Handle) {
        driver()?.contexts.get(context).ok_or(Status::INVALID_CONTEXT)?;
        Ok(())
    }

    /// Affinities: none is set.
    fn cuCtxGetExecAffinity(_affinity: Out<u64>, _kind: c_uint) {
        Err(Status::NOT_SUPPORTED.into())
    }

    /// Core dumps of a GPU: there are none.
    fn cuCoredumpGetAttributeGlobal(_attribute: c_uint, _value: In<u8>, _size: In<usize>) {
        Err(Status::NOT_SUPPORTED.into())
    }
}

fn at_most(value: u32, most: u32) -> Result<()> {
    match value <= most {
        true => Ok(()),
        false => Err(Status::INVALID_VALUE.into()),
    }
}
