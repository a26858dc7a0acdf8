//! How a kernel is launched: shared memory, clusters, tensor maps, caches. Launching itself is in `launch`.

use super::Kernel;
use cornerturn_base::caches::CacheSettings;
use cornerturn_base::error::Result;
use cornerturn_base::tensor_box::{ProductBoxes, TensorBox, TensorBoxes};
use cornerturn_emulator::{Cluster, Module};
use std::sync::Arc;

impl Kernel {
    /// The same kernel, whose launches ask this of the caches. A launch checks it against the device's limits.
    pub fn with_caches(&self, caches: CacheSettings) -> Self {
        Self {
            caches,
            ..self.clone()
        }
    }

    /// The same kernel, of which the emulator rounds each product and each sum, as the PTX has it. Otherwise it makes those one
    /// that NVIDIA's assembler does, as a GPU has them ([`cornerturn_emulator::Module::load_as_written`]). On a GPU nothing
    /// changes.
    ///
    /// # Errors
    /// None that loading it the first time did not have.
    pub fn as_written(&self) -> Result<Self> {
        let mut kernel = self.built_from(
            self.inner.ptx.clone(),
            self.inner.origin,
            self.inner.compiler.clone(),
            self.inner.warnings.clone(),
        )?;
        // It was built just now, so nobody shares it.
        if let Some(inner) = Arc::get_mut(&mut kernel.inner) {
            inner.module = Module::load_as_written(&inner.ptx);
            inner.is_as_written = true;
        }
        Ok(kernel)
    }

    /// The same kernel, launched with so many bytes of `extern __shared__` memory.
    pub fn with_dynamic_shared_bytes(&self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes: bytes,
            ..self.clone()
        }
    }

    /// The same kernel, launched in clusters of so many blocks, 8 at most; with [`Cluster::non_portable`], 16. One that
    /// is compiled for clusters (`__cluster_dims__`) is launched so anyway.
    pub fn with_cluster(&self, cluster: Cluster) -> Self {
        Self {
            cluster: Some(cluster),
            ..self.clone()
        }
    }

    /// The same kernel, launched cooperatively: all blocks of the grid run together and may wait for each other
    /// (`cooperative_groups::this_grid().sync()`). A grid that does not fit on the device at once is refused, with how
    /// many blocks do.
    pub fn cooperative(&self) -> Self {
        Self {
            is_cooperative: true,
            ..self.clone()
        }
    }

    /// Whether it is launched so.
    pub fn is_cooperative(&self) -> bool {
        self.is_cooperative
    }

    /// The same kernel, whose launches on a stream are programmatic dependent launches: its blocks may begin before the
    /// kernel before it in the stream has ended, namely when each block of that one has executed
    /// `cudaTriggerProgrammaticLaunchCompletion()` (`griddepcontrol.launch_dependents`) or has ended. Nothing that it does
    /// before its own `cudaGridDependencySynchronize()` (`griddepcontrol.wait`) comes after what that kernel does; all
    /// that it does afterwards comes after the other's end. After a copy, a fill or a graph it begins as any other kernel
    /// (CUDA C++ Programming Guide, *Programmatic Dependent Launch and Synchronization*; PTX ISA, `griddepcontrol`).
    ///
    /// GPUs have it from compute capability 9.0 (Hopper) on, and the emulator has it.
    pub fn programmatic(&self) -> Self {
        Self {
            is_programmatic: true,
            ..self.clone()
        }
    }

    /// Whether its launches are programmatic dependent launches.
    pub fn is_programmatic(&self) -> bool {
        self.is_programmatic
    }

    /// The clusters in which it is launched, where that is not left to what it is compiled for.
    pub fn cluster(&self) -> Option<Cluster> {
        self.cluster
    }

    /// Blocks of a cluster in x, y, z, as launched; 1 each without clusters.
    pub fn cluster_blocks(&self) -> [u32; 3] {
        let module = self.inner.module.as_ref().ok();
        let entry = module.and_then(|module| module.entry(&self.inner.entry).ok());
        let compiled = || entry.and_then(cornerturn_emulator::Entry::cluster);
        let asked = self.cluster.map(|cluster| cluster.blocks);
        asked.or_else(compiled).unwrap_or([1; 3])
    }

    /// The same kernel, to which a task passes its matrices as tensor maps with these boxes; a registered kernel has
    /// those of the registry.
    pub fn with_tensor_maps(&self, input: TensorBox, output: TensorBox) -> Self {
        Self {
            tensor_boxes: Some(TensorBoxes { input, output }),
            ..self.clone()
        }
    }

    /// The same kernel, to which a product passes those of its matrices that have a box here as tensor maps; a registered
    /// kernel has those of the registry.
    pub fn with_product_maps(&self, boxes: ProductBoxes) -> Self {
        Self {
            product_boxes: boxes,
            ..self.clone()
        }
    }

    /// The same kernel, whose blocks add what they have to C: a product fills C with 0 before each launch that it verifies.
    pub fn adding_to_result(&self) -> Self {
        Self {
            adds_to_result: true,
            ..self.clone()
        }
    }

    /// The same kernel, which is meant only for matrices whose sides are multiples of these: columns and rows, or m, n and
    /// k of a product; missing ones are 1. A run tries no others (`Run::others`). A registered kernel
    /// has those of the registry, an edit of one too.
    pub fn for_multiples_of(&self, sides: impl IntoIterator<Item = u32>) -> Self {
        let mut multiple_of = [1; 3];
        for (to, side) in multiple_of.iter_mut().zip(sides) {
            *to = side.max(1);
        }
        Self {
            multiple_of,
            ..self.clone()
        }
    }

    /// What the sides of its matrices must be multiples of, as [`Kernel::for_multiples_of`] has it.
    pub fn multiple_of(&self) -> [u32; 3] {
        self.multiple_of
    }

    /// Whether it adds to what is in C.
    pub fn adds_to_result(&self) -> bool {
        self.adds_to_result
    }

    /// The boxes of the tensor maps that it takes of a product's matrices.
    pub fn product_boxes(&self) -> ProductBoxes {
        self.product_boxes
    }

    /// Bytes of `extern __shared__` memory that a launch gives it.
    pub fn dynamic_shared_bytes(&self) -> u32 {
        self.dynamic_shared_bytes
    }

    /// What its launches ask of the caches.
    pub fn caches(&self) -> &CacheSettings {
        &self.caches
    }

    /// The boxes of its tensor maps, where it takes such maps.
    pub fn tensor_boxes(&self) -> Option<TensorBoxes> {
        self.tensor_boxes
    }
}
