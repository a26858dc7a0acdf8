//! A registered kernel with the sizes that it is given: an operation on matrices, a work on arrays or a product, driven in one way. What each of them is, is the library's.

use crate::problem::Problem;
use crate::request::Request;
use cornerturn::emulator::advice::Explanation;
use cornerturn::emulator::{Counters, Finding};
use cornerturn::launch::LaunchOptions;
use cornerturn::plot::Traffic;
use cornerturn::registry::{Code, KernelEntry, ProductEntry, Registry, WorkEntry};
use cornerturn::task::Arguments;
use cornerturn::works::{KindOfWork, RegisteredWork};
use cornerturn::{
    Device, Dim3, Kernel, LaunchReport, Printed, Product, ProductShape, RegisteredTask, Result,
    Shape, Work,
};
use serde_json::{Map, Value, json};

/// The sides of a matrix that is given where the reader chooses none: not square, and no multiple of a tile.
const USUAL: [usize; 2] = [500, 333];
const MOST_SIDE: usize = 8192;
/// The most bytes of matrices or arrays.
const MOST_BYTES: u64 = 512 << 20;
const USUAL_BATCHES: usize = 3;
/// Blocks of a work on arrays, the last of which is not full.
const USUAL_BLOCKS: usize = 40;
const MOST_ITEMS: usize = 1 << 22;
const USUAL_PRODUCT: [usize; 3] = [100, 150, 70];
const MOST_PRODUCT: usize = 1024;

/// An entry of the registry of either kind.
#[derive(Clone)]
pub(crate) enum Entry {
    Matrix(KernelEntry),
    Array(WorkEntry),
    Product(ProductEntry),
}

/// A size that the reader may choose.
pub(crate) struct Size {
    pub(crate) name: &'static str,
    pub(crate) value: usize,
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// What it must be a multiple of.
    pub(crate) step: usize,
}

impl Size {
    fn new(name: &'static str, value: usize, most: usize, step: u32) -> Self {
        let step = step.max(1) as usize;
        Self {
            name,
            value: value.next_multiple_of(step),
            least: step,
            most: most / step * step,
            step,
        }
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({
            "name": self.name,
            "value": self.value,
            "least": self.least,
            "most": self.most,
            "step": self.step,
        })
    }
}

impl Entry {
    pub(crate) fn find(registry: &Registry, id: &str) -> Result<Self> {
        let id = registry.code(id)?.id;
        if let Ok(work) = registry.work(id) {
            return Ok(Self::Array(work.clone()));
        }
        match registry.product(id) {
            Ok(product) => Ok(Self::Product(product.clone())),
            Err(_) => Ok(Self::Matrix(registry.get(id)?.clone())),
        }
    }

    pub(crate) fn code(&self) -> Code<'_> {
        match self {
            Self::Matrix(entry) => entry.into(),
            Self::Array(entry) => entry.into(),
            Self::Product(entry) => entry.into(),
        }
    }

    /// `matrix`, `array` or `product`.
    pub(crate) fn work_name(&self) -> &'static str {
        match self {
            Self::Matrix(_) => "matrix",
            Self::Array(_) => "array",
            Self::Product(_) => "product",
        }
    }

    /// The sizes that it takes, with values for a part of the usual work: 1 for all of it.
    pub(crate) fn sizes(&self, part: f64) -> Vec<Size> {
        match self {
            Self::Matrix(entry) => {
                let [columns, rows] = entry.multiple_of;
                let usual = USUAL.map(|side| scaled(side, part.sqrt()));
                let mut sizes = vec![Size::new("rows", usual[0], MOST_SIDE, rows)];
                if entry.arguments != Arguments::InPlace {
                    sizes.push(Size::new("columns", usual[1], MOST_SIDE, columns));
                }
                if entry.arguments == Arguments::Batch {
                    sizes.push(Size::new("batches", USUAL_BATCHES, 64, 1));
                }
                sizes
            }
            Self::Array(entry) => {
                let (least, most) = entry.parameters().into_inner();
                let items = scaled(usual_items(entry), part);
                let mut sizes = vec![Size::new("items", items, MOST_ITEMS, 1)];
                if most > 0 {
                    let value = entry
                        .claims
                        .first()
                        .map_or(least, |claims| claims.parameter);
                    sizes.push(Size {
                        name: "parameter",
                        value: value as usize,
                        least: least as usize,
                        most: most as usize,
                        step: 1,
                    });
                }
                sizes
            }
            Self::Product(entry) => {
                let of = |name, at: usize| {
                    let side = scaled(USUAL_PRODUCT[at], part.cbrt());
                    Size::new(name, side, MOST_PRODUCT, entry.multiple_of[at])
                };
                vec![of("m", 0), of("n", 1), of("k", 2)]
            }
        }
    }

    /// The same kernel, in blocks of another shape, or of another element type.
    pub(crate) fn changed(mut self, request: &Request) -> Result<Self, Problem> {
        if let Some(block) = request.optional::<[u32; 2]>("block")? {
            if block.contains(&0) || block[0].saturating_mul(block[1]) > 1024 {
                let [x, y] = block;
                return Err(Problem::limit(format!(
                    "a block of {x}×{y} threads: CUDA allows 1 to 1024 of them"
                )));
            }
            match &mut self {
                Self::Matrix(entry) => entry.block = block,
                Self::Array(entry) => {
                    // As many blocks as before: what a block does is the source's affair.
                    entry.items_per_block = entry.items_per_block.or(Some(entry.block));
                    entry.block = block[0] * block[1];
                }
                Self::Product(entry) => entry.block = block,
            }
        }
        if let Some(element) = request.optional("element")? {
            match &mut self {
                Self::Matrix(entry) => entry.element = element,
                Self::Array(_) | Self::Product(_) => {
                    return Err(Problem::request(
                        "only a kernel on matrices has an element type to choose",
                    ));
                }
            }
        }
        Ok(self)
    }
}

