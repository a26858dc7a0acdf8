//! The state of a process: what there is, behind locks. What is done with it is in the files beside this one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{
    Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use cornerturn_emulator::Memory;
use cornerturn_emulator::streams::Order;

use crate::array::Array;
use crate::clock::Clock;
use crate::context::{Context, Primary};
use crate::fault;
use crate::graph::{Graph, GraphExec};
use crate::host;
use crate::launch::Function;
use crate::memory::{AddressSpace, Allocations};
use crate::module::LoadedModule;
use crate::record::Record;
use crate::settings::Settings;
use crate::status::{Error, Result, Status};
use crate::stream::{Event, Stream, Streams};
use crate::table::Table;
use crate::texture::BoundTexture;

/// The driver of this process.
pub struct Driver {
    settings: Settings,
    memory: RwLock<Memory>,
    allocations: RwLock<Allocations>,
    space: Mutex<AddressSpace>,
    order: Mutex<Order>,
    record: Mutex<Record>,
    numbers: AtomicU64,
    /// Bytes that programs have of this machine, and the most that they get.
    used_bytes: AtomicU64,
    most_bytes: u64,
    pub(crate) clock: Clock,
    pub(crate) contexts: Table<Context>,
    pub(crate) primaries: Vec<Mutex<Primary>>,
    pub(crate) modules: Table<LoadedModule>,
    pub(crate) functions: Table<Function>,
    pub(crate) streams: Table<Stream>,
    pub(crate) captures: Streams,
    pub(crate) events: Table<Event>,
    pub(crate) graphs: Table<Graph>,
    pub(crate) graph_execs: Table<GraphExec>,
    pub(crate) arrays: Table<Array>,
    pub(crate) textures: Table<BoundTexture>,
}

static DRIVER: OnceLock<std::result::Result<Driver, Error>> = OnceLock::new();

/// What an H200 has, as its driver tells (`book/results/h200`).
pub(crate) const H200_BYTES: u64 = 150_109_880_320;

impl Driver {
    /// The driver of this process, with the settings of its environment at the first call.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] with a sentence, where a variable has a value that it cannot have; again at each call.
    pub fn start() -> Result<&'static Self> {
        Self::start_with(Settings::from_environment)
    }

    /// The same with settings that the caller makes, if nobody has started it before.
    ///
    /// # Errors
    /// Those of `settings`.
    pub fn start_with(settings: impl FnOnce() -> Result<Settings>) -> Result<&'static Self> {
        let driver = DRIVER.get_or_init(|| settings().map(Self::new));
        let driver = driver.as_ref().map_err(Clone::clone)?;
        driver.watch_exit();
        Ok(driver)
    }

    /// The driver, if it was started.
    pub fn started() -> Option<&'static Self> {
        DRIVER.get().and_then(|driver| driver.as_ref().ok())
    }

    fn new(settings: Settings) -> Self {
        let devices = settings.devices;
        Self {
            record: Mutex::new(Record::new(&settings)),
            settings,
            memory: RwLock::new(Memory::new()),
            allocations: RwLock::default(),
            space: Mutex::default(),
            order: Mutex::default(),
            numbers: AtomicU64::new(1),
            used_bytes: AtomicU64::new(0),
            // What is left keeps the program itself, and the emulator, from being ended by the system.
            most_bytes: (host::available_bytes() / 4 * 3).min(H200_BYTES),
            clock: Clock::default(),
            contexts: Table::default(),
            primaries: (0..devices).map(|_| Mutex::default()).collect(),
            modules: Table::default(),
            functions: Table::default(),
            streams: Table::default(),
            captures: Streams::default(),
            events: Table::default(),
            graphs: Table::default(),
            graph_execs: Table::default(),
            arrays: Table::default(),
            textures: Table::default(),
        }
    }

    /// Writes the report when the process ends, and says so where host code follows a device pointer.
    fn watch_exit(&self) {
        static WATCHING: OnceLock<()> = OnceLock::new();
        WATCHING.get_or_init(|| {
            extern "C" fn at_exit() {
                // A panic must not leave a C function; what is lost is the report.
                let _ = std::panic::catch_unwind(|| {
                    if let Some(driver) = Driver::started() {
                        driver.finish();
                    }
                });
            }
            // SAFETY: a function that stays, and does not unwind.
            unsafe {
                libc::atexit(at_exit);
            }
            fault::watch();
        });
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many devices there are.
    pub fn devices(&self) -> u32 {
        self.settings.devices
    }

    pub(crate) fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        // A panic elsewhere leaves it usable: its words are atomic and its list of buffers whole.
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn memory_mut(&self) -> RwLockWriteGuard<'_, Memory> {
        self.memory.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn allocations(&self) -> RwLockReadGuard<'_, Allocations> {
        let all = self.allocations.read();
        all.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn allocations_mut(&self) -> RwLockWriteGuard<'_, Allocations> {
        let all = self.allocations.write();
        all.unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocations, if nobody is changing them: for who must not wait.
    pub(crate) fn try_allocations(&self) -> Option<RwLockReadGuard<'_, Allocations>> {
        self.allocations.try_read().ok()
    }

    pub(crate) fn space(&self) -> MutexGuard<'_, AddressSpace> {
        self.space.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn order(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that no other allocation, stream or module has.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Free and total bytes of a device: of this machine's memory, no more than an H200 has.
    pub fn memory_bytes(&self) -> (u64, u64) {
        let used = self.used_bytes.load(Ordering::Relaxed);
        (self.most_bytes.saturating_sub(used), self.most_bytes)
    }

    pub(crate) fn check_room(&self, bytes: usize) -> Result<()> {
        let (free, total) = self.memory_bytes();
        if bytes as u64 <= free {
            return Ok(());
        }
        let message = format!("{bytes} bytes are asked for, and {free} of {total} are free");
        Err(Error::new(Status::OUT_OF_MEMORY, message))
    }

    pub(crate) fn took(&self, bytes: usize) {
        self.used_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn gave_back(&self, bytes: usize) {
        self.used_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}
