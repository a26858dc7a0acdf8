//! One launch's counters: what ncu counted beside what the emulator did, and the known causes why they may differ. Which launches are compared is `counters`'s.

use super::ncu::Profile;
use cornerturn::Counters;
use serde::Serialize;

/// The hardware's own counters of shared memory's data pipe, with their twins in the instruction stream.
///
/// The pipe is shared with global memory. On large launches its counters also see accesses that had to wait for it:
/// up to an eighth more on an H200, wavefronts and bank conflicts by the same number. The twins do not, and are
/// compared too where the GPU has them; of the conflicts there is no twin.
pub(super) const DATA_PIPE: [DataPipe; 2] = [
    DataPipe {
        wavefronts: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        bank_conflicts: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        twin: "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    },
    DataPipe {
        wavefronts: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        bank_conflicts: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        twin: "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    },
];

pub(super) struct DataPipe {
    pub(super) wavefronts: &'static str,
    bank_conflicts: &'static str,
    pub(super) twin: &'static str,
}

/// How often blocks ask a queue in global memory for work.
const ATOMICS: &str = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";

/// Counters of executed instructions: of machine code at ncu, of PTX here. Those of arithmetic are such too: a constant is
/// loaded by an HFMA2.
const INSTRUCTIONS: &str = "smsp__inst_executed_op_";

/// One counter of one launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CounterComparison {
    /// ncu's name.
    pub(super) name: String,
    pub(super) ncu: u64,
    pub(super) emulator: u64,
    /// Whether both are the same to the last digit.
    pub(super) equal: bool,
    /// Where they differ: the known cause, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<Cause>,
}

/// Why ncu may count otherwise than the emulator, on the same addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cause {
    /// Accesses that waited for the data pipe were counted again; the twin in the instruction stream is equal.
    DataPipe,
    /// The machine code executes with a predicate what the PTX branches around.
    MachineCode,
    /// Blocks take their work from a queue in global memory, and how often each asks depends on when it runs: the
    /// atomics differ too.
    Schedule,
}

impl CounterComparison {
    pub(super) fn holds(&self) -> bool {
        self.equal || self.cause.is_some()
    }
}

/// Every metric of ncu beside the emulator's counter of the same meaning.
pub(super) fn compare(profile: &Profile, counters: &Counters) -> Vec<CounterComparison> {
    let one = |(name, ncu): (&str, u64)| {
        let twin = DATA_PIPE.iter().find(|pipe| pipe.twin == name);
        let emulator = counters.get(twin.map_or(name, |pipe| pipe.wavefronts))?;
        let equal = ncu == emulator;
        Some(CounterComparison {
            name: name.to_string(),
            ncu,
            emulator,
            equal,
            cause: if equal {
                None
            } else {
                cause(name, profile, counters)
            },
        })
    };
    profile.counts().filter_map(one).collect()
}

/// The known cause of a difference in the counter `name`, if all that it implies holds.
fn cause(name: &str, profile: &Profile, counters: &Counters) -> Option<Cause> {
    let excess = |name: &str| profile.count(name)?.checked_sub(counters.get(name)?);
    let atomics = profile.count(ATOMICS);
    if atomics.is_some_and(|ncu| counters.get(ATOMICS) != Some(ncu)) {
        return Some(Cause::Schedule);
    }
    if name.starts_with(INSTRUCTIONS) || Counters::is_arithmetic(name) {
        return excess(name).map(|_| Cause::MachineCode);
    }
    let pipe = DATA_PIPE
        .iter()
        .find(|pipe| pipe.wavefronts == name || pipe.bank_conflicts == name)?;
    let twin_agrees = profile
        .count(pipe.twin)
        .is_none_or(|twin| Some(twin) == counters.get(pipe.wavefronts));
    let waited = excess(pipe.wavefronts)?;
    (twin_agrees && excess(pipe.bank_conflicts)? == waited).then_some(Cause::DataPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(metrics: &[(&str, u64)]) -> Profile {
        Profile {
            kernel: "tiled".to_string(),
            metrics: metrics
                .iter()
                .map(|(name, value)| (name.to_string(), *value as f64))
                .collect(),
        }
    }

    /// Signs of the comparison with 1000 shared loads of one wavefront each, in the order of the names.
    fn holds(metrics: &[(&str, u64)]) -> Vec<(bool, Option<Cause>)> {
        let counters = Counters {
            global_load_sectors: 1000,
            global_load_instructions: 1000,
            shared_load_wavefronts: 1000,
            ..Counters::default()
        };
        compare(&profile(metrics), &counters)
            .iter()
            .map(|counter| (counter.equal, counter.cause))
            .collect()
    }

    #[test]
    fn waits_of_the_data_pipe_are_no_difference_where_all_its_counters_agree_on_them() {
        let [pipe, _] = &DATA_PIPE;
        let launch = |wavefronts, conflicts, twin| {
            holds(&[
                (pipe.bank_conflicts, conflicts),
                (pipe.wavefronts, wavefronts),
                (pipe.twin, twin),
            ])
        };
        let (equal, differs) = ((true, None), (false, None));
        let waited = (false, Some(Cause::DataPipe));
        assert_eq!(launch(1000, 0, 1000), [equal, equal, equal]);
        assert_eq!(launch(1100, 100, 1000), [waited, waited, equal]);
        assert_eq!(launch(1100, 99, 1000), [differs, differs, equal]);
        assert_eq!(launch(1100, 100, 1100), [differs; 3]);
        assert_eq!(launch(999, 0, 1000), [equal, differs, equal]);
    }

    #[test]
    fn only_instructions_may_be_more_in_machine_code() {
        let name = "smsp__inst_executed_op_global_ld.sum";
        assert_eq!(holds(&[(name, 1001)]), [(false, Some(Cause::MachineCode))]);
        assert_eq!(holds(&[(name, 999)]), [(false, None)]);
        let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
        assert_eq!(holds(&[(sectors, 1000)]), [(true, None)]);
        assert_eq!(holds(&[(sectors, 1001)]), [(false, None)]);
    }

    #[test]
    fn work_that_blocks_take_from_a_queue_depends_on_their_schedule() {
        let stores = "smsp__inst_executed_op_shared_st.sum";
        let schedule = (false, Some(Cause::Schedule));
        assert_eq!(holds(&[(ATOMICS, 7), (stores, 7)]), [schedule; 2]);
        assert_eq!(
            holds(&[
                (ATOMICS, 0),
                ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 7)
            ]),
            [(true, None), (false, None)]
        );
    }
}
