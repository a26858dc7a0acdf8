//! Where the code of a registered kernel lies and what it is compiled for, whatever it does.

use super::{KernelEntry, MachineDifference, ProductEntry, WorkEntry};
use cornerturn_base::tensor_box::{ProductBoxes, TensorBoxes};
use std::path::{Component, Path};

/// The code of one registered kernel.
#[derive(Debug, Clone, Copy)]
pub struct Code<'r> {
    /// The kernel's id.
    pub id: &'r str,
    /// The CUDA C++, relative to the registry's folder.
    pub file: &'r Path,
    /// The entry's name in the PTX.
    pub entry: &'r str,
    /// The architecture that its PTX is for.
    pub arch: &'r str,
    /// Dynamic shared memory that a launch needs.
    pub dynamic_shared_bytes: u32,
    /// The boxes of the tensor maps that it takes in the place of buffers.
    pub tensor_maps: Option<TensorBoxes>,
    /// The boxes of those that it takes in the place of a product's matrices.
    pub product_maps: ProductBoxes,
    /// Whether it adds to what is in a product's C.
    pub adds_to_result: bool,
    /// What the sides of its matrices must be multiples of: columns and rows, or m, n and k of a product.
    pub multiple_of: [u32; 3],
    /// The memory instructions that ptxas makes otherwise.
    pub machine_code: &'r [MachineDifference],
}

impl<'r> From<&'r KernelEntry> for Code<'r> {
    fn from(kernel: &'r KernelEntry) -> Self {
        Self {
            id: &kernel.id,
            file: &kernel.file,
            entry: &kernel.entry,
            arch: &kernel.arch,
            dynamic_shared_bytes: kernel.dynamic_shared_bytes,
            tensor_maps: kernel.tensor_maps,
            product_maps: ProductBoxes::default(),
            adds_to_result: false,
            multiple_of: [kernel.multiple_of[0], kernel.multiple_of[1], 1],
            machine_code: &kernel.machine_code,
        }
    }
}

impl<'r> From<&'r WorkEntry> for Code<'r> {
    fn from(work: &'r WorkEntry) -> Self {
        Self {
            id: &work.id,
            file: &work.file,
            entry: &work.entry,
            arch: &work.arch,
            dynamic_shared_bytes: work.dynamic_shared_bytes,
            tensor_maps: None,
            product_maps: ProductBoxes::default(),
            adds_to_result: false,
            multiple_of: [1; 3],
            machine_code: &work.machine_code,
        }
    }
}

impl<'r> From<&'r ProductEntry> for Code<'r> {
    fn from(product: &'r ProductEntry) -> Self {
        Self {
            id: &product.id,
            file: &product.file,
            entry: &product.entry,
            arch: &product.arch,
            dynamic_shared_bytes: product.dynamic_shared_bytes,
            tensor_maps: None,
            product_maps: product.tensor_maps,
            adds_to_result: product.adds_to_result,
            multiple_of: product.multiple_of,
            machine_code: &product.machine_code,
        }
    }
}

impl Code<'_> {
    /// What is wrong with it, by itself and beside those before it.
    pub(super) fn check(&self, others: &[Self]) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.id.is_empty() || !self.id.chars().all(plain) {
            return Err("an id is letters, digits and `_`".to_string());
        }
        let mut parts = self.file.components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!(
                "file {} must lie below the registry's folder",
                self.file.display()
            ));
        }
        if others.iter().any(|other| other.id == self.id) {
            return Err("the id is used twice".to_string());
        }
        let sharing = others.iter().find(|other| other.file == self.file);
        match sharing {
            Some(other) if other.arch != self.arch => Err(format!(
                "it shares a file with `{}`, so that both need one arch",
                other.id
            )),
            _ => Ok(()),
        }
    }
}
