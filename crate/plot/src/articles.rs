//! Numbers that others published on the transpose, each once, with who published it, of which GPU and when. Nothing here was measured by this project.

use super::Figure;
use super::bars::{Published, published};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::traffic::GbPerS;

/// One article's figures for one matrix on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Article {
    title: &'static str,
    /// Empty where the article gives none.
    date: &'static str,
    device: &'static str,
    matrix: &'static str,
    /// The datasheet peak that the article compares with, in GB/s.
    peak: f64,
    steps: &'static [Step],
}

/// A kernel that an article timed: the id of the same step here, what it is, and GB/s as printed.
type Step = (&'static str, &'static str, f64);

/// The article on the A100: 4096 × 4096 float32, an element a thread.
pub const A100: Article = Article {
    title: "“CUDA学习——Transpose算子”",
    date: "2026-02-07",
    device: "A100 (SXM4, 80 GB)",
    matrix: "4096 × 4096 float32",
    peak: 2000.0,
    steps: &[
        ("naive_read", "naive, coalesced reads", 218.67),
        ("tiled", "tile 32 × 32", 626.93),
        ("padded", "tile 32 × 33", 1178.81),
        ("diagonal", "xor swizzle and diagonal order", 1796.98),
    ],
};

/// The article on the RTX 5060 of a laptop: 8192 × 2048 float32.
pub const RTX5060: Article = Article {
    title: "“从 Padding 到 XOR Swizzle：CUDA 共享内存优化的艺术”",
    date: "2026-02-13",
    device: "RTX 5060 laptop",
    matrix: "8192 × 2048 float32",
    peak: 384.0,
    steps: &[
        ("pytorch", "PyTorch", 118.5),
        ("naive_read", "naive, coalesced reads, 16 × 16", 258.6),
        ("naive_write", "naive, coalesced writes, 16 × 16", 264.8),
        ("tiled", "tile 32 × 32", 279.3),
        ("padded", "tile 32 × 33", 301.1),
        ("float4_padded", "float4, tile 32 × 33", 320.5),
        ("float4_swizzled", "float4, xor swizzle", 323.6),
    ],
};

/// The article on tiles, banks and wide accesses, which prints no bandwidth.
pub const TILES: Article = Article {
    title: "“从矩阵转置看共享内存”",
    date: "",
    device: "",
    matrix: "",
    peak: 0.0,
    steps: &[],
};

impl Article {
    /// Title, GPU and date, as far as the article has them.
    pub fn source(&self) -> String {
        let parts = [self.title, self.device, self.date];
        let given: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        given.join(", ")
    }

    /// The bandwidth of a step, as printed.
    ///
    /// # Errors
    /// [`Error::Usage`] for a step that the article has not; it names those that it has.
    pub fn rate(&self, step: &str) -> Result<GbPerS> {
        self.step(step).map(|(_, _, rate)| GbPerS(*rate))
    }

    /// How many times as fast as the step `from` the step `to` is.
    ///
    /// # Errors
    /// As [`Article::rate`].
    pub fn gain(&self, from: &str, to: &str) -> Result<f64> {
        Ok(self.rate(to)?.0 / self.rate(from)?.0)
    }

    /// The bandwidths of these steps as bars, in this order; of all steps if none is named.
    ///
    /// ```
    /// # use cornerturn::prelude::*;
    /// # fn main() -> Result<()> {
    /// let figures = plot::row(&[
    ///     plot::articles::A100.figure(&["naive_read", "tiled"])?,
    ///     plot::articles::RTX5060.figure(&["naive_read", "naive_write", "tiled"])?,
    /// ]);
    /// # drop(figures);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Article::rate`].
    pub fn figure(&self, steps: &[&str]) -> Result<Figure> {
        let chosen: Vec<&Step> = match steps.is_empty() {
            true => self.steps.iter().collect(),
            false => steps
                .iter()
                .map(|id| self.step(id))
                .collect::<Result<_>>()?,
        };
        let bars: Vec<Published> = chosen
            .iter()
            .map(|(_, label, rate)| Published::new(label, GbPerS(*rate)))
            .collect();
        let caption = format!("{}, {}; the peak is the article’s", self.title, self.date);
        let title = format!("Transpose, {}", self.matrix);
        Ok(published(
            &title,
            self.device,
            &bars,
            Some(GbPerS(self.peak)),
            &caption,
        ))
    }

    fn step(&self, id: &str) -> Result<&'static Step> {
        let mut steps = self.steps.iter();
        steps.find(|(known, ..)| *known == id).ok_or_else(|| {
            let known: Vec<&str> = self.steps.iter().map(|(id, ..)| *id).collect();
            Error::Usage(format!(
                "{} has no step `{id}`; it has: {}",
                self.title,
                known.join(", ")
            ))
        })
    }
}

/// What one source prints of the levels of a GPU's memory, registers first; empty where it prints nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Levels {
    pub(super) source: &'static str,
    /// Registers, shared memory and L1, L2, DRAM: clock cycles of an access.
    pub(super) cycles: [&'static str; 4],
    /// The same levels: bytes per second.
    pub(super) rates: [&'static str; 4],
}

/// What the articles print of the levels, none of it for the GPUs measured here.
pub(super) const LEVELS: [Levels; 3] = [
    Levels {
        source: "“CUDA学习——Transpose算子”, of an A100, 2026-02-07",
        cycles: ["", "20–30", "", "400–800"],
        rates: ["", "", "", ""],
    },
    Levels {
        source: "“06-CUDA高级优化”, of an A100, undated",
        cycles: ["1", "~20", "~200", "~400"],
        rates: ["~19 TB/s", "~19 TB/s", "~5 TB/s", ""],
    },
    Levels {
        source: "“CUDA 内存空间”, of no GPU that it names, undated",
        cycles: ["", "30", "190", "375"],
        rates: ["", "", "", ""],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_as_printed_and_unknown_ones_are_named() {
        let gain = A100.gain("naive_read", "diagonal").unwrap();
        assert!((gain - 8.218).abs() < 0.001, "{gain}");
        let missing = RTX5060.rate("diagonal").map_err(|error| error.to_string());
        assert!(missing.is_err_and(|e| e.contains("`diagonal`") && e.contains("float4_swizzled")));
        assert_eq!(TILES.source(), "“从矩阵转置看共享内存”");
        let source = "“CUDA学习——Transpose算子”, A100 (SXM4, 80 GB), 2026-02-07";
        assert_eq!(A100.source(), source);
    }

    #[test]
    fn a_figure_holds_the_steps_that_were_named_or_all() {
        let svg = A100.figure(&["tiled"]).unwrap().svg;
        assert!(
            svg.contains("tile 32 × 32") && !svg.contains("naive"),
            "{svg}"
        );
        let all = RTX5060.figure(&[]).unwrap();
        assert!(all.svg.contains("PyTorch") && all.svg.contains("float4, xor swizzle"));
        assert!(all.caption.contains("2026-02-13"));
        assert!(A100.figure(&["pytorch"]).is_err());
    }
}
