//! Functions of our own, for who wants the report by a call: `include/cornerturn_cuda.h` describes them.

use std::ffi::{c_char, c_int};

use super::{In, Out, driver, exports};
use crate::status::Status;

exports! {
    /// The report as JSON with a NUL at its end. `bytes` is the room there is, and becomes what is needed.
    fn cornerturnReport(text: Out<c_char>, bytes: Out<usize>) {
        let driver = driver()?;
        driver.flush();
        let report = driver.report().to_string();
        let room = In(bytes.0.cast_const()).get()?;
        bytes.set(report.len() + 1)?;
        match room > report.len() && !text.is_null() {
            true => text.set_all(report.bytes().chain([0]).map(|byte| byte as c_char)),
            false => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// Forgets what was recorded so far.
    fn cornerturnForget() {
        driver()?.forget();
        Ok(())
    }

    /// How many findings there are.
    fn cornerturnFindings(count: Out<c_int>) {
        let driver = driver()?;
        let kernels: usize = driver.kernels().iter().map(|kernel| kernel.findings.len()).sum();
        count.set((kernels + driver.notes().0.len()) as c_int)
    }

    /// Whether launches are checked.
    fn cornerturnIsChecked(is_checked: Out<c_int>) {
        is_checked.set(c_int::from(driver()?.settings().check))
    }
}
