//! The textures and surfaces of a device, by handle. What they are stands in `texture` and `surface`.

use crate::surface::Surface;
use crate::texture::Texture;

/// The first handle handed out: no address, and not small, so that a number in its place is found.
const FIRST_HANDLE: u64 = 0x7e87_0000_0000_0001;

/// A texture that kernels can fetch.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) handle: u64,
    pub(crate) texture: Texture,
}

/// A surface that kernels can read and write.
#[derive(Debug)]
pub(crate) struct BoundSurface {
    pub(crate) handle: u64,
    pub(crate) surface: Surface,
}

/// The textures and surfaces of a device. No handle is handed out twice.
#[derive(Debug, Default)]
pub(crate) struct Textures {
    /// Sorted by handle.
    pub(crate) bound: Vec<Bound>,
    /// Sorted by handle.
    pub(crate) surfaces: Vec<BoundSurface>,
    made: u64,
}

impl Textures {
    pub(crate) fn add(&mut self, texture: Texture) -> u64 {
        let handle = self.next();
        self.bound.push(Bound { handle, texture });
        handle
    }

    pub(crate) fn add_surface(&mut self, surface: Surface) -> u64 {
        let handle = self.next();
        self.surfaces.push(BoundSurface { handle, surface });
        handle
    }

    fn next(&mut self) -> u64 {
        self.made += 1;
        FIRST_HANDLE + self.made - 1
    }

    /// Whether there was one.
    pub(crate) fn replace(&mut self, handle: u64, texture: Texture) -> bool {
        let at = self
            .bound
            .binary_search_by_key(&handle, |bound| bound.handle);
        at.map(|at| self.bound[at].texture = texture).is_ok()
    }

    /// Whether there was one.
    pub(crate) fn remove(&mut self, handle: u64) -> bool {
        let at = self
            .bound
            .binary_search_by_key(&handle, |bound| bound.handle);
        at.map(|at| self.bound.remove(at)).is_ok()
    }

    /// Whether there was one.
    pub(crate) fn remove_surface(&mut self, handle: u64) -> bool {
        let at = self
            .surfaces
            .binary_search_by_key(&handle, |bound| bound.handle);
        at.map(|at| self.surfaces.remove(at)).is_ok()
    }
}
