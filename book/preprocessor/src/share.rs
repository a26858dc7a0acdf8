//! Shares out chapters among those that run their cells. What runs them, and what becomes of a chapter's
//! outputs, is not known here.

use crate::cells::{CellRunner, Programs};
use crate::error::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What runs cells, one chapter each at a time; shared by the builds of one process.
#[derive(Clone)]
pub(crate) struct Runners(Arc<[Mutex<Box<dyn CellRunner>>]>);

impl Runners {
    /// These, in the order in which they are given work.
    pub(crate) fn of(runners: Vec<Box<dyn CellRunner>>) -> Self {
        Runners(runners.into_iter().map(Mutex::new).collect())
    }

    /// As many that each make a chapter a program and run it.
    pub(crate) fn programs(count: usize) -> Self {
        let programs = Programs::default();
        let runner = |_| Box::new(programs.clone()) as Box<dyn CellRunner>;
        Runners::of((0..count.max(1)).map(runner).collect())
    }

    /// The first of them, when it is free.
    pub(crate) fn first(&self) -> MutexGuard<'_, Box<dyn CellRunner>> {
        locked(&self.0[0])
    }
}

/// Gives each job's outcome, in the jobs' order: `kept` if there is one, else what `run` gives with one of the
/// runners, after `prepare` with the first.
///
/// # Errors
///
/// That of the first job that failed; jobs that have not begun by then do not run.
pub(crate) fn share<J: Sync, T: Send>(
    runners: &Runners,
    jobs: &[J],
    kept: impl Fn(&J) -> Option<T>,
    prepare: impl FnOnce(&mut dyn CellRunner) -> Result<()>,
    run: impl Fn(&J, &mut dyn CellRunner) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut outcomes: Vec<Option<T>> = jobs.iter().map(kept).collect();
    let open: Vec<usize> = (0..jobs.len())
        .filter(|&job| outcomes[job].is_none())
        .collect();
    if !open.is_empty() {
        prepare(&mut **runners.first())?;
    }
    let open = open.into_iter();
    let helpers = runners.0.iter().take(open.len());
    let open = Mutex::new(open);
    let work = |runner: &Mutex<Box<dyn CellRunner>>| {
        let mut runner = locked(runner);
        let mut made = Vec::new();
        loop {
            let Some(job) = locked(&open).next() else {
                return made;
            };
            let outcome = run(&jobs[job], &mut **runner);
            if outcome.is_err() {
                locked(&open).by_ref().for_each(drop);
            }
            made.push((job, outcome));
        }
    };
    let mut made = thread::scope(|scope| {
        let working: Vec<_> = helpers.map(|runner| scope.spawn(|| work(runner))).collect();
        let ended = working.into_iter().map(|thread| thread.join());
        let ended = ended.map(|made| made.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.flatten().collect::<Vec<_>>()
    });
    made.sort_by_key(|(job, _)| *job);
    for (job, outcome) in made {
        outcomes[job] = Some(outcome?);
    }
    // Each is there now: `open` named those that were not, and every one of them ran or failed.
    Ok(outcomes.into_iter().flatten().collect())
}

/// Whatever happened to a thread that held it: what runs a chapter keeps nothing of the one before.
fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Step;
    use crate::chapter::{Chapter, Runnable};
    use crate::error::Error;
    use crate::options::BookOptions;
    use std::cell::Cell;
    use std::collections::BTreeSet;
    use std::sync::Barrier;
    use std::thread::ThreadId;

    /// Runs nothing: these tests look at who is asked.
    struct Idle;

    impl CellRunner for Idle {
        fn prepare(&mut self, _: &BookOptions) -> Result<()> {
            Ok(())
        }

        fn run(
            &mut self,
            _: &BookOptions,
            _: &Chapter,
            _: &[Runnable],
            _: &mut dyn FnMut(Step) -> Result<()>,
        ) -> Result<()> {
            Ok(())
        }
    }

    fn idle(count: usize) -> Runners {
        let idle = |_| Box::new(Idle) as Box<dyn CellRunner>;
        Runners::of((0..count).map(idle).collect())
    }

    #[test]
    fn two_runners_work_at_the_same_time_and_the_order_is_kept() {
        let jobs: Vec<usize> = (0..7).collect();
        // Of jobs 0 to 5 two at a time wait for each other: one runner alone would wait for ever.
        let pair = Barrier::new(2);
        let threads: Mutex<BTreeSet<String>> = Mutex::default();
        let name = |id: ThreadId| format!("{id:?}");
        let run = |job: &usize, _: &mut dyn CellRunner| {
            locked(&threads).insert(name(thread::current().id()));
            if *job < 6 {
                pair.wait();
            }
            Ok(job * 10)
        };
        let kept = |job: &usize| (*job == 6).then_some(66);
        let prepared = Cell::new(0);
        let prepare = |_: &mut dyn CellRunner| {
            prepared.set(prepared.get() + 1);
            Ok(())
        };
        let outcomes = share(&idle(2), &jobs, kept, prepare, run).expect("all run");
        assert_eq!(prepared.get(), 1);
        assert_eq!(outcomes, [0, 10, 20, 30, 40, 50, 66]);
        assert_eq!(locked(&threads).len(), 2);
        let all = |job: &usize| Some(*job);
        share(
            &idle(2),
            &jobs,
            all,
            |_| panic!("nothing is to be run"),
            |job, _| Ok(*job),
        )
        .expect("all are kept");
    }

    #[test]
    fn after_a_failure_nothing_more_begins_and_the_first_error_is_told() {
        let jobs: Vec<usize> = (0..50).collect();
        let ran: Mutex<Vec<usize>> = Mutex::default();
        let run = |job: &usize, _: &mut dyn CellRunner| {
            locked(&ran).push(*job);
            match job {
                3 => Err(Error::NoSuchChapter("three".into())),
                _ => Ok(()),
            }
        };
        let error = share(&idle(1), &jobs, |_| None, |_| Ok(()), run).expect_err("job 3 fails");
        assert_eq!(
            error.to_string(),
            Error::NoSuchChapter("three".into()).to_string()
        );
        assert_eq!(*locked(&ran), [0, 1, 2, 3]);
    }
}
