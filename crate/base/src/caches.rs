//! What a kernel's launches ask of a GPU's caches: how much of L1 becomes shared memory, and what L2 shall keep. Telling the driver is the CUDA backend's.

use serde::{Deserialize, Serialize};

/// What a kernel's launches ask of the caches; the default asks for nothing. `Kernel::with_caches`
/// gives a kernel some.
///
/// Both devices check them against the limits of [`CacheLimits`] before a launch. On the emulator they have no further
/// effect: its counters stop at the door of L1, and no setting moves a sector there.
///
/// ```
/// # use cornerturn::prelude::*;
/// let less_l1 = CacheSettings::new().carveout(100);
/// let keep = CacheSettings::new().persisting(20 << 20).window(L2Window::over("table").hit_ratio(0.6));
/// # let _ = (less_l1, keep);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CacheSettings {
    /// How much of the most shared memory that a multiprocessor can have it shall have, in per cent; L1 gets the rest.
    /// The GPU takes the next of its sizes. 0: as little as a block needs. `None`: the driver chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carveout_percent: Option<u32>,
    /// Bytes of L2 that are set aside for persisting lines; the GPU takes the next of its sizes. `None`: what the driver
    /// sets aside by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persisting_bytes: Option<u64>,
    /// The stretch of memory that L2 treats in a way of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<L2Window>,
}

/// What L2 does with a line (CUDA driver API, `CUaccessProperty`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessProperty {
    /// As with every other line.
    Normal,
    /// The line is thrown out first.
    Streaming,
    /// The line is thrown out last, and lies in what is set aside.
    Persisting,
}

/// An access policy window: the beginning of one of the launch's buffers, and what L2 does with its lines. A random part
/// of them, as large as the hit ratio says, has the property `hit`; the others have `miss`.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let window = L2Window::over("table").bytes(1 << 20).hit_ratio(0.5);
/// let settings = CacheSettings::new().persisting(1 << 20).window(window);
/// assert!(!settings.is_default());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2Window {
    /// The buffer's name.
    pub buffer: String,
    /// How many bytes from its beginning on; the whole buffer if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Which share of the lines has the property `hit`, from 0 to 1.
    #[serde(default = "all")]
    pub hit_ratio: f32,
    /// What L2 does with these.
    #[serde(default = "persisting")]
    pub hit: AccessProperty,
    /// What L2 does with the others; never persisting.
    #[serde(default = "streaming")]
    pub miss: AccessProperty,
    /// Whether more may be asked to persist than was set aside, to see what that costs.
    #[serde(default)]
    pub may_thrash: bool,
}

fn all() -> f32 {
    1.0
}

fn persisting() -> AccessProperty {
    AccessProperty::Persisting
}

fn streaming() -> AccessProperty {
    AccessProperty::Streaming
}

impl CacheSettings {
    /// Settings that ask for nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// With so many per cent of the most shared memory.
    pub fn carveout(self, percent: u32) -> Self {
        Self {
            carveout_percent: Some(percent),
            ..self
        }
    }

    /// With so many bytes of L2 set aside for persisting lines while the kernel runs.
    pub fn persisting(self, bytes: u64) -> Self {
        Self {
            persisting_bytes: Some(bytes),
            ..self
        }
    }

    /// With a window.
    pub fn window(self, window: L2Window) -> Self {
        Self {
            window: Some(window),
            ..self
        }
    }

    /// Whether they ask for nothing.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl L2Window {
    /// A window over a whole buffer, whose lines all persist.
    pub fn over(buffer: &str) -> Self {
        Self {
            buffer: buffer.to_string(),
            bytes: None,
            hit_ratio: all(),
            hit: persisting(),
            miss: streaming(),
            may_thrash: false,
        }
    }

    /// Over so many bytes at the buffer's beginning.
    pub fn bytes(self, bytes: u64) -> Self {
        Self {
            bytes: Some(bytes),
            ..self
        }
    }

    /// With a share of the lines that has the property `hit`, from 0 to 1.
    pub fn hit_ratio(self, hit_ratio: f32) -> Self {
        Self { hit_ratio, ..self }
    }

    /// With what L2 does with these lines, and with the others.
    pub fn properties(self, hit: AccessProperty, miss: AccessProperty) -> Self {
        Self { hit, miss, ..self }
    }

