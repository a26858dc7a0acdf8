//! The experiment `reports`: what NVIDIA's profiler ncu says of some launches of the book, as `cornerturn::Reports` keeps it. Running ncu lives in `ncu`.

use super::ncu::{self, Profile};
use super::once::{Given, Launch};
use crate::exit;
use crate::output::{self, Table};
use cornerturn::registry::Registry;
use cornerturn::reports::{METRICS, STALLS, stall_metric};
use cornerturn::works::RegisteredWork;
use cornerturn::{Counters, Device, Dim3, Kernel, RegisteredTask, Report, Reports};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// The ladder's rungs, a roof of each kind, kernels that neither memory nor arithmetic fills, and what memory does under
/// large matrices.
const LAUNCHES: [&str; 18] = [
    "naive_read:4096x4096",
    "tiled:4096x4096",
    "padded:4096x4096",
    "vectorized:4096x4096",
    "fma_f32:17301504:1024",
    "tensor_bf16:34603008:128",
    "vector_add:33554432",
    "gemm_naive:1048576:1024",
    "gemm_tiled:1048576:1024",
    "attention:262144:256",
    "softmax_warp:262144:256",
    "sum_shuffle:67108864",
    "copy_float4:16384x16384",
    "limit:16384x16384",
    "copy_float4:32768x32768",
    "limit:32768x32768",
    "vectorized:32768x32768",
    "naive_write:32768x32768",
];

