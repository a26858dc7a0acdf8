//! The textures of a device, by handle. What a texture is stands in `texture`.

use crate::texture::Texture;

/// The first handle handed out: no address, and not small, so that a number in its place is found.
const FIRST_HANDLE: u64 = 0x7e87_0000_0000_0001;

/// A texture that kernels can fetch.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) handle: u64,
    pub(crate) texture: Texture,
}

/// The textures of a device. No handle is handed out twice.
#[derive(Debug, Default)]
pub(crate) struct Textures {
    /// Sorted by handle.
    pub(crate) bound: Vec<Bound>,
    made: u64,
}

impl Textures {
    pub(crate) fn add(&mut self, texture: Texture) -> u64 {
        let handle = FIRST_HANDLE + self.made;
        self.made += 1;
        self.bound.push(Bound { handle, texture });
        handle
    }

    /// Whether there was one.
    pub(crate) fn remove(&mut self, handle: u64) -> bool {
        let at = self
            .bound
            .binary_search_by_key(&handle, |bound| bound.handle);
        at.map(|at| self.bound.remove(at)).is_ok()
    }
}
