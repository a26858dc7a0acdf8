//! How far a launch in the emulator is, in words.

use cornerturn_emulator::Headway;
use std::sync::atomic::Ordering::Relaxed;

/// `running for 7 s: 32 of 128 blocks started (25 %), 1234 million instructions of warps, now at line 12`
pub fn told(headway: &Headway, blocks: u64, seconds: u64) -> String {
    let started = headway.started.load(Relaxed);
    let percent = u128::from(started) * 100 / u128::from(blocks.max(1));
    let mut text =
        format!("running for {seconds} s: {started} of {blocks} blocks started ({percent} %)");
    let millions = headway.instructions.load(Relaxed) / 1_000_000;
    if millions > 0 {
        text.push_str(&format!(", {millions} million instructions of warps"));
    }
    let line = headway.line.load(Relaxed);
    if line > 0 {
        text.push_str(&format!(", now at line {line}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_how_far_it_is_and_where() {
        let headway = Headway::default();
        headway.started.store(32, Relaxed);
        let expected = "running for 7 s: 32 of 128 blocks started (25 %)";
        assert_eq!(told(&headway, 128, 7), expected);
        headway.instructions.store(1_234_567_890, Relaxed);
        headway.line.store(12, Relaxed);
        let more = ", 1234 million instructions of warps, now at line 12";
        assert_eq!(told(&headway, 128, 7), format!("{expected}{more}"));
        assert!(told(&headway, u64::MAX, 3).contains("(0 %)"));
    }
}
