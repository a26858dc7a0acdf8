//! Kernels on matrices of one shape, verified, and timed in rounds beside the driver's copy and cuBLAS's `geam`. Which matrices and what file is the experiments'.

use super::cases::Set;
use super::measured::{ROUNDS, round_options, rounded, with_resources};
use crate::output;
use crate::turns;
use cornerturn::record::{CUBLAS_GEAM, DRIVER_COPY, Measurement};
use cornerturn::registry::{KernelEntry, Registry};
use cornerturn::timing::TimingOptions;
use cornerturn::verify::Operation;
use cornerturn::{Clocks, Device, Error, Geam, Kernel, RegisteredTask, Timing};

/// Who is measured on one set of matrices.
pub struct Stand<'a> {
    set: &'a Set<'a>,
    /// Kernels that are asked for the same share the matrices.
    tasks: Vec<RegisteredTask>,
    who: Vec<Who<'a>>,
}

/// Whoever has a turn in each round.
enum Who<'a> {
    Copy,
    Geam(&'a Geam, usize),
    Kernel(Box<Candidate<'a>>),
}

struct Candidate<'a> {
    entry: &'a KernelEntry,
    kernel: Kernel,
    /// Its task, by the number.
    task: usize,
}

/// The samples of everybody, in the stand's order, and the clocks at the end.
pub struct Sampled {
    samples_us: Vec<Vec<f64>>,
    /// The GPU's clocks right after the last turn.
    pub clocks: Clocks,
}

impl<'a> Stand<'a> {
    /// The kernels of the set that take its matrices, verified; the others are told. `None` where none does.
    ///
    /// # Errors
    /// A kernel whose result is wrong; [`Error::Memory`].
    pub fn new(
        registry: &Registry,
        device: &Device,
        geam: Option<&'a Geam>,
        set: &'a Set<'a>,
    ) -> anyhow::Result<Option<Self>> {
        let mut stand = Self {
            set,
            tasks: Vec::new(),
            who: vec![Who::Copy],
        };
        for &entry in &set.kernels {
            stand.admit(registry, device, entry)?;
        }
        if stand.tasks.is_empty() {
            return Ok(None);
        }
        let takes = |geam: &&Geam| {
            let mut tasks = stand.tasks.iter();
            tasks.position(|task| geam.takes(task.problem()))
        };
        if let Some((geam, task)) = geam.and_then(|geam| Some((geam, takes(&geam)?))) {
            stand.tasks[task].verify_geam(geam)?;
            stand.who.insert(1, Who::Geam(geam, task));
        }
        Ok(Some(stand))
    }

    fn admit(
        &mut self,
        registry: &Registry,
        device: &Device,
        entry: &'a KernelEntry,
    ) -> anyhow::Result<()> {
        let (id, set) = (&entry.id, self.set);
        let problem = match entry.problem(set.shape, set.batches) {
            Ok(problem) => problem,
            Err(error) => {
                output::step(format!("  {id} is left out: {error}"));
                return Ok(());
            }
        };
        let task = match self
            .tasks
            .iter()
            .position(|task| *task.problem() == problem)
        {
            Some(task) => task,
            None => {
                let task = RegisteredTask::new(device, entry, set.shape, set.batches)?;
                self.tasks.push(task);
                self.tasks.len() - 1
            }
        };
        let kernel = Kernel::committed(registry, entry)?;
        output::progress(&format!("  {set}: verifying {id}"));
        match self.tasks[task].verify(entry, &kernel) {
            // Matrices that it does not take, or a GPU that it was not written for.
            Err(
                error @ (Error::Shape { .. }
                | Error::NoTensorMaps { .. }
                | Error::PtxRefused { .. }),
            ) => {
                output::step(format!("  {id} is left out: {error}"));
                return Ok(());
            }
            result => result?,
        }
        let candidate = Candidate {
            entry,
            kernel,
            task,
        };
        self.who.push(Who::Kernel(Box::new(candidate)));
        Ok(())
    }

