//! Compares what the chapters' cells measured on a GPU with the record of the same kernel on the same matrix. Neither runs here.

use anyhow::Context;
use cornerturn::record::Measurement;
use cornerturn::{Dim3, Record};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// A cell and the record may differ by so much in the median.
const MOST_APART: f64 = 0.02;

/// The class of the paragraph in which a run tells its bandwidth.
const CLASS: &str = "ct-bandwidth";

/// What was compared.
#[derive(Debug, Default, PartialEq)]
pub struct Agreement {
    /// How many measurements of cells have a record.
    pub compared: usize,
    /// One sentence for each that is far from its record.
    pub apart: Vec<String>,
}

/// The part of a file of recorded cells that is read here.
#[derive(Deserialize)]
struct Cells {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    display: BTreeMap<String, String>,
}

/// Compares every recorded cell below `results` with the record `transpose` of its GPU.
pub fn compare(results: &Path) -> anyhow::Result<Agreement> {
    let mut agreement = Agreement::default();
    for gpu in super::records::names_in(results)? {
        let (record, cells) = (
            results.join(&gpu).join("transpose.json"),
            results.join(&gpu).join("cells"),
        );
        if !record.is_file() || !cells.is_dir() {
            continue;
        }
        let record = Record::load_file(&record)?;
        for file in super::records::names_in(&cells)? {
            let path = cells.join(&file);
            if path.is_file() {
                let text =
                    std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let stored: Cells =
                    serde_json::from_str(&text).with_context(|| path.display().to_string())?;
                let name = file.trim_end_matches(".json");
                agreement.add(&record, name, &stored);
            }
        }
    }
    Ok(agreement)
}

impl Agreement {
    fn add(&mut self, record: &Record, chapter: &str, stored: &Cells) {
        let html = stored
            .cells
            .iter()
            .filter_map(|cell| cell.display.get("text/html"));
        for measured in html.flat_map(|html| measured_in(html)) {
            let Some((recorded, us)) = find(record, &measured) else {
                continue;
            };
            self.compared += 1;
            let ratio = us / recorded.median_us();
            if (ratio - 1.0).abs() > MOST_APART {
                self.apart.push(format!(
                    "{chapter}: `{}` on {} took {us:.2} µs in the cell and {:.2} µs in the record, {:+.1} %",
                    recorded.kernel,
                    recorded.matrices(),
                    recorded.median_us(),
                    100.0 * (ratio - 1.0)
                ));
            }
        }
    }
}

/// The record's measurement of what a cell measured, with the cell's median.
fn find<'r>(record: &'r Record, measured: &Attributes) -> Option<(&'r Measurement, f64)> {
    let text = |name: &str| measured.get(name).map(String::as_str);
    let number = |name: &str| text(name)?.parse::<usize>().ok();
    let us = text("us")?.parse::<f64>().ok()?;
    let same = |m: &&Measurement| {
        let launch = |dim: Option<Dim3>| dim.map(|dim| dim.to_string());
        m.mode == cornerturn::TimingMode::Cold
            && Some(m.kernel.as_str()) == text("kernel")
            && Some(m.element.to_string().as_str()) == text("element")
            && (Some(m.rows), Some(m.columns)) == (number("rows"), number("columns"))
            && Some(m.batches) == number("batches")
            && launch(m.grid).as_deref() == text("grid")
            && launch(m.block).as_deref() == text("block")
    };
    Some((record.measurements.iter().find(same)?, us))
}

/// The attributes `data-…` of an element, without that prefix.
type Attributes = BTreeMap<String, String>;

/// What a cell's HTML says that was measured.
fn measured_in(html: &str) -> Vec<Attributes> {
    let tokenizer = Tokenizer::new(Paragraphs::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // It stops at scripts only, and nothing here has one.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.found.into_inner()
}

#[derive(Default)]
struct Paragraphs {
    found: RefCell<Vec<Attributes>>,
}

impl Paragraphs {
    fn add(&self, tag: &Tag) {
        let attribute = |name: &str| {
            let mut attributes = tag.attrs.iter();
            attributes.find(|attribute| &*attribute.name.local == name)
        };
        if attribute("class").is_none_or(|class| &*class.value != CLASS) {
            return;
        }
        let data = tag.attrs.iter().filter_map(|attribute| {
            let name = attribute.name.local.strip_prefix("data-")?;
            Some((name.to_string(), attribute.value.to_string()))
        });
        self.found.borrow_mut().push(data.collect());
    }
}

impl TokenSink for Paragraphs {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token {
            self.add(&tag);
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn::verify::Operation;
    use cornerturn::{Device, ElementType, Shape};

    fn cells(us: &str, grid: &str) -> Cells {
        let html = format!(
            "<p class=\"ct-verified\">✓</p>\n<p class=\"ct-bandwidth\" data-kernel=\"padded\" data-element=\"f32\" \
             data-rows=\"4096\" data-columns=\"2048\" data-batches=\"1\" data-grid=\"{grid}\" data-block=\"32×8\" \
             data-us=\"{us}\" data-copy-us=\"30.1\">3000 GB/s</p>"
        );
        Cells {
            cells: vec![Cell {
                display: BTreeMap::from([("text/html".to_string(), html)]),
            }],
        }
    }

    fn record() -> Record {
        let mut record = Record::new("transpose", &Device::emulator(), "0123456789");
        record.measurements.push(Measurement {
            grid: Some(Dim3::new(64, 128, 1)),
            block: Some(Dim3::new(32, 8, 1)),
            ..Measurement::new(
                "padded",
                Operation::Transpose,
                ElementType::F32,
                Shape::new(4096, 2048),
                vec![20.0, 20.2, 19.8],
            )
        });
        record
    }

    #[test]
    fn a_cell_far_from_the_record_is_told() {
        let compared = |us: &str, grid: &str| {
            let mut agreement = Agreement::default();
            agreement.add(&record(), "padding", &cells(us, grid));
            agreement
        };
        assert_eq!(
            compared("20.3", "64×128"),
            Agreement {
                compared: 1,
                apart: vec![]
            }
        );
        let apart = compared("19.0", "64×128");
        assert_eq!(
            apart.apart,
            [
                "padding: `padded` on 4096×2048 took 19.00 µs in the cell and 20.00 µs in the record, -5.0 %"
            ]
        );
        // Another launch of the same kernel is another measurement; an emulated one has no time.
        assert_eq!(compared("19.0", "128×128").compared, 0);
        assert_eq!(compared("", "64×128").compared, 0);
    }
}
