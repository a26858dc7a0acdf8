//! How the two that can be tuned, the transpose and the product, are launched, compared and timed. What can be chosen is `cornerturn::tuning`'s, the search is `search`'s.

use cornerturn::registry::{Code, KernelEntry, ProductEntry, Registry};
use cornerturn::timing::Timing;
use cornerturn::tuning::{RingProduct, Subject, Transpose};
use cornerturn::{
    Counters, CublasGemm, Device, Dim3, Error, Kernel, Product, ProductData, ProductShape,
    RegisteredTask, Shape, TimingOptions,
};
use serde_json::{Value, json};

/// What a search can be for.
pub trait Tuned: Subject + Sync + 'static {
    /// What the registry says of the kernel.
    type Entry: Send + Sync;
    /// The matrices on a device.
    type Task;
    /// The keys in JSON of a rate, of its per cent of the reference, of the reference's rate, and of a block's shared memory.
    const KEYS: [&'static str; 4];

    /// Shapes at which every variant is verified before it is timed: in the first rows begin where a vector may and tiles are cut
    /// off at both edges; in the second no row but the first does.
    fn small(&self) -> [Self; 2];

    /// The registered kernel.
    fn entry(&self, registry: &Registry) -> cornerturn::Result<Self::Entry>;

    /// It as a variant.
    fn varied(&self, variant: &Self::Variant, entry: &Self::Entry) -> Self::Entry;

    /// The `#define` lines of a variant.
    fn defines(&self, variant: &Self::Variant) -> String;

    /// Why no device can have it.
    fn over_limits(&self, variant: &Self::Variant) -> Option<String>;

    /// Threads of a block and bytes of its shared memory.
    fn block(&self, variant: &Self::Variant) -> (u32, u32);

    /// Where the code lies.
    fn code(entry: &Self::Entry) -> Code<'_>;

    /// Threads of a block of an entry.
    fn threads(entry: &Self::Entry) -> Dim3;

    /// What all variants of a space have in common, in JSON.
    fn common(&self) -> Value;

    /// The matrices on a device.
    fn task(&self, device: &Device, entry: &Self::Entry) -> cornerturn::Result<Self::Task>;

    /// Compares the result of one launch bit by bit.
    fn verify(task: &Self::Task, entry: &Self::Entry, kernel: &Kernel) -> cornerturn::Result<()>;

    /// What a launch did to memory, where the emulator counts it.
    fn counters(
        task: &Self::Task,
        entry: &Self::Entry,
        kernel: &Kernel,
    ) -> cornerturn::Result<Option<Counters>>;

    /// Times a kernel.
    fn time(
        task: &Self::Task,
        entry: &Self::Entry,
        kernel: &Kernel,
        options: TimingOptions,
    ) -> cornerturn::Result<Timing>;

    /// Times the reference; `None` where this machine has none.
    fn reference(task: &Self::Task, options: TimingOptions) -> cornerturn::Result<Option<Timing>>;

    /// The library that is the reference, and its version.
    fn library(task: &Self::Task) -> String;
}

impl Tuned for Transpose {
    type Entry = KernelEntry;
    type Task = RegisteredTask;
    const KEYS: [&'static str; 4] = ["gb_per_s", "percent_of_copy", "copy_gb_per_s", "tile_bytes"];

    fn small(&self) -> [Self; 2] {
        [(1040, 2064), (257, 1031)].map(|(rows, columns)| Self {
            rows,
            columns,
            ..*self
        })
    }

    fn entry(&self, registry: &Registry) -> cornerturn::Result<KernelEntry> {
        let id = match self.element {
            cornerturn::ElementType::F32 => Self::KERNEL.to_string(),
            other => format!("{}_{other}", Self::KERNEL),
        };
        registry.get(&id).cloned()
    }

    fn varied(&self, variant: &Self::Variant, entry: &KernelEntry) -> KernelEntry {
        variant.entry(entry)
    }

    fn defines(&self, variant: &Self::Variant) -> String {
        variant.defines(self.element)
    }

    fn over_limits(&self, variant: &Self::Variant) -> Option<String> {
        variant.over_limits(self.element)
    }

    fn block(&self, variant: &Self::Variant) -> (u32, u32) {
        (
            variant.threads(self.element),
            variant.tile_bytes(self.element),
        )
    }

    fn code(entry: &KernelEntry) -> Code<'_> {
        entry.into()
    }

    fn threads(entry: &KernelEntry) -> Dim3 {
        entry.block.into()
    }

    fn common(&self) -> Value {
        json!({ "element": self.element.name() })
    }

    fn task(&self, device: &Device, entry: &KernelEntry) -> cornerturn::Result<RegisteredTask> {
        RegisteredTask::new(device, entry, Shape::new(self.rows, self.columns), 1)
    }