/// What is asked of a kernel, ready on the emulator.
pub(crate) enum Asked {
    Matrix(Box<(RegisteredTask, KernelEntry)>),
    Array(Box<Arrays>),
    Product(Box<(Product, ProductEntry)>),
}

/// A work on arrays.
pub(crate) struct Arrays {
    work: Work,
    entry: WorkEntry,
    items: usize,
    parameter: u32,
}

/// What a run showed.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) counters: Counters,
    pub(crate) remarks: Vec<Finding>,
    pub(crate) printed: Printed,
    pub(crate) instructions: u64,
    pub(crate) traffic: Traffic,
    pub(crate) why: Explanation,
}

impl Asked {
    /// The entry's work at these sizes, the usual ones where none is given.
    pub(crate) fn new(entry: &Entry, sizes: &Map<String, Value>) -> Result<Self, Problem> {
        let known = entry.sizes(1.0);
        if let Some(name) = sizes
            .keys()
            .find(|name| known.iter().all(|size| size.name != *name))
        {
            let names: Vec<&str> = known.iter().map(|size| size.name).collect();
            return Err(Problem::request(format!(
                "`{}` has no size `{name}`; it has {}",
                entry.code().id,
                names.join(", ")
            )));
        }
        let size = |at: usize| known.get(at).map_or(Ok(0), |size| chosen(size, sizes));
        let (first, second, third) = (size(0)?, size(1)?, size(2)?);
        let device = Device::emulator();
        Ok(match entry {
            Entry::Matrix(entry) => {
                let (shape, batches) = match entry.arguments {
                    Arguments::InPlace => (Shape::new(first, first), 1),
                    Arguments::Batch => (Shape::new(first, second), third),
                    Arguments::Matrix => (Shape::new(first, second), 1),
                };
                check_bytes(&[
                    shape.rows,
                    shape.columns,
                    batches,
                    2 * entry.element.bytes(),
                ])?;
                let task = RegisteredTask::new(&device, entry, shape, batches)?;
                Self::Matrix(Box::new((task, entry.clone())))
            }
            Entry::Array(entry) => {
                // Below the limit of the size's own.
                let parameter = second as u32;
                check_bytes(&[entry.work.making_bytes(first, parameter)])?;
                let work = entry.work(first, parameter)?;
                check_bytes(&[usize::try_from(work.bytes()).unwrap_or(usize::MAX)])?;
                Self::Array(Box::new(Arrays {
                    work,
                    entry: entry.clone(),
                    items: first,
                    parameter,
                }))
            }
            Entry::Product(entry) => {
                let shape = ProductShape::new(first, second, third);
                let product = Product::registered(&device, entry, shape)?;
                Self::Product(Box::new((product, entry.clone())))
            }
        })
    }

    /// The kernel with the settings that this work gives it.
    pub(crate) fn fitted(&self, kernel: &Kernel) -> Kernel {
        match self {
            Self::Array(arrays) => kernel.with_caches(arrays.entry.caches_at(arrays.parameter)),
            Self::Matrix(..) | Self::Product(..) => kernel.clone(),
        }
    }

    /// The grid and the block.
    pub(crate) fn launch_shape(&self) -> Result<(Dim3, Dim3)> {
        match self {
            Self::Matrix(matrix) => matrix.0.launch_shape(&matrix.1),
            Self::Array(arrays) => arrays.entry.launch_shape(arrays.items),
            Self::Product(product) => product.0.launch_shape(&product.1),
        }
    }

