//! Copies: between the host, devices and arrays, in one, two and three dimensions, at once or on a stream.

use super::structs::{Memcpy2d, Memcpy3d, Side2d, Side3d};
use super::{Address, Handle, In, driver, exports};
use crate::copy::{Copy, Side, Spot};
use crate::status::{Result, Status};
use crate::work::Work;

exports! {
    /// Between any two addresses.
    fn cuMemcpy(to: Address, from: Address, bytes: usize) {
        line(Spot::Any(to), Spot::Any(from), bytes, None)
    }

    /// The same on a stream.
    fn cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: Handle) {
        line(Spot::Any(to), Spot::Any(from), bytes, Some(stream))
    }

    /// From one device to another.
    fn cuMemcpyPeer(to: Address, _to_context: Handle, from: Address, _from_context: Handle, bytes: usize) {
        line(Spot::Device(to), Spot::Device(from), bytes, None)
    }

    /// The same on a stream.
    fn cuMemcpyPeerAsync(to: Address, _to_context: Handle, from: Address, _from_context: Handle, bytes: usize, stream: Handle) {
        line(Spot::Device(to), Spot::Device(from), bytes, Some(stream))
    }

    /// From the host to a device.
    fn cuMemcpyHtoD_v2(to: Address, from: Address, bytes: usize) {
        line(Spot::Device(to), Spot::Host(from), bytes, None)
    }

    /// The same on a stream.
    fn cuMemcpyHtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle) {
        line(Spot::Device(to), Spot::Host(from), bytes, Some(stream))
    }

    /// From a device to the host.
    fn cuMemcpyDtoH_v2(to: Address, from: Address, bytes: usize) {
        line(Spot::Host(to), Spot::Device(from), bytes, None)
    }

    /// The same on a stream.
    fn cuMemcpyDtoHAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle) {
        line(Spot::Host(to), Spot::Device(from), bytes, Some(stream))
    }

    /// Within devices.
    fn cuMemcpyDtoD_v2(to: Address, from: Address, bytes: usize) {
        line(Spot::Device(to), Spot::Device(from), bytes, None)
    }

    /// The same on a stream.
    fn cuMemcpyDtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle) {
        line(Spot::Device(to), Spot::Device(from), bytes, Some(stream))
    }

    /// From the host to an array of one dimension.
    fn cuMemcpyHtoA_v2(to: Handle, offset: usize, from: Address, bytes: usize) {
        boxed(array(to, offset)?, Side::line(Spot::Host(from)), [bytes, 1, 1], None)
    }

    /// The same on a stream.
    fn cuMemcpyHtoAAsync_v2(to: Handle, offset: usize, from: Address, bytes: usize, stream: Handle) {
        boxed(array(to, offset)?, Side::line(Spot::Host(from)), [bytes, 1, 1], Some(stream))
    }

    /// From such an array to the host.
    fn cuMemcpyAtoH_v2(to: Address, from: Handle, offset: usize, bytes: usize) {
        boxed(Side::line(Spot::Host(to)), array(from, offset)?, [bytes, 1, 1], None)
    }

    /// The same on a stream.
    fn cuMemcpyAtoHAsync_v2(to: Address, from: Handle, offset: usize, bytes: usize, stream: Handle) {
        boxed(Side::line(Spot::Host(to)), array(from, offset)?, [bytes, 1, 1], Some(stream))
    }

    /// From a device to such an array.
    fn cuMemcpyDtoA_v2(to: Handle, offset: usize, from: Address, bytes: usize) {
        boxed(array(to, offset)?, Side::line(Spot::Device(from)), [bytes, 1, 1], None)
    }

    /// From such an array to a device.
    fn cuMemcpyAtoD_v2(to: Address, from: Handle, offset: usize, bytes: usize) {
        boxed(Side::line(Spot::Device(to)), array(from, offset)?, [bytes, 1, 1], None)
    }

    /// Between such arrays.
    fn cuMemcpyAtoA_v2(to: Handle, to_offset: usize, from: Handle, from_offset: usize, bytes: usize) {
        boxed(array(to, to_offset)?, array(from, from_offset)?, [bytes, 1, 1], None)
    }

    /// In two dimensions.
    fn cuMemcpy2D_v2(copy: In<Memcpy2d>) {
        rows(&copy.get()?, None)
    }

    /// The same, whatever the pitches are.
    fn cuMemcpy2DUnaligned_v2(copy: In<Memcpy2d>) {
        rows(&copy.get()?, None)
    }

    /// The same on a stream.
    fn cuMemcpy2DAsync_v2(copy: In<Memcpy2d>, stream: Handle) {
        rows(&copy.get()?, Some(stream))
    }

    /// In three dimensions.
    fn cuMemcpy3D_v2(copy: In<Memcpy3d>) {
        run(cube(&copy.get()?)?, None)
    }

    /// The same on a stream.
    fn cuMemcpy3DAsync_v2(copy: In<Memcpy3d>, stream: Handle) {
        run(cube(&copy.get()?)?, Some(stream))
    }

    /// The same between devices.
    fn cuMemcpy3DPeer(copy: In<Memcpy3d>) {
        run(cube(&copy.get()?)?, None)
    }

    /// The same between devices on a stream.
    fn cuMemcpy3DPeerAsync(copy: In<Memcpy3d>, stream: Handle) {
        run(cube(&copy.get()?)?, Some(stream))
    }
}