/// Profiles the launches, those of these kernels if any is named, and writes the reports.
pub fn record(device: &Device, ids: &[String], folder: &Path) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let plan = plan(ids)?;
    let mut reports = Reports::new(device, &super::commit(), ncu::version()?);
    output::step(format!("ncu profiles {} launches …", plan.len()));
    let (asked, missing) = metrics(&ncu::available()?);
    for name in missing {
        output::step(format!(
            "this GPU's ncu has no {name}; reports are without it"
        ));
    }
    let arguments = std::iter::once("__once".to_string());
    let arguments = arguments.chain(plan.iter().map(Launch::to_string));
    let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
    let profiles = ncu::profile(&asked, &arguments)?;
    reports.reports = assemble(&registry, &plan, profiles)?;
    let path = folder.join(format!("{}.json", Reports::EXPERIMENT));
    reports.save_to(&path)?;
    for report in &reports.reports {
        output::print(table(report))?;
    }
    output::line(reports.provenance())?;
    output::line(format_args!("written to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn plan(ids: &[String]) -> anyhow::Result<Vec<Launch>> {
    let all = LAUNCHES.iter().map(|text| text.parse::<Launch>());
    let mut plan: Vec<Launch> = all.collect::<Result<_, _>>().map_err(exit::usage)?;
    if let Some(unknown) = ids
        .iter()
        .find(|id| plan.iter().all(|launch| launch.id != **id))
    {
        let known: Vec<&str> = plan.iter().map(|launch| launch.id.as_str()).collect();
        return Err(exit::usage(format!(
            "`{unknown}` is not reported on; those that are: {}",
            known.join(", ")
        )));
    }
    plan.retain(|launch| ids.is_empty() || ids.contains(&launch.id));
    Ok(plan)
}

/// What ncu is asked for: the metrics of reports and our counters; then what it lacks. Those of the launch itself are always
/// there and never listed.
fn metrics(available: &BTreeSet<String>) -> (Vec<String>, Vec<String>) {
    let base = |name: &str| name.split('.').next().unwrap_or(name).to_string();
    let counters: Vec<&str> = Counters::default().iter().map(|(name, _)| name).collect();
    let ours = counters.iter().filter(|name| !name.starts_with("ptx__"));
    let told = METRICS.iter().map(|metric| metric.ncu.to_string());
    let stalls = STALLS.iter().map(|(stall, _)| stall_metric(stall));
    let all = told.chain(stalls).chain(ours.map(|name| name.to_string()));
    all.partition(|name| name.starts_with("launch__") || available.contains(&base(name)))
}

/// The reports of the plan's launches, in its order. The driver may have launched kernels of its own.
fn assemble(
    registry: &Registry,
    plan: &[Launch],
    profiles: Vec<Profile>,
) -> anyhow::Result<Vec<Report>> {
    let entries = plan.iter().map(|launch| launch.entry(registry));
    let entries: Vec<&str> = entries.collect::<Result<_, _>>()?;
    let is_ours = |profile: &Profile| entries.contains(&profile.kernel.as_str());
    let profiles: Vec<Profile> = profiles.into_iter().filter(is_ours).collect();
    let found: Vec<&str> = profiles
        .iter()
        .map(|profile| profile.kernel.as_str())
        .collect();
    if found != entries {
        return Err(exit::lacks(format!(
            "ncu profiled {}, and these were launched: {}",
            found.join(", "),
            entries.join(", ")
        )));
    }
    let both = plan.iter().zip(profiles);
    both.map(|(launch, profile)| report(registry, launch, profile))
        .collect()
}

fn report(registry: &Registry, launch: &Launch, profile: Profile) -> anyhow::Result<Report> {
    let (kernel, (grid, block)) = launched(registry, launch)?;
    Ok(Report {
        kernel: launch.id.clone(),
        given: launch.given.to_string(),
        grid,
        block,
        source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
        ptx_sha256: kernel.ptx_sha256().to_string(),
        metrics: profile.metrics.into_iter().filter(is_told).collect(),
    })
}

/// A counter that is 0 says nothing; a share, or a wait, does.
fn is_told((name, value): &(String, f64)) -> bool {
    *value != 0.0 || Counters::default().get(name).is_none()
}

fn launched(registry: &Registry, launch: &Launch) -> anyhow::Result<(Kernel, (Dim3, Dim3))> {
    Ok(match launch.given {
        Given::Matrix(shape) => {
            let entry = registry.get(&launch.id)?;
            let task = RegisteredTask::new(&Device::emulator(), entry, shape, 1)?;
            (
                Kernel::committed(registry, entry)?,
                task.launch_shape(entry)?,
            )
        }
        Given::Items(items, parameter) => {
            let entry = registry.work(&launch.id)?;
            (
                entry.kernel(registry, parameter)?,
                entry.launch_shape(items)?,
            )
        }
    })
}

fn table(report: &Report) -> String {
    let mut table = Table::new([report.kernel.as_str(), report.given.as_str(), ""]);
    for metric in METRICS {
        if let Ok(value) = report.metric(metric.name) {
            let row = [
                metric.name.to_string(),
                format!("{value:.2}"),
                metric.what.to_string(),
            ];
            table.row(row);
        }
    }
    for (stall, clocks) in report.waits() {
        let what = STALLS.iter().find(|(name, _)| *name == stall);
        let what = what.map_or("", |(_, what)| what);
        table.row([stall.to_string(), format!("{clocks:.2}"), what.to_string()]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(kernel: &str) -> Profile {
        let metrics = [
            ("gpu__time_duration.sum", 41_250.5),
            ("lts__t_sector_hit_rate.pct", 0.0),
            ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0.0),
        ];
        let metrics = metrics.map(|(name, value)| (name.to_string(), value));
        Profile {
            kernel: kernel.to_string(),
            metrics: metrics.into(),
        }
    }

    #[test]
    fn every_planned_launch_is_of_a_registered_kernel_with_what_it_takes() {
        let registry = Registry::load().unwrap();
        let plan = plan(&[]).unwrap();
        assert_eq!(plan.len(), LAUNCHES.len());
        for launch in plan {
            assert!(launch.entry(&registry).is_ok(), "{launch}");
            if let Given::Items(_, parameter) = launch.given {
                let entry = registry.work(&launch.id).unwrap();
                assert!(entry.parameters().contains(&parameter), "{launch}");
            }
        }
    }

    #[test]
    fn only_what_is_named_is_planned_and_what_is_not_there_is_told() {
        let plan = |id: &str| super::plan(&[id.to_string()]);
        assert_eq!(plan("tiled").unwrap().len(), 1);
        let error = plan("swizzled").unwrap_err().to_string();
        assert!(
            error.contains("`swizzled`") && error.contains("padded"),
            "{error}"
        );
    }

    #[test]
    fn reports_are_of_our_launches_in_their_order() {
        let registry = Registry::load().unwrap();
        let plan = [
            "padded:97x61".parse().unwrap(),
            "softmax_warp:33:75".parse().unwrap(),
        ];
        let profiles = ["padded", "memset", "softmax_warp"].map(profile);
        let reports = assemble(&registry, &plan, profiles.to_vec()).unwrap();
        assert_eq!(reports.len(), 2);
        assert_eq!(
            (reports[0].kernel.as_str(), reports[0].given.as_str()),
            ("padded", "97x61")
        );
        assert_eq!(reports[1].grid, Dim3::from(5));
        assert_eq!(reports[1].metric("ns").unwrap(), 41_250.5);
        assert_eq!(reports[1].metric("l2_hit_percent").unwrap(), 0.0);
        assert_eq!(reports[1].metrics.len(), 2);
        let missing = assemble(&registry, &plan, vec![profile("padded")]).unwrap_err();
        assert!(missing.to_string().contains("softmax_warp"), "{missing}");
    }

    #[test]
    fn ncu_is_asked_for_what_it_has_and_for_the_launch_itself() {
        let (asked, missing) = metrics(&BTreeSet::from(["dram__throughput".to_string()]));
        let dram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
        assert!(asked.contains(&dram.to_string()));
        assert!(asked.contains(&"launch__registers_per_thread".to_string()));
        assert!(missing.contains(&stall_metric("barrier")));
        assert!(missing.iter().all(|name| !name.starts_with("ptx__")));
    }
}