    /// Allowed to ask for more persisting lines than are set aside.
    pub fn thrashing(self) -> Self {
        Self {
            may_thrash: true,
            ..self
        }
    }

    /// How many of a window's bytes are asked to persist.
    fn persisting_bytes(&self, bytes: u64) -> u64 {
        match self.hit {
            AccessProperty::Persisting => (bytes as f64 * f64::from(self.hit_ratio)) as u64,
            _ => 0,
        }
    }
}

/// What a device allows of these settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLimits {
    /// The most shared memory of a multiprocessor, in bytes.
    pub shared_bytes: u32,
    /// What the system keeps of it for itself in each block.
    pub reserved_shared_bytes: u32,
    /// What is set aside of L2 for persisting lines if nobody asks, in bytes.
    pub set_aside_bytes: u64,
    /// The most that can be set aside, in bytes.
    pub persisting_bytes: u64,
    /// The most bytes of a window.
    pub window_bytes: u64,
}

impl CacheLimits {
    /// Those of an H200, as its driver tells them (driver 580); the emulator has them too.
    pub const H200: Self = Self {
        shared_bytes: 228 * 1024,
        reserved_shared_bytes: 1024,
        set_aside_bytes: 11_796_480,
        persisting_bytes: 39_321_600,
        window_bytes: 134_217_728,
    };

    /// What is wrong with the settings of a kernel whose blocks need so much shared memory, with the limit and the next
    /// step. A window is checked where its buffer is known.
    ///
    /// # Errors
    /// The sentence.
    pub fn check(&self, asked: &CacheSettings, shared_bytes: u64) -> Result<(), String> {
        self.check_carveout(asked, shared_bytes)?;
        match asked.persisting_bytes {
            Some(bytes) if bytes > self.persisting_bytes => Err(format!(
                "{bytes} bytes of L2 are to be set aside for persisting lines, and this device allows {}",
                self.persisting_bytes
            )),
            _ => Ok(()),
        }
    }

    fn check_carveout(&self, asked: &CacheSettings, shared_bytes: u64) -> Result<(), String> {
        let Some(percent) = asked.carveout_percent else {
            return Ok(());
        };
        if percent > 100 {
            return Err(format!(
                "a carve-out of {percent} % was asked for; it is 0 to 100 % of the {} bytes of shared memory that a \
                 multiprocessor can have",
                self.shared_bytes
            ));
        }
        let most = u64::from(self.shared_bytes);
        let carved = most * u64::from(percent) / 100;
        let needed = shared_bytes + u64::from(self.reserved_shared_bytes);
        // 0 asks for as little as a block needs.
        if shared_bytes == 0 || percent == 0 || carved >= needed {
            return Ok(());
        }
        Err(format!(
            "a carve-out of {percent} % is {carved} bytes of shared memory, and a block needs {needed}, the system's {} \
             included; ask for {} % or more, or for 0 %: as little as a block needs",
            self.reserved_shared_bytes,
            (100 * needed).div_ceil(most.max(1))
        ))
    }

