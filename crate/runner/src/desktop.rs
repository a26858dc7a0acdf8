//! What the desktop does for a verb: opens an address in the user's browser.

use crate::output;
use std::process::{Command, Stdio};

/// What opens an address; Windows has it in a library.
const OPENER: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["rundll32", "url.dll,FileProtocolHandler"]
} else {
    &["xdg-open"]
};

/// Opens an address as the desktop does; on a machine without one the printed address must do.
pub fn open_browser(url: &str) {
    let mut command = Command::new(OPENER[0]);
    command.args(&OPENER[1..]).arg(url);
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        output::step(format!(
            "no browser could be opened here: open {url} in one"
        ));
    }
}