    /// Rounds in which everybody has a turn in each of these ways of timing, in an order that changes. `before` runs
    /// ahead of each turn.
    pub fn rounds(
        &self,
        options: &[TimingOptions],
        before: &dyn Fn(&Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<Sampled>> {
        let people = self.who.len();
        let empty = || Sampled {
            samples_us: vec![Vec::new(); people],
            clocks: Clocks::default(),
        };
        let mut sampled: Vec<Sampled> = options.iter().map(|_| empty()).collect();
        for round in 0..ROUNDS {
            for turn in turns::shuffled(people * options.len(), round) {
                let (way, place) = (turn / people, turn % people);
                let name = self.name(place);
                output::progress(&format!(
                    "  {}: round {} of {ROUNDS}, {name}",
                    self.set,
                    round + 1
                ));
                before(self)?;
                let timing = self.time(place, &options[way])?;
                sampled[way].samples_us[place].extend(timing.samples_us);
                sampled[way].clocks = timing.clocks;
            }
        }
        output::progress("");
        Ok(sampled)
    }

    /// The rounds of what is reported: a cold cache.
    pub fn cold_rounds(&self) -> anyhow::Result<Sampled> {
        let mut sampled = self.rounds(&[round_options()], &|_| Ok(()))?;
        // One way of timing was asked for.
        Ok(sampled.swap_remove(0))
    }

    fn name(&self, place: usize) -> &str {
        match &self.who[place] {
            Who::Copy => DRIVER_COPY,
            Who::Geam(..) => CUBLAS_GEAM,
            Who::Kernel(candidate) => &candidate.entry.id,
        }
    }

    fn time(&self, place: usize, options: &TimingOptions) -> cornerturn::Result<Timing> {
        match &self.who[place] {
            Who::Copy => self.tasks[0].time_copy(*options),
            Who::Geam(geam, task) => self.tasks[*task].time_geam(geam, *options),
            Who::Kernel(candidate) => {
                let task = &self.tasks[candidate.task];
                task.time(candidate.entry, &candidate.kernel, *options)
            }
        }
    }

    /// Launches a kernel of the stand as often as `options` says; nothing where it is not among them.
    pub fn launch(&self, id: &str, options: &TimingOptions) -> cornerturn::Result<()> {
        let place = (0..self.who.len()).find(|&place| self.name(place) == id);
        match place {
            Some(place) => self.time(place, options).map(drop),
            None => Ok(()),
        }
    }

    /// The samples as measurements in a mode.
    pub fn measurements(
        &self,
        sampled: &Sampled,
        options: &TimingOptions,
    ) -> cornerturn::Result<Vec<Measurement>> {
        let set = self.set;
        let blank = Measurement {
            batches: set.batches,
            mode: options.mode,
            bytes_moved: self.tasks[0].problem().bytes_moved(),
            ..Measurement::new(
                DRIVER_COPY,
                Operation::Copy,
                set.element,
                set.shape,
                Vec::new(),
            )
        };
        let with_samples = |(who, samples_us): (&Who, &Vec<f64>)| {
            let blank = Measurement {
                samples_us: rounded(samples_us),
                ..blank.clone()
            };
            match who {
                Who::Copy => Ok(blank),
                Who::Geam(geam, _) => Ok(Measurement {
                    kernel: CUBLAS_GEAM.to_string(),
                    operation: Operation::Transpose,
                    library: Some(geam.library().to_string()),
                    ..blank
                }),
                Who::Kernel(candidate) => self.of_kernel(candidate, blank),
            }
        };
        let everybody = self.who.iter().zip(&sampled.samples_us);
        everybody.map(with_samples).collect()
    }

    fn of_kernel(
        &self,
        candidate: &Candidate,
        blank: Measurement,
    ) -> cornerturn::Result<Measurement> {
        let Candidate { entry, kernel, .. } = candidate;
        let task = &self.tasks[candidate.task];
        let (grid, block) = task.launch_shape(entry)?;
        let resources = task.device().resources(kernel, block)?;
        let measurement = Measurement {
            kernel: entry.id.clone(),
            operation: entry.operation,
            source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
            ptx_sha256: kernel.ptx_sha256().to_string(),
            grid: Some(grid),
            block: Some(block),
            ..blank
        };
        Ok(with_resources(measurement, resources))
    }
}