    fn verify(
        task: &RegisteredTask,
        entry: &KernelEntry,
        kernel: &Kernel,
    ) -> cornerturn::Result<()> {
        task.verify(entry, kernel)
    }

    fn counters(
        task: &RegisteredTask,
        entry: &KernelEntry,
        kernel: &Kernel,
    ) -> cornerturn::Result<Option<Counters>> {
        Ok(task.launch(entry, kernel)?.counters)
    }

    fn time(
        task: &RegisteredTask,
        entry: &KernelEntry,
        kernel: &Kernel,
        options: TimingOptions,
    ) -> cornerturn::Result<Timing> {
        task.time(entry, kernel, options)
    }

    fn reference(
        task: &RegisteredTask,
        options: TimingOptions,
    ) -> cornerturn::Result<Option<Timing>> {
        task.time_copy(options).map(Some)
    }

    fn library(_: &RegisteredTask) -> String {
        String::new()
    }
}

/// The matrices of a product, and cuBLAS where it is installed.
pub struct ProductTask {
    product: Product,
    cublas: Option<CublasGemm>,
}

impl ProductTask {
    fn launch(&self, entry: &ProductEntry) -> cornerturn::Result<(Dim3, Dim3)> {
        self.product.launch_shape(entry)
    }
}

impl Tuned for RingProduct {
    type Entry = ProductEntry;
    type Task = ProductTask;
    const KEYS: [&'static str; 4] = [
        "tera_per_s",
        "percent_of_cublas",
        "cublas_tera_per_s",
        "shared_bytes",
    ];

    fn small(&self) -> [Self; 2] {
        [(300, 420, 200), (131, 275, 173)].map(|(m, n, k)| Self {
            shape: ProductShape::new(m, n, k),
            ..*self
        })
    }

    fn entry(&self, registry: &Registry) -> cornerturn::Result<ProductEntry> {
        let entry = registry.product(Self::KERNEL)?.clone();
        Ok(ProductEntry {
            layout: self.layout,
            ..entry
        })
    }

    fn varied(&self, variant: &Self::Variant, entry: &ProductEntry) -> ProductEntry {
        variant.entry(entry, self.layout)
    }

    fn defines(&self, variant: &Self::Variant) -> String {
        variant.defines(self.layout)
    }

    fn over_limits(&self, variant: &Self::Variant) -> Option<String> {
        variant.over_limits(self.layout)
    }

    fn block(&self, variant: &Self::Variant) -> (u32, u32) {
        (variant.tile.threads(), variant.shared_bytes(self.layout))
    }

    fn code(entry: &ProductEntry) -> Code<'_> {
        entry.into()
    }

    fn threads(entry: &ProductEntry) -> Dim3 {
        entry.block.into()
    }

    fn common(&self) -> Value {
        json!({ "layout": self.layout })
    }

    fn task(&self, device: &Device, _: &ProductEntry) -> cornerturn::Result<ProductTask> {
        let product = Product::new(device, self.problem())?;
        let cublas = match CublasGemm::open(device) {
            Ok(cublas) => Some(cublas),
            Err(Error::NoCublas(_) | Error::NoClock) => None,
            Err(error) => return Err(error),
        };
        if let Some(cublas) = &cublas {
            product.verify_cublas(cublas)?;
        }
        Ok(ProductTask { product, cublas })
    }

    /// On whole numbers bit by bit, on random ones within the bound of the rounding.
    fn verify(task: &ProductTask, entry: &ProductEntry, kernel: &Kernel) -> cornerturn::Result<()> {
        let (grid, block) = task.launch(entry)?;
        for data in [ProductData::Exact, ProductData::Random] {
            task.product.verify_on(data, kernel, grid, block)?;
        }
        Ok(())
    }

    fn counters(
        task: &ProductTask,
        entry: &ProductEntry,
        kernel: &Kernel,
    ) -> cornerturn::Result<Option<Counters>> {
        let (grid, block) = task.launch(entry)?;
        Ok(task.product.count(kernel, grid, block)?.counters)
    }

    fn time(
        task: &ProductTask,
        entry: &ProductEntry,
        kernel: &Kernel,
        options: TimingOptions,
    ) -> cornerturn::Result<Timing> {
        let (grid, block) = task.launch(entry)?;
        task.product.time(kernel, grid, block, options)
    }

    fn reference(task: &ProductTask, options: TimingOptions) -> cornerturn::Result<Option<Timing>> {
        let Some(cublas) = &task.cublas else {
            return Ok(None);
        };
        task.product.time_cublas(cublas, options).map(Some)
    }

    fn library(task: &ProductTask) -> String {
        let cublas = task.cublas.as_ref();
        cublas.map_or(String::new(), |cublas| cublas.library().to_string())
    }
}
