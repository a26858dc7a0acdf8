//! What a pointer is: attributes of addresses and of ranges of managed memory.

use std::ffi::{c_int, c_uint};

use super::{Address, In, Out, driver, exports};
use crate::memory::{Allocation, Kind};
use crate::status::{Result, Status};

exports! {
    /// An attribute of an address.
    fn cuPointerGetAttribute(data: *mut u8, attribute: c_uint, address: Address) {
        match driver()?.allocation(address) {
            Some(found) => put(data, attribute, &found, address),
            None => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// Several of them; zeros for an address that the driver does not know.
    fn cuPointerGetAttributes(count: c_uint, attributes: In<c_uint>, data: In<*mut u8>, address: Address) {
        let (attributes, data) = (attributes.list(count as usize)?, data.list(count as usize)?);
        let found = driver()?.allocation(address);
        for (attribute, data) in attributes.into_iter().zip(data) {
            match &found {
                Some(found) => put(data, attribute, found, address)?,
                None => nothing(data, attribute)?,
            }
        }
        Ok(())
    }

    /// Sets one: whether copies wait, which they always do.
    fn cuPointerSetAttribute(_value: *const u8, attribute: c_uint, address: Address) {
        match (attribute, driver()?.allocation(address)) {
            (6, Some(_)) => Ok(()),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// An attribute of managed memory: it is not read mostly, and lies nowhere in particular.
    fn cuMemRangeGetAttribute(data: Out<c_int>, bytes: usize, attribute: c_uint, address: Address, _count: usize) {
        driver()?.allocation(address).ok_or(Status::INVALID_VALUE)?;
        match (attribute, bytes) {
            (1, 4) => data.set(0),
            (2 | 4, 4) => data.set(-2),
            (3, bytes) => data.set_all(std::iter::repeat_n(-2, bytes / 4)),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }
}

/// Writes an attribute of an allocation.
fn put(
    data: *mut u8,
    attribute: c_uint,
    (one, offset): &(Allocation, usize),
    address: Address,
) -> Result<()> {
    let is_of_host = matches!(one.kind, Kind::Pinned | Kind::Registered);
    let device_address = one.base + *offset as u64;
    match attribute {
        1 => Out(data.cast()).set(one.context),
        2 => Out(data.cast()).set(if is_of_host { 1_u32 } else { 2 }),
        3 => Out(data.cast()).set(device_address),
        4 => match one.kind {
            Kind::Device | Kind::Variable | Kind::Array => {
                Out(data.cast()).set(0_u64)?;
                Err(Status::INVALID_VALUE.into())
            }
            Kind::Registered => Out(data.cast()).set((one.host + offset) as u64),
            Kind::Managed | Kind::Pinned => Out(data.cast()).set(address),
        },
        6 => Out(data.cast()).set(1_u32),
        7 => Out(data.cast()).set(one.number),
        8 => Out(data.cast()).set(u32::from(one.kind == Kind::Managed)),
        9 => Out(data.cast()).set(one.device as c_int),
        10 => Out(data.cast()).set(0_u32),
        11 => Out(data.cast()).set(one.base),
        12 => Out(data.cast()).set(one.bytes),
        13 => Out(data.cast()).set(1_u32),
        14 => Out(data.cast()).set(0_u64),
        15 => Out(data.cast()).set(3_u32),
        17 => Out(data.cast()).set(0_u64),
        _ => Err(Status::INVALID_VALUE.into()),
    }
}

/// Writes what an attribute is of an address that the driver does not know.
fn nothing(data: *mut u8, attribute: c_uint) -> Result<()> {
    match attribute {
        1 | 3 | 4 | 7 | 11 | 12 | 14 | 17 => Out(data.cast()).set(0_u64),
        9 => Out(data.cast()).set(-2_i32),
        2 | 6 | 8 | 10 | 13 | 15 => Out(data.cast()).set(0_u32),
        _ => Err(Status::INVALID_VALUE.into()),
    }
}
