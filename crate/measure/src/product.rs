//! A product of two matrices on a device: its three matrices, and the steps of a run. What is asked and how it is judged is in `product_problem`, what a run showed in `run`.

mod arguments;
mod cublas;
mod matrices;
mod others;
mod run;
mod smaller;
mod walk;

#[cfg(doc)]
use cornerturn_base::error::Error;
use cornerturn_base::error::Result;
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::{Timing, TimingMode, TimingOptions};
use cornerturn_emulator::{Trace, TraceRequest};
use cornerturn_registry::product_problem::{Accuracy, Judge, ProductData, ProductProblem};
use cornerturn_registry::registry::{ProductEntry, Registry};
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{self, LaunchOptions, LaunchReport};
pub use cublas::CublasGemm;
use matrices::Matrices;
use others::Launches;
pub use run::ProductRun;
use smaller::CheckedProduct;
use std::fmt;
pub use walk::{TileWalk, WalkedTile, WaveReads};

/// A launch on a GPU is rehearsed, and a product is counted as it is asked for, where it has no more multiplications.
const MOST_COUNTED: u64 = 1 << 27;

/// A product of no more multiplications is checked as it is launched; a larger one on a smaller of the same kind.
const MOST_CHECKED: u64 = 1 << 22;

/// A product of two matrices on a device. Kernels take
/// `(const A* a, const B* b, C* c, unsigned m, unsigned n, unsigned k)`, rows one right after the other, and tensor maps in the
/// place of the pointers where a kernel has boxes for them ([`Kernel::with_product_maps`]).
///
/// It is verified twice: on factors whose sums are exact, so that the result must be right bit by bit, and on random ones
/// within a bound of the rounding. Timed is the random one, by default *warm*: launches follow one another on the same
/// matrices, and what fits in L2 stays there, as figures of products are usually given.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let kernel = Kernel::registered("sgemm_tiled")?;
/// let product = Product::new(&Device::emulator(), ProductProblem::new(70, 50, 90))?;
/// let run = product.run(&kernel, (2, 3), (32, 32))?;
/// assert_eq!(run.counters.flops().total(), 2 * 64 * 96 * 96);
/// # Ok(())
/// # }
/// ```
pub struct Product {
    device: Device,
    problem: ProductProblem,
    matrices: Matrices,
    exact: Judge,
    random: Judge,
}

impl Product {
    /// The product on a device.
    ///
    /// # Errors
    /// [`Error::ProductShape`] for a product that no kernel takes; [`Error::Memory`] where the device has not enough memory.
    pub fn new(device: &Device, problem: ProductProblem) -> Result<Self> {
        problem.check()?;
        Ok(Self {
            matrices: Matrices::new(device, &problem)?,
            exact: Judge::new(&problem, ProductData::Exact)?,
            random: Judge::new(&problem, ProductData::Random)?,
            device: device.clone(),
            problem,
        })
    }

    /// The product of a shape that a registered kernel does.
    ///
    /// # Errors
    /// [`Error::ProductShape`] where the kernel does not take it; else as [`Product::new`].
    pub fn registered(
        device: &Device,
        entry: &ProductEntry,
        shape: cornerturn_base::product_shape::ProductShape,
    ) -> Result<Self> {
        Self::new(device, entry.problem(shape)?)
    }

