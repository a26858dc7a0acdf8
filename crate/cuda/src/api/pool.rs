//! Pools of memory: each device has one, others are names. What is allocated from one is device memory like any other.

use std::ffi::{c_int, c_uint};
use std::sync::{LazyLock, Mutex};

use super::device::known;
use super::{Address, Handle, In, Out, driver, exports};
use crate::memory::Kind;
use crate::status::{Result, Status};
use crate::stream::held;
use crate::table::Table;

/// A pool: attributes that were set.
#[derive(Debug, Default)]
struct Pool {
    values: Mutex<Vec<(c_uint, u64)>>,
}

static POOLS: LazyLock<Table<Pool>> = LazyLock::new(Table::default);
/// The default pool of each device, and the one that it uses.
static OF_DEVICES: Mutex<Vec<(Handle, Handle)>> = Mutex::new(Vec::new());

fn of_device(device: u32, current: bool) -> Handle {
    let mut pools = held(&OF_DEVICES);
    while pools.len() <= device as usize {
        let pool = POOLS.add(Pool::default());
        pools.push((pool, pool));
    }
    let (default, used) = pools[device as usize];
    if current { used } else { default }
}

exports! {
    /// The default pool of a device.
    fn cuDeviceGetDefaultMemPool(pool: Out<Handle>, device: c_int) {
        pool.set(of_device(known(device)?, false))
    }

    /// The one that it uses.
    fn cuDeviceGetMemPool(pool: Out<Handle>, device: c_int) {
        pool.set(of_device(known(device)?, true))
    }

    /// Lets it use another one.
    fn cuDeviceSetMemPool(device: c_int, pool: Handle) {
        let device = known(device)?;
        POOLS.get(pool).ok_or(Status::INVALID_VALUE)?;
        of_device(device, true);
        if let Some(of_device) = held(&OF_DEVICES).get_mut(device as usize) {
            of_device.1 = pool;
        }
        Ok(())
    }

    /// Makes a pool.
    fn cuMemPoolCreate(pool: Out<Handle>, _properties: In<u8>) {
        driver()?;
        pool.set(POOLS.add(Pool::default()))
    }

    /// Destroys it.
    fn cuMemPoolDestroy(pool: Handle) {
        POOLS.remove(pool).map(drop).ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// Nothing is kept back.
    fn cuMemPoolTrimTo(pool: Handle, _bytes: usize) {
        POOLS.get(pool).map(drop).ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// An attribute: what is set; nothing is reserved, and all that is used is that of the device.
    fn cuMemPoolGetAttribute(pool: Handle, attribute: c_uint, value: *mut u8) {
        let pool = POOLS.get(pool).ok_or(Status::INVALID_VALUE)?;
        let (free, total) = driver()?.memory_bytes();
        let set = held(&pool.values).iter().find(|(known, _)| *known == attribute).map(|(_, value)| *value);
        match attribute {
            1..=3 => Out(value.cast()).set(set.unwrap_or(1) as c_uint),
            4 => Out(value.cast()).set(set.unwrap_or(0)),
            5..=8 => Out(value.cast()).set(total - free),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// Sets one.
    fn cuMemPoolSetAttribute(pool: Handle, attribute: c_uint, value: *const u8) {
        let pool = POOLS.get(pool).ok_or(Status::INVALID_VALUE)?;
        let value = match attribute {
            1..=3 => u64::from(In(value.cast::<c_uint>()).get()?),
            4 | 6 | 8 => In(value.cast::<u64>()).get()?,
            _ => return Err(Status::INVALID_VALUE.into()),
        };
        let mut values = held(&pool.values);
        values.retain(|(known, _)| *known != attribute);
        values.push((attribute, value));
        Ok(())
    }

    /// Which devices may use it: all.
    fn cuMemPoolSetAccess(pool: Handle, _access: In<u8>, _count: usize) {
        POOLS.get(pool).map(drop).ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// The same: reading and writing.
    fn cuMemPoolGetAccess(access: Out<c_uint>, pool: Handle, _location: In<u8>) {
        POOLS.get(pool).ok_or(Status::INVALID_VALUE)?;
        access.set(3)
    }

    /// Device memory, in the order of a stream: at once.
    fn cuMemAllocFromPoolAsync(address: Out<Address>, bytes: usize, pool: Handle, stream: Handle) {
        address.check()?;
        POOLS.get(pool).ok_or(Status::INVALID_VALUE)?;
        allocate(address, bytes, stream)
    }
}

fn allocate(address: Out<Address>, bytes: usize, stream: Handle) -> Result<()> {
    let driver = driver()?;
    driver.stream(stream)?;
    address.set(driver.allocate(bytes, Kind::Device, None)?)
}
