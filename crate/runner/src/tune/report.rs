//! What the verb prints of a space, of counts and of a search, as tables, JSON and a page.

use super::prepare::{Candidate, SMALL};
use crate::json;
use crate::output::{self, Table};
use cornerturn::tuning::{End, Factor, Found, Tried, Tuning, Variant};
use cornerturn::{Counters, ElementType, plot};
use serde_json::{Value, json};

/// How many of the fastest are printed.
const FASTEST: usize = 12;

/// The variants, and why no device can have some of them.
pub fn list(variants: &[Variant], element: ElementType, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let variants: Vec<Value> = variants
            .iter()
            .map(|variant| described(variant, element))
            .collect();
        return output::json(&json!({ "element": element.name(), "variants": variants }));
    }
    let mut table = Table::new(["", "variant", "threads", "tile bytes", "over a limit"]);
    for (index, variant) in variants.iter().enumerate() {
        table.row([
            (index + 1).to_string(),
            variant.to_string(),
            variant.threads(element).to_string(),
            variant.tile_bytes(element).to_string(),
            variant.over_limits(element).unwrap_or_default(),
        ]);
    }
    output::print(table.render())
}

fn described(variant: &Variant, element: ElementType) -> Value {
    json!({
        "variant": variant,
        "words": variant.to_string(),
        "threads": variant.threads(element),
        "tile_bytes": variant.tile_bytes(element),
        "over_limits": variant.over_limits(element),
    })
}

/// What the emulator counted.
pub fn counted(
    candidates: &[Candidate],
    element: ElementType,
    as_json: bool,
) -> anyhow::Result<()> {
    let reason = |candidate: &Candidate| {
        candidate
            .kernel
            .as_ref()
            .err()
            .map(|refusal| refusal.reason.clone())
    };
    if as_json {
        let variants: Vec<Value> = candidates
            .iter()
            .map(|candidate| {
                let mut value = described(&candidate.variant, element);
                value["verified"] = candidate.kernel.is_ok().into();
                value["refused"] = reason(candidate).into();
                value["counters"] = candidate.counters.as_ref().map(json::counters).into();
                value
            })
            .collect();
        let shapes = SMALL.map(|shape| json!({ "rows": shape.rows, "columns": shape.columns }));
        let all = json!({ "device": "emulator", "element": element.name(), "verified_at": shapes, "variants": variants });
        return output::json(&all);
    }
    let mut table = Table::new([
        "variant",
        "load sectors",
        "store sectors",
        "shared loads",
        "shared stores",
        "verified",
    ]);
    for candidate in candidates {
        let verdict = reason(candidate).unwrap_or_else(|| "✓".to_string());
        let [a, b, c, d] = candidate
            .counters
            .as_ref()
            .map(per_request)
            .unwrap_or_default();
        table.row([candidate.variant.to_string(), a, b, c, d, verdict]);
    }
    let [even, odd] = SMALL;
    output::print(table.render())?;
    output::line(format_args!(
        "Verified bit by bit at {even} and {odd}; sectors and wavefronts a request at {even}. The emulator has no clock."
    ))
}

/// Sectors of global loads and stores, wavefronts of shared loads and stores, each a request.
fn per_request(c: &Counters) -> [String; 4] {
    [
        (c.global_load_sectors, c.global_load_requests),
        (c.global_store_sectors, c.global_store_requests),
        (c.shared_load_wavefronts, c.shared_load_instructions),
        (c.shared_store_wavefronts, c.shared_store_instructions),
    ]
    .map(|(amount, requests)| match requests {
        0 => "–".to_string(),
        requests => format!("{:.2}", amount as f64 / requests as f64),
    })
}

/// What a search found.
pub fn found(tuning: &Tuning, found: &Found, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return output::json(&found_json(found));
    }
    let mut table = Table::new([
        "variant",
        "median µs",
        "quartiles µs",
        "samples",
        "GB/s",
        "% of copy",
    ]);
    for tried in found.timed.iter().take(FASTEST) {
        table.row(row(found, tried));
    }
    output::print(table.render())?;
    output::line(words(found))?;
    output::line(tuning.provenance(found.search))
}

