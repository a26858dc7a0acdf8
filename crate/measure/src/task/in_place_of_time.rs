//! What is said of a kernel of one's own where there is no GPU to time it: the registered kernel that counts most like it, its record, and the counters that differ. It runs nothing.

use crate::record::{Measurement, Record};
use cornerturn_base::paths;
use cornerturn_emulator::Counters;
use cornerturn_registry::problem::Problem;
use cornerturn_registry::registry::{KernelEntry, Registry, per_request};
use cornerturn_runtime::kernel::{Kernel, Origin};

/// From here on two quotients of counters differ: the edge of a matrix makes less.
const DIFFERS: f64 = 0.02;

/// The experiment whose records hold bandwidths of registered kernels.
const EXPERIMENT: &str = "transpose";

/// The sentences for a kernel that was compiled here; `None` for one of the registry, and where the registry has none that
/// does the same.
pub(super) fn told(kernel: &Kernel, problem: &Problem, counters: &Counters) -> Option<String> {
    if kernel.origin() != Origin::Live {
        return None;
    }
    let registry = Registry::load().ok()?;
    let nearest = nearest(&registry, kernel, problem, counters)?;
    let is_unedited = registry.source(nearest).ok().as_deref() == kernel.source();
    if is_unedited {
        return None;
    }
    let mut text = format!(
        "There is no GPU here, and so no time. Of the book's kernels `{}` counts most like this one",
        nearest.id
    );
    match recorded(&nearest.id, problem) {
        Some((record, found)) => text.push_str(&format!(
            "; it was recorded at {:.0} on {}, {}",
            found.gb_per_s(),
            record.device.facts.name,
            found.shape()
        )),
        None => text.push_str("; there is no record of it"),
    }
    let differing = differing(nearest, counters);
    match differing.is_empty() {
        true => text.push_str(". What it claims of its requests to memory holds for this one too."),
        false => text.push_str(&format!(". What differs: {}.", differing.join("; "))),
    }
    Some(text)
}

/// The kernel of which it is an edit, else the one whose claims are nearest to what was counted.
fn nearest<'r>(
    registry: &'r Registry,
    kernel: &Kernel,
    problem: &Problem,
    counters: &Counters,
) -> Option<&'r KernelEntry> {
    let does_the_same = |entry: &&KernelEntry| {
        entry.operation == problem.operation && entry.element == problem.element
    };
    if let Ok(entry) = registry.get(kernel.registered_id())
        && does_the_same(&entry)
    {
        return Some(entry);
    }
    let apart = |entry: &KernelEntry| -> f64 {
        let each = entry.claims.iter().map(|(name, claimed)| {
            // No request where one is claimed is as far as can be.
            let counted = per_request(counters, name)
                .flatten()
                .unwrap_or(64.0 * claimed);
            (counted / claimed.max(1e-3)).max(1e-3).ln().abs()
        });
        each.sum::<f64>() / entry.claims.len().max(1) as f64
    };
    let candidates = registry.kernels().iter().filter(does_the_same);
    let candidates = candidates.filter(|entry| !entry.claims.is_empty());
    candidates.min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

/// `shared load wavefronts per request 32 (1)`, for each claim that does not hold.
fn differing(entry: &KernelEntry, counters: &Counters) -> Vec<String> {
    let claims = entry.claims.iter();
    let told = claims.filter_map(|(name, claimed)| {
        let counted = per_request(counters, name)?;
        let words = name.replace('_', " ");
        match counted {
            None => Some(format!("{words} {claimed} there, and no such request here")),
            Some(counted) if (counted - claimed).abs() > DIFFERS * claimed.abs() => {
                Some(format!("{words} {counted:.2} here, {claimed} there"))
            }
            Some(_) => None,
        }
    });
    told.collect()
}

/// The recorded measurement of a kernel whose matrix is nearest in size.
fn recorded(id: &str, problem: &Problem) -> Option<(Record, Measurement)> {
    let folder = paths::results().ok()?;
    let mut gpus: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    gpus.sort();
    let wanted = problem.elements() as f64;
    gpus.iter().find_map(|gpu| {
        let record = Record::load(gpu, EXPERIMENT).ok()?;
        let of_kernel = |m: &&Measurement| m.kernel == id && m.element == problem.element;
        let far = |m: &Measurement| ((m.rows * m.columns) as f64 / wanted).ln().abs();
        let own = record.measurements.iter().filter(of_kernel);
        let found = own.min_by(|a, b| far(a).total_cmp(&far(b)))?.clone();
        Some((record, found))
    })
}

#[cfg(test)]
mod tests {
    use crate::task::Task;
    use cornerturn_registry::registry::Registry;
    use cornerturn_runtime::device::Device;
    use cornerturn_runtime::kernel::Kernel;

    #[test]
    fn an_edit_is_set_beside_the_kernel_that_it_was_and_a_registered_one_is_not() {
        let registry = Registry::load().unwrap();
        let entry = registry.get("padded").unwrap();
        let source = registry.source(entry).unwrap();
        let task = Task::transpose(&Device::emulator(), 96, 160).unwrap();
        let run = |source: &str| {
            let kernel = Kernel::cuda_entry(source, &entry.entry).unwrap();
            task.run(&kernel, (5, 3), (32, 8)).unwrap()
        };
        assert_eq!(run(&source).in_place_of_time, None);
        let unpadded = source.replace("[32 + 1]", "[32]");
        assert_ne!(source, unpadded, "the tile is 33 wide");
        let told = run(&unpadded).in_place_of_time.unwrap();
        for words in ["no GPU here", "What differs", "wavefronts per request"] {
            assert!(told.contains(words), "{told}");
        }
        let committed = Kernel::registered("padded").unwrap();
        let run = task.run(&committed, (5, 3), (32, 8)).unwrap();
        assert_eq!(run.in_place_of_time, None);
    }
}
