//! Devices: how many, what they are, what they have.

use std::ffi::{c_char, c_int, c_uint};

use super::{Handle, Out, Text, driver, exports};
use crate::device::DEVICE_NAME;
use crate::status::{Result, Status};

/// The number of a device that there is.
pub(crate) fn known(device: c_int) -> Result<u32> {
    let device = u32::try_from(device).ok().filter(|device| {
        let driver = driver();
        driver.is_ok_and(|driver| *device < driver.devices())
    });
    device.ok_or_else(|| match driver() {
        Ok(_) => Status::INVALID_DEVICE.into(),
        Err(error) => error,
    })
}

exports! {
    /// The device of an ordinal.
    fn cuDeviceGet(device: Out<c_int>, ordinal: c_int) {
        device.set(known(ordinal)? as c_int)
    }

    /// How many there are.
    fn cuDeviceGetCount(count: Out<c_int>) {
        count.set(driver()?.devices() as c_int)
    }

    /// Its name.
    fn cuDeviceGetName(name: Out<c_char>, length: c_int, device: c_int) {
        known(device)?;
        let room = usize::try_from(length).unwrap_or_default();
        put_text(name, room, DEVICE_NAME)
    }

    /// Its identity.
    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: c_int) {
        uuid.set(driver()?.uuid(known(device)?)?)
    }

    /// The same.
    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: c_int) {
        uuid.set(driver()?.uuid(known(device)?)?)
    }

    /// A Windows identity: there is none.
    fn cuDeviceGetLuid(_luid: Out<c_char>, _mask: Out<c_uint>, _device: c_int) {
        Err(Status::NOT_SUPPORTED.into())
    }

    /// Bytes of its memory.
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int) {
        known(device)?;
        bytes.set(driver()?.memory_bytes().1 as usize)
    }

    /// Texels of a texture over linear memory.
    fn cuDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, _format: c_uint, _channels: c_uint, device: c_int) {
        known(device)?;
        width.set(1 << 28)
    }

    /// One of its attributes.
    fn cuDeviceGetAttribute(value: Out<c_int>, attribute: c_uint, device: c_int) {
        value.check()?;
        value.set(driver()?.attribute(known(device)?, attribute)?)
    }

    /// Its compute capability.
    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) {
        known(device)?;
        major.set(9)?;
        minor.set(0)
    }

    /// `CUdevprop`, ten numbers.
    fn cuDeviceGetProperties(properties: Out<[c_int; 11]>, device: c_int) {
        known(device)?;
        properties.set([1024, 1024, 1024, 64, 0x7fff_ffff, 65_535, 65_535, 49_152, 65_536, 32, 0x7fff_ffff])
    }

    /// Its place on the bus.
    fn cuDeviceGetPCIBusId(text: Out<c_char>, length: c_int, device: c_int) {
        let bus = known(device)? + 1;
        let room = usize::try_from(length).unwrap_or_default();
        put_text(text, room, &format!("0000:{bus:02X}:00.0"))
    }

    /// The device at a place on the bus.
    fn cuDeviceGetByPCIBusId(device: Out<c_int>, text: Text) {
        let text = text.get()?;
        let bus = text.rsplit(':').nth(1).and_then(|bus| c_int::from_str_radix(bus, 16).ok());
        device.set(known(bus.unwrap_or_default() - 1)? as c_int)
    }

    /// How the host sees what other devices write to it: at once.
    fn cuFlushGPUDirectRDMAWrites(_target: c_uint, _scope: c_uint) {
        driver().map(drop)
    }

    /// Whether a device can use another one's memory: all can.
    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) {
        let (device, peer) = (known(device)?, known(peer)?);
        can.set(c_int::from(device != peer))
    }

    /// What a device has of another one's memory: performance rank, access, atomics, arrays.
    fn cuDeviceGetP2PAttribute(value: Out<c_int>, attribute: c_uint, device: c_int, peer: c_int) {
        if known(device)? == known(peer)? {
            return Err(Status::INVALID_DEVICE.into());
        }
        value.set(match attribute {
            1 => 0,
            2..=4 => 1,
            _ => return Err(Status::INVALID_VALUE.into()),
        })
    }

    /// Lets kernels of the current context use the memory of another one's device.
    fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) {
        let driver = driver()?;
        let other = driver.contexts.get(peer).ok_or(Status::INVALID_CONTEXT)?;
        match flags {
            0 => driver.enable_peer(other.device),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// Undoes it.
    fn cuCtxDisablePeerAccess(peer: Handle) {
        let driver = driver()?;
        let other = driver.contexts.get(peer).ok_or(Status::INVALID_CONTEXT)?;
        driver.disable_peer(other.device)
    }

    /// Affinities of execution: there are none.
    fn cuDeviceGetExecAffinitySupport(is_supported: Out<c_int>, _kind: c_uint, device: c_int) {
        known(device)?;
        is_supported.set(0)
    }
}

/// Text for a caller with room for so many bytes, cut where it has to be.
fn put_text(out: Out<c_char>, room: usize, text: &str) -> Result<()> {
    if room == 0 {
        return Err(Status::INVALID_VALUE.into());
    }
    let bytes = text.bytes().take(room - 1).chain([0]);
    out.set_all(bytes.map(|byte| byte as c_char))
}