fn row(found: &Found, tried: &Tried) -> [String; 6] {
    let number = |value: Option<f64>, decimals: usize| {
        value.map_or("–".to_string(), |v| format!("{v:.decimals$}"))
    };
    let timing = tried.timing();
    let quartiles = timing.as_ref().map(|timing| timing.quartiles_us());
    [
        tried.variant.to_string(),
        number(timing.as_ref().map(|timing| timing.median_us()), 2),
        quartiles.map_or("–".to_string(), |(low, high)| {
            format!("{low:.2}–{high:.2}")
        }),
        tried.samples_us.len().to_string(),
        number(tried.gb_per_s().map(|rate| rate.0), 0),
        number(found.percent_of_copy(tried), 1),
    ]
}

/// The verdict in sentences: the best, what is not told apart from it, each factor alone, and what is missing.
fn words(found: &Found) -> String {
    let Some(best) = found.best() else {
        return "No variant was timed.".to_string();
    };
    let percent = |tried: &Tried| {
        found
            .percent_of_copy(tried)
            .map_or(String::new(), |p| format!("{p:.1}"))
    };
    let mut lines = vec![format!(
        "Best: {}, {} % of the driver's copy.",
        best.variant,
        percent(best)
    )];
    let ties = found.ties();
    if !ties.is_empty() {
        let shown = ties.iter().take(FASTEST);
        let names: Vec<String> = shown
            .map(|tie| format!("{} ({} %)", tie.variant, percent(tie)))
            .collect();
        let more = match ties.len().saturating_sub(FASTEST) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let names = names.join("; ");
        lines.push(format!(
            "Not told apart from it, as their quartiles overlap: {names}{more}."
        ));
    }
    for factor in Factor::ALL {
        let values: Vec<String> = found
            .alone(&best.variant, factor)
            .iter()
            .map(|tried| format!("{} {}", tried.variant.value(factor), percent(tried)))
            .collect();
        lines.push(format!(
            "The {factor} alone, % of copy: {}.",
            values.join(", ")
        ));
    }
    for refused in &found.refused {
        if let Some(reason) = &refused.refused {
            lines.push(format!("Refused: {}: {reason}.", refused.variant));
        }
    }
    if !best.verified_here {
        lines.push("The search ended before the best was compared at this shape; it is right at small ones.".to_string());
    }
    match found.search.end {
        End::Finished => {}
        End::TimeUp => lines.push(
            "The time was up before the last round; give it longer with --longest.".to_string(),
        ),
        End::Interrupted => lines.push("Interrupted; what was found so far is kept.".to_string()),
    }
    lines.join("\n")
}

fn found_json(found: &Found) -> Value {
    let timed = |tried: &Tried| {
        let timing = tried.timing();
        json!({
            "variant": tried.variant,
            "words": tried.variant.to_string(),
            "rounds": tried.rounds,
            "verified_here": tried.verified_here,
            "median_us": timing.as_ref().map(|timing| timing.median_us()),
            "quartiles_us": timing.as_ref().map(|timing| timing.quartiles_us()),
            "samples": tried.samples_us.len(),
            "gb_per_s": tried.gb_per_s().map(|rate| rate.0),
            "percent_of_copy": found.percent_of_copy(tried),
        })
    };
    let refused = |tried: &&Tried| json!({ "variant": tried.variant, "words": tried.variant.to_string(), "reason": tried.refused });
    json!({
        "element": found.search.element.name(),
        "rows": found.search.rows,
        "columns": found.search.columns,
        "end": found.search.end,
        "copy_gb_per_s": found.search.copy_gb_per_s().map(|rate| rate.0),
        "best": found.best().map(timed),
        "not_told_apart": found.ties().into_iter().map(timed).collect::<Vec<_>>(),
        "timed": found.timed.iter().map(|tried| timed(tried)).collect::<Vec<_>>(),
        "refused": found.refused.iter().map(refused).collect::<Vec<_>>(),
    })
}

/// The landscapes of all searches as a page of its own.
pub fn page(tuning: &Tuning) -> anyhow::Result<String> {
    let mut figures = String::new();
    for search in &tuning.searches {
        let figure = plot::landscape(tuning, search.element, search.rows, search.columns)?;
        figures.push_str(&figure.to_html());
    }
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>cornerturn tune</title>\n\
         <body style=\"font-family:sans-serif;max-width:720px;margin:1em auto;padding:0 1em\">\n{figures}</body>\n</html>\n"
    ))
}