    /// What is asked.
    pub fn problem(&self) -> &ProductProblem {
        &self.problem
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn judge(&self, data: ProductData) -> &Judge {
        match data {
            ProductData::Exact => &self.exact,
            ProductData::Random => &self.random,
        }
    }

    /// Verifies the kernel on exact and on random factors, has the emulator check and count it (a smaller product of the same kind
    /// where this one is large; the run says which), tries it on others of its kind, and on a GPU times it.
    ///
    /// # Errors
    /// [`Error::WrongProduct`] for a wrong result, [`Error::WrongElsewhere`] for one on another product, [`Error::Checked`] for what the checks find, [`Error::Kernel`] or
    /// [`Error::Fault`] for a fault, [`Error::Impossible`] for a time that cannot be true; else as [`Device::launch`].
    pub fn run(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<ProductRun> {
        let (grid, block) = (grid.into(), block.into());
        self.run_with(kernel, (grid, block), &Launches::Guessed(grid), true)
    }

    /// The same for a registered kernel, launched as the registry says.
    ///
    /// # Errors
    /// As [`Product::run`]; [`Error::ProductShape`] where the kernel does not take the product.
    pub fn run_registered(&self, entry: &ProductEntry, kernel: &Kernel) -> Result<ProductRun> {
        let launch = self.launch_shape(entry)?;
        self.run_with(kernel, launch, &Launches::Registered(entry), true)
    }

    /// The same without the checks: a race stays hidden behind a right result.
    ///
    /// # Errors
    /// As [`Product::run_registered`].
    pub fn run_unchecked(&self, entry: &ProductEntry, kernel: &Kernel) -> Result<ProductRun> {
        let launch = self.launch_shape(entry)?;
        self.run_with(kernel, launch, &Launches::Registered(entry), false)
    }

    /// The grid and the block of a registered kernel for this product on this device.
    ///
    /// # Errors
    /// [`Error::ProductShape`] where the kernel does not take it; [`Error::Usage`] where it does something else.
    pub fn launch_shape(&self, entry: &ProductEntry) -> Result<(Dim3, Dim3)> {
        if entry.problem(self.problem.shape)? != self.problem {
            return Err(cornerturn_base::error::Error::Usage(format!(
                "`{}` cannot do this {}",
                entry.id, self.problem
            )));
        }
        entry.launch_shape(self.problem.shape, self.device.multiprocessors())
    }

    fn run_with(
        &self,
        kernel: &Kernel,
        (grid, block): (Dim3, Dim3),
        launches: &Launches,
        is_checked: bool,
    ) -> Result<ProductRun> {
        // On the emulator first: a fault on a GPU costs the process its use of it.
        let mut checked = match is_checked {
            true => smaller::checked(self, kernel, (grid, block), launches)?,
            false => CheckedProduct::unchecked(),
        };
        let right = checked.right_on();
        let is_fault = |wrong: &mut others::Wrong| self.device.is_cuda() && wrong.is_fault();
        if let Some(fault) = checked.wrong.take_if(is_fault) {
            return Err(fault.into_error(kernel, &right));
        }
        let (_, report) = self.verified(kernel, grid, block, ProductData::Exact, true)?;
        let (accuracy, _) = self.verified(kernel, grid, block, ProductData::Random, false)?;
        if let Some(wrong) = checked.wrong.take() {
            let own = self.problem.shape.to_string();
            let right = [vec![own], right].concat();
            return Err(wrong.into_error(kernel, &right));
        }
        let timing = match self.device.is_cuda() {
            true => Some(self.time(kernel, grid, block, TimingMode::Warm)?),
            false => None,
        };
        let counted = smaller::counted(self, kernel, (grid, block), &checked, report)?;
        Ok(ProductRun::new(
            self,
            kernel,
            (grid, block),
            checked,
            accuracy,
            counted,
            timing,
        ))
    }

    /// Launches the kernel on exact and on random factors and verifies both results; on a GPU without a rehearsal on the
    /// emulator if the product is large. Gives how near it came on the random ones.
    ///
    /// # Errors
    /// As [`Product::run`].
    pub fn verify(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Accuracy> {
        let (grid, block) = (grid.into(), block.into());
        self.verified(kernel, grid, block, ProductData::Exact, true)?;
        let (accuracy, _) = self.verified(kernel, grid, block, ProductData::Random, false)?;
        Ok(accuracy)
    }

    /// Launches the kernel once on factors with this data and verifies the result, on a GPU without a rehearsal: for kernels that the
    /// emulator has run before.
    ///
    /// # Errors
    /// As [`Product::run`].
    pub fn verify_on(
        &self,
        data: ProductData,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<Accuracy> {
        let (accuracy, _) = self.verified(kernel, grid.into(), block.into(), data, false)?;
        Ok(accuracy)
    }

    fn verified(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        data: ProductData,
        rehearse: bool,
    ) -> Result<(Accuracy, LaunchReport)> {
        self.matrices.make_ready(self.judge(data), data, kernel)?;
        let arguments = self.matrices.arguments(&self.problem, kernel)?;
        let is_small = self.problem.shape.multiply_adds() <= MOST_COUNTED;
        let options = match rehearse && is_small {
            true => LaunchOptions::default(),
            false => LaunchOptions::unrehearsed(),
        };
        let report = self
            .device
            .launch_with(kernel, grid, block, &arguments, &options)?;
        match self.compare(kernel.name(), data) {
            Ok(accuracy) => Ok((accuracy, report)),
            Err(error) => Err(error.with_printed(report.printed)),
        }
    }

    /// Compares what a launch left in C.
    fn compare(&self, kernel: &str, data: ProductData) -> Result<Accuracy> {
        self.matrices
            .compare(self.judge(data), data, &self.problem, kernel)
    }

    /// Times single launches of a kernel on random factors, and refuses a time that cannot be true; [`TimingMode::Warm`] is
    /// the usual mode. Verify it first.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; [`Error::Impossible`]; else as [`Device::launch`].
    pub fn time(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        options: impl Into<TimingOptions>,
    ) -> Result<Timing> {
        if !self.device.is_cuda() {
            return Err(cornerturn_base::error::Error::NoClock);
        }
        let data = ProductData::Random;
        self.matrices.fill(self.judge(data), data)?;
        let sets = [self.matrices.arguments(&self.problem, kernel)?];
        let (device, options) = (&self.device, options.into());
        let timing = launch::time(device, kernel, grid.into(), block.into(), &sets, &options)?;
        self.check_possible(kernel.name(), timing)
    }

    /// Has cuBLAS do the product on exact and on random factors, and verifies both results like a kernel's.
    ///
    /// # Errors
    /// [`Error::Usage`] where it cannot do the product; [`Error::WrongProduct`]; [`Error::Driver`].
    pub fn verify_cublas(&self, cublas: &CublasGemm) -> Result<Accuracy> {
        let verified = |data| {
            self.matrices.fill(self.judge(data), data)?;
            self.matrices.c().poison()?;
            cublas.run(&self.problem, &self.matrices)?;
            self.compare(cublas.library(), data)
        };
        verified(ProductData::Exact)?;
        verified(ProductData::Random)
    }

    /// Times cuBLAS at the product as a kernel is timed.
    ///
    /// # Errors
    /// As [`Product::verify_cublas`].
    pub fn time_cublas(
        &self,
        cublas: &CublasGemm,
        options: impl Into<TimingOptions>,
    ) -> Result<Timing> {
        let data = ProductData::Random;
        self.matrices.fill(self.judge(data), data)?;
        let timing = cublas.time(&self.problem, &self.matrices, &options.into())?;
        self.check_possible(cublas.library(), timing)
    }

    /// Has the kernel's counters counted by the emulator, whatever the device.
    ///
    /// # Errors
    /// As [`Product::run`].
    pub fn count(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<LaunchReport> {
        self.emulate(kernel, grid.into(), block.into(), &LaunchOptions::default())
    }

    /// Runs the kernel on the emulator with all its checks.
    ///
    /// # Errors
    /// [`Error::Kernel`] with everything found; else as [`Product::count`].
    pub fn check(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
    ) -> Result<LaunchReport> {
        self.emulate(kernel, grid.into(), block.into(), &LaunchOptions::checked())
    }

    /// What some warps do to memory, access by access, from the emulator.
    ///
    /// # Errors
    /// As [`Product::count`].
    pub fn trace(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        request: TraceRequest,
    ) -> Result<Trace> {
        let options = LaunchOptions::traced(request);
        let report = self.emulate(kernel, grid.into(), block.into(), &options)?;
        Ok(report.trace.unwrap_or_default())
    }

    /// Runs the kernel on the emulator, whatever the device, without a look at its result.
    ///
    /// # Errors
    /// [`Error::Kernel`] with everything found; else as [`Product::count`].
    pub fn emulate(
        &self,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        options: &LaunchOptions,
    ) -> Result<LaunchReport> {
        kernel.module()?;
        let emulator = Device::emulator();
        let matrices = Matrices::new(&emulator, &self.problem)?;
        matrices.make_ready(&self.exact, ProductData::Exact, kernel)?;
        let arguments = matrices.arguments(&self.problem, kernel)?;
        emulator.launch_with(kernel, grid, block, &arguments, options)
    }

    /// The timing, unless it cannot be true.
    fn check_possible(&self, what: &str, timing: Timing) -> Result<Timing> {
        run::check_possible(what, &self.problem, &timing, self.device.facts())?;
        Ok(timing)
    }
}

impl ProductRun {
    /// The run of a registered kernel on a product of a shape, launched as the registry says.
    ///
    /// # Errors
    /// As [`Product::registered`] and [`Product::run`]; [`Error::UnknownKernel`].
    pub fn registered(
        device: &Device,
        id: &str,
        shape: cornerturn_base::product_shape::ProductShape,
    ) -> Result<Self> {
        let registry = Registry::load()?;
        let entry = registry.product(id)?;
        let product = Product::registered(device, entry, shape)?;
        product.run_registered(entry, &Kernel::committed(&registry, entry)?)
    }
}

impl fmt::Debug for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.problem, self.device.name())
    }
}