    /// Verified, counted, and checked where that is asked for.
    pub(crate) fn run(&self, kernel: &Kernel, checks: bool) -> Result<Shown> {
        let run = match (self, checks) {
            (Self::Matrix(matrix), true) => matrix.0.run(&matrix.1, kernel)?,
            (Self::Matrix(matrix), false) => matrix.0.run_unchecked(&matrix.1, kernel)?,
            (Self::Array(arrays), _) => {
                let work = &arrays.work;
                let (device, (grid, block)) = (Device::emulator(), self.launch_shape()?);
                match checks {
                    true => work.run(&device, kernel, grid, block)?,
                    false => work.run_unchecked(&device, kernel, grid, block)?,
                }
            }
            (Self::Product(product), _) => {
                let (product, entry) = &**product;
                let run = match checks {
                    true => product.run_registered(entry, kernel)?,
                    false => product.run_unchecked(entry, kernel)?,
                };
                return Ok(Shown {
                    text: run.to_string(),
                    traffic: Traffic::from(&run),
                    why: run.why,
                    counters: run.counters,
                    remarks: run.remarks,
                    printed: run.printed,
                    instructions: run.warp_instructions,
                });
            }
        };
        Ok(Shown {
            text: run.to_string(),
            traffic: Traffic::from(&run),
            why: run.why,
            counters: run.counters,
            remarks: run.remarks,
            printed: run.printed,
            instructions: run.warp_instructions,
        })
    }

    /// What the arrays of a work hold.
    pub(crate) fn array_bytes(&self) -> u64 {
        match self {
            Self::Array(arrays) => arrays.work.bytes(),
            Self::Matrix(..) | Self::Product(..) => 0,
        }
    }

    /// What a launch that was counted moved, beside what must move.
    pub(crate) fn traffic(&self, report: &LaunchReport) -> Option<Traffic> {
        let wanted = match self {
            Self::Matrix(matrix) => matrix.0.problem().wanted(),
            Self::Array(arrays) => arrays.work.wanted(),
            Self::Product(product) => product.0.problem().wanted(),
        };
        let counters = report.counters?;
        Some(Traffic::new("", counters, &report.sites, Some(wanted)))
    }

    /// Runs it without a look at the result.
    pub(crate) fn emulate(&self, kernel: &Kernel, options: &LaunchOptions) -> Result<LaunchReport> {
        match self {
            Self::Matrix(matrix) => matrix.0.emulate(&matrix.1, kernel, options),
            Self::Array(arrays) => {
                let (grid, block) = self.launch_shape()?;
                arrays.work.emulate(kernel, grid, block, options)
            }
            Self::Product(product) => {
                let (grid, block) = self.launch_shape()?;
                product.0.emulate(kernel, grid, block, options)
            }
        }
    }
}

/// Refuses buffers that a page has no room for; their bytes are the product of these, which 32 bits need not hold.
fn check_bytes(factors: &[usize]) -> Result<(), Problem> {
    let bytes = factors.iter().fold(1_u64, |product, &factor| {
        product.saturating_mul(factor as u64)
    });
    match bytes > MOST_BYTES {
        true => Err(Problem::limit(format!(
            "the matrices or arrays have {bytes} bytes together, and in a page they may have {MOST_BYTES}"
        ))),
        false => Ok(()),
    }
}

/// So much of a size, and an odd number of it where it is less than the whole: no block's or warp's multiple.
fn scaled(size: usize, part: f64) -> usize {
    match part < 1.0 {
        true => (size as f64 * part) as usize | 1,
        false => size,
    }
}

/// Items for some blocks and a part of one.
fn usual_items(entry: &WorkEntry) -> usize {
    let per_block = entry.items_per_block.unwrap_or(entry.block) as usize;
    (USUAL_BLOCKS * per_block + per_block / 2 + 1).min(MOST_ITEMS)
}

/// A size as the reader chose it, within what is possible.
fn chosen(size: &Size, sizes: &Map<String, Value>) -> Result<usize, Problem> {
    let Some(value) = sizes.get(size.name).filter(|value| !value.is_null()) else {
        return Ok(size.value);
    };
    let number = value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok());
    let number = number
        .ok_or_else(|| Problem::request(format!("{} = {value} is no whole number", size.name)))?;
    match (size.least.min(1)..=size.most).contains(&number) {
        true => Ok(number),
        false => Err(Problem::limit(format!(
            "{} = {number}: here it is {} to {}",
            size.name, size.least, size.most
        ))),
    }
}
