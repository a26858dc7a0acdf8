//! The words of mbarriers that are used against their rules or never completed.

use crate::diagnostics::words::bytes;
use crate::report::{Detail, Finding};

impl Finding {
    /// An mbarrier that is used against its rules or never completed.
    pub(super) fn mbarrier(&self) -> String {
        let address = self.address.unwrap_or(0);
        match &self.detail {
            Detail::Rule { rule } => format!("mbarrier at shared address {address:#x}: {rule}"),
            Detail::Mbarrier { address, .. } => format!(
                "mbarrier: the wait at shared address {address:#x} never ends: {}",
                self.missing_at_mbarrier()
            ),
            _ => "mbarrier: the wait never ends".to_string(),
        }
    }

    /// Why the phase of an mbarrier is never completed.
    fn missing_at_mbarrier(&self) -> String {
        let Detail::Mbarrier {
            missing,
            expected,
            missing_bytes,
            phases,
            inits,
            ..
        } = self.detail
        else {
            return String::new();
        };
        let mut reasons = Vec::new();
        if missing > 0 && missing == expected && inits > 1 {
            reasons.push(format!(
                "`mbarrier.init` has made it anew, so that what had arrived is forgotten, and none of the {expected} \
                 arrivals of its new phase have come"
            ));
        } else if missing > 0 && missing == expected && phases > 0 {
            reasons.push(format!(
                "{phases} of its phases {} complete, and none of the {expected} arrivals of the next have come",
                if phases == 1 { "is" } else { "are" }
            ));
        } else if missing > 0 {
            let verb = if missing == 1 { "is" } else { "are" };
            reasons.push(format!(
                "{missing} of its {expected} arrivals {verb} missing"
            ));
        }
        if missing_bytes > 0 {
            reasons.push(format!(
                "`expect_tx` announced {} more than the copies bring",
                bytes(missing_bytes)
            ));
        }
        if missing_bytes < 0 {
            reasons.push(format!(
                "the copies bring {} more than `expect_tx` announced",
                bytes(-missing_bytes)
            ));
        }
        if reasons.is_empty() {
            reasons.push("its parity is not the one waited for".to_string());
        }
        reasons.join(", and ")
    }

    /// The usual cause of a phase that is never completed.
    pub(super) fn cause_of_mbarrier(&self) -> &'static str {
        match &self.detail {
            Detail::Mbarrier { inits: 2.., .. } => {
                "Usual cause: `mbarrier.init` while threads still use the mbarrier; initialise it once, or behind a barrier \
                 that comes after all waits."
            }
            Detail::Mbarrier {
                phases: 1..,
                missing,
                expected,
                ..
            } if missing == expected => {
                "What has arrived was counted in the phases before. Usual cause: a parity that is off by one phase (the \
                 first phase has parity 0), or a wait too many."
            }
            _ => {
                "Usual cause: a count in `mbarrier.init` that is not the number of threads that arrive, an \
                 `expect_tx` of other bytes than the copies bring, or a parity that is off by one phase."
            }
        }
    }
}
