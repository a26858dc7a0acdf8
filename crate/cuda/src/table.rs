//! Things that a program knows by handles: numbers that are never handed out twice, so that an old one is told from a new one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The next handle of all tables. They look like addresses, which some programs take them for, and are none.
static NEXT: AtomicU64 = AtomicU64::new(0x0c0d_0000_0000_0010);

/// A handle that nobody has.
pub fn new_handle() -> u64 {
    NEXT.fetch_add(16, Ordering::Relaxed)
}

/// Things of one kind by handle.
#[derive(Debug)]
pub struct Table<T>(RwLock<HashMap<u64, Arc<T>>>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T> Table<T> {
    /// Takes a thing in under a new handle.
    pub fn add(&self, thing: T) -> u64 {
        let handle = new_handle();
        self.put(handle, Arc::new(thing));
        handle
    }

    /// Takes a thing in under a handle of [`new_handle`].
    pub fn put(&self, handle: u64, thing: Arc<T>) {
        let mut things = self.0.write().unwrap_or_else(PoisonError::into_inner);
        things.insert(handle, thing);
    }

    /// The thing of a handle.
    pub fn get(&self, handle: u64) -> Option<Arc<T>> {
        let things = self.0.read().unwrap_or_else(PoisonError::into_inner);
        things.get(&handle).cloned()
    }

    /// Takes it away.
    pub fn remove(&self, handle: u64) -> Option<Arc<T>> {
        let mut things = self.0.write().unwrap_or_else(PoisonError::into_inner);
        things.remove(&handle)
    }

    /// All of them, by handle.
    pub fn all(&self) -> Vec<(u64, Arc<T>)> {
        let things = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = (things.iter())
            .map(|(handle, thing)| (*handle, thing.clone()))
            .collect();
        all.sort_by_key(|(handle, _)| *handle);
        all
    }
}