    /// The bytes of a window over a buffer of so many, or what is wrong with it.
    ///
    /// # Errors
    /// The sentence.
    pub fn window_bytes_of(
        &self,
        window: &L2Window,
        persisting_bytes: Option<u64>,
        buffer_bytes: u64,
    ) -> Result<u64, String> {
        let fail = |reason| Err(format!("the window over `{}` {reason}", window.buffer));
        let bytes = window.bytes.unwrap_or(buffer_bytes);
        let set_aside = persisting_bytes.unwrap_or(self.set_aside_bytes);
        let persisting = window.persisting_bytes(bytes);
        if !(0.0..=1.0).contains(&window.hit_ratio) {
            return fail(format!(
                "has a hit ratio of {}; it is a share, 0 to 1",
                window.hit_ratio
            ));
        }
        if window.miss == AccessProperty::Persisting {
            return fail(
                "lets what misses persist; CUDA allows `normal` and `streaming` there".to_string(),
            );
        }
        if bytes == 0 || bytes > self.window_bytes {
            return fail(format!(
                "has {bytes} bytes; this device allows 1 to {}",
                self.window_bytes
            ));
        }
        if bytes > buffer_bytes {
            return fail(format!(
                "has {bytes} bytes, and the buffer has {buffer_bytes}"
            ));
        }
        if persisting > set_aside && !window.may_thrash {
            return fail(format!(
                "asks for {persisting} persisting bytes ({bytes} × a hit ratio of {}), and the limit set aside is \
                 {set_aside}; set more aside (`persisting`, at most {} here), lower the hit ratio, or say that it may \
                 thrash (`thrashing`)",
                window.hit_ratio, self.persisting_bytes
            ));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn refused(asked: &CacheSettings, shared_bytes: u64) -> String {
        CacheLimits::H200.check(asked, shared_bytes).unwrap_err()
    }

    /// A window over a buffer of 1 GiB, with 20 MiB set aside.
    fn windowed(window: &L2Window) -> Result<u64, String> {
        CacheLimits::H200.window_bytes_of(window, Some(20 * MIB), 1 << 30)
    }

    #[test]
    fn what_is_within_the_limits_passes() {
        let whole = 227 * 1024;
        let asks_nothing = CacheSettings::new();
        for (asked, shared_bytes) in [
            (asks_nothing.clone(), whole),
            (asks_nothing.clone().carveout(0), 4096),
            (asks_nothing.clone().carveout(1), 0),
            (asks_nothing.clone().carveout(3), 4096),
            (asks_nothing.clone().carveout(100), whole),
            (asks_nothing.persisting(37 * MIB), 0),
        ] {
            CacheLimits::H200.check(&asked, shared_bytes).unwrap();
        }
        let over = |bytes| L2Window::over("table").bytes(bytes);
        assert_eq!(windowed(&over(20 * MIB)), Ok(20 * MIB));
        assert_eq!(windowed(&over(40 * MIB).hit_ratio(0.5)), Ok(40 * MIB));
        assert_eq!(windowed(&over(128 * MIB).hit_ratio(0.0)), Ok(128 * MIB));
        assert_eq!(windowed(&over(40 * MIB).thrashing()), Ok(40 * MIB));
        let whole = CacheLimits::H200.window_bytes_of(&L2Window::over("table"), None, 300);
        assert_eq!(whole, Ok(300));
    }

    #[test]
    fn each_limit_is_named() {
        let most = CacheLimits::H200.persisting_bytes;
        let asks_nothing = CacheSettings::new();
        for (asked, shared_bytes, words) in [
            (asks_nothing.clone().carveout(101), 0, "0 to 100 %"),
            (
                asks_nothing.clone().carveout(2),
                4096,
                "ask for 3 % or more",
            ),
            (
                asks_nothing.clone().carveout(99),
                227 * 1024,
                "a block needs 233472",
            ),
            (
                asks_nothing.persisting(most + 1),
                0,
                "this device allows 39321600",
            ),
        ] {
            let said = refused(&asked, shared_bytes);
            assert!(said.contains(words), "{said}");
        }
        let over = |bytes| L2Window::over("table").bytes(bytes);
        let persisting = AccessProperty::Persisting;
        for (window, words) in [
            (over(21 * MIB), "the limit set aside is 20971520"),
            (over(129 * MIB).hit_ratio(0.01), "allows 1 to 134217728"),
            (L2Window::over("table"), "allows 1 to 134217728"),
            (over(0), "has 0 bytes"),
            (over(MIB).hit_ratio(1.01), "it is a share, 0 to 1"),
            (over(MIB).hit_ratio(-0.5), "it is a share, 0 to 1"),
            (over(MIB).hit_ratio(f32::NAN), "it is a share, 0 to 1"),
            (
                over(MIB).properties(persisting, persisting),
                "`normal` and `streaming`",
            ),
        ] {
            let said = windowed(&window).unwrap_err();
            assert!(said.contains(words), "{said}");
        }
        let short = CacheLimits::H200.window_bytes_of(&over(MIB), None, 300);
        assert!(short.unwrap_err().contains("the buffer has 300"));
    }

    #[test]
    fn settings_keep_their_form_in_files() {
        let window = L2Window::over("table").bytes(3 * MIB).hit_ratio(0.25);
        let asked = CacheSettings::new()
            .persisting(3 * MIB)
            .window(window)
            .carveout(7);
        let text = serde_json::to_string(&asked).unwrap();
        assert_eq!(serde_json::from_str::<CacheSettings>(&text).unwrap(), asked);
        assert_eq!(serde_json::to_string(&CacheSettings::new()).unwrap(), "{}");
    }
}
