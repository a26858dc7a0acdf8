//! The words of what stops a launch, or keeps it from beginning: limits, loops without end, assertions.

use crate::diagnostics::words::triple;
use crate::report::{Detail, Finding, GridWait};

impl Finding {
    pub(super) fn assertion(&self) -> String {
        match &self.detail {
            Detail::Assertion {
                expression,
                file,
                line,
                function,
            } => format!("assertion `{expression}` failed in {function} ({file}:{line})"),
            _ => "an assertion of the kernel failed".to_string(),
        }
    }

    pub(super) fn endless_loop(&self) -> String {
        match self.detail {
            Detail::Budget {
                instructions,
                whole_launch: true,
            } => {
                format!(
                    "endless loop: the launch used up its budget of {instructions} warp instructions"
                )
            }
            Detail::Budget { instructions, .. } => {
                format!("endless loop: a warp used up its budget of {instructions} instructions")
            }
            Detail::Waiting {
                resident: Some((resident, blocks)),
                ..
            } => {
                format!(
                    "endless loop: {resident} of the launch's {blocks} blocks fit on a GPU together, and they wait for blocks that cannot begin"
                )
            }
            Detail::Waiting {
                grid:
                    Some(GridWait {
                        waiting,
                        ended,
                        first_ended: Some(first),
                    }),
                ..
            } => {
                format!(
                    "endless loop: {waiting} of the grid's blocks wait, for what the others do not do: {ended} have ended, the first of them block ({})",
                    triple(first)
                )
            }
            Detail::Waiting { .. } => {
                "endless loop: all threads that have not ended wait for what none of them does"
                    .to_string()
            }
            Detail::Unchanged => {
                "endless loop: a round of it changes nothing that decides how it goes on, neither in registers nor in memory"
                    .to_string()
            }
            Detail::NoWayOut => "endless loop: nothing leads out of it".to_string(),
            _ => "endless loop".to_string(),
        }
    }

    pub(super) fn limit(&self) -> String {
        match &self.detail {
            Detail::Limit { what, value, most } => {
                format!(
                    "limit: {what} is {value}, the most is {most}; `{}` was not run",
                    self.entry
                )
            }
            Detail::OtherBlock { required, found } => {
                format!(
                    "limit: `{}` is compiled for blocks of ({}) threads (`.reqntid`), the launch has ({}); it was not run",
                    self.entry,
                    triple(*required),
                    triple(*found)
                )
            }
            Detail::OneDynamic { names } => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!(
                    "remark: {} are one memory in `{}`: all `extern __shared__` arrays of a kernel begin at the same address. Where they are meant to be several, declare one, and carve the others out of it, the widest elements first",
                    names.join(" and "),
                    self.entry
                )
            }
            Detail::Cluster { what } => {
                format!("limit: {what}; `{}` was not run", self.entry)
            }
            _ => format!(
                "limit: the launch of `{}` is over a limit of the device",
                self.entry
            ),
        }
    }

    pub(super) fn cause_endless(&self) -> &'static str {
        match self.detail {
            Detail::Waiting {
                resident: Some(_), ..
            } => "a barrier of the whole grid in a launch of more blocks than can run together",
            Detail::Waiting {
                grid:
                    Some(GridWait {
                        first_ended: Some(_),
                        ..
                    }),
                ..
            } => "a block that returns before a `grid.sync()` to which the others come",
            Detail::Waiting { .. } => {
                "a lock that nobody gives back, or a flag or counter that nobody sets to what is waited for"
            }
            Detail::Unchanged => {
                "a loop whose variable is not advanced, or by 0; what another thread is to change has to be `volatile` or atomic"
            }
            Detail::NoWayOut => {
                "a condition that always holds, such as `i >= 0` for an unsigned `i`, or a `break` that is missing"
            }
            _ => {
                "a loop whose condition never changes; a kernel that is only long needs a larger budget (`cornerturn launch --budget N`, in a cell LaunchOptions::budgeted)"
            }
        }
    }
}