fn line(to: Spot, from: Spot, bytes: usize, stream: Option<Handle>) -> Result<()> {
    boxed(Side::line(to), Side::line(from), [bytes, 1, 1], stream)
}

fn boxed(to: Side, from: Side, extent: [usize; 3], stream: Option<Handle>) -> Result<()> {
    // SAFETY: the C caller promises it of the host's side of a copy.
    run(unsafe { Copy::new(to, from, extent) }, stream)
}

fn run(copy: Copy, stream: Option<Handle>) -> Result<()> {
    let driver = driver()?;
    match stream {
        Some(stream) => driver.submit(stream, Work::Copy(copy)),
        None => driver.submit_and_wait(0, Work::Copy(copy)),
    }
}

fn array(handle: Handle, offset: usize) -> Result<Side> {
    let mut side = Side::line(Spot::Array(driver()?.array(handle)?));
    side.offset[0] = offset;
    Ok(side)
}

/// Where a side lies, by its kind: 1 the host, 2 a device, 3 an array, 4 an address that says so itself.
fn spot(kind: u32, (host, device, array): (Address, Address, Handle)) -> Result<Spot> {
    Ok(match kind {
        1 => Spot::Host(host),
        2 => Spot::Device(device),
        3 => Spot::Array(driver()?.array(array)?),
        4 => Spot::Any(device),
        _ => return Err(Status::INVALID_VALUE.into()),
    })
}

fn rows(copy: &Memcpy2d, stream: Option<Handle>) -> Result<()> {
    let side = |side: &Side2d| -> Result<Side> {
        let spot = spot(side.memory_type, (side.host, side.device, side.array))?;
        let mut rows = Side::rows(spot, side.pitch);
        rows.offset = [side.x_bytes, side.y, 0];
        Ok(rows)
    };
    let extent = [copy.width_bytes, copy.height, 1];
    boxed(side(&copy.to)?, side(&copy.from)?, extent, stream)
}

/// A copy in three dimensions.
pub(crate) fn cube(copy: &Memcpy3d) -> Result<Copy> {
    let side = |side: &Side3d| -> Result<Side> {
        if side.level != 0 {
            return Err(Status::INVALID_VALUE.into());
        }
        Ok(Side {
            spot: spot(side.memory_type, (side.host, side.device, side.array))?,
            pitch_bytes: side.pitch,
            slice_rows: side.height,
            offset: [side.x_bytes, side.y, side.z],
        })
    };
    let extent = [copy.width_bytes, copy.height, copy.depth];
    let (to, from) = (side(&copy.to)?, side(&copy.from)?);
    // SAFETY: the C caller promises it of the host's side of a copy.
    Ok(unsafe { Copy::new(to, from, extent) })
}
