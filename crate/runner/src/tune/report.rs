//! What the verb prints of a space, of counts and of a search, as tables, JSON and a page.

use super::prepare::Candidate;
use super::subject::Tuned;
use crate::json;
use crate::output::{self, Table};
use cornerturn::tuning::{Choice, End, FoundOf, TriedOf, TuningOf};
use cornerturn::{Counters, plot};
use serde_json::{Value, json};

/// How many of the fastest are printed.
const FASTEST: usize = 12;

/// The variants, and why no device can have some of them.
pub fn list<S: Tuned>(variants: &[S::Variant], subject: &S, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let variants: Vec<Value> = variants
            .iter()
            .map(|variant| described(variant, subject))
            .collect();
        let mut all = subject.common();
        all["variants"] = variants.into();
        return output::json(&all);
    }
    let bytes = S::KEYS[3].replace('_', " ");
    let mut table = Table::new(["", "variant", "threads", &bytes, "over a limit"]);
    for (index, variant) in variants.iter().enumerate() {
        let (threads, bytes) = subject.block(variant);
        table.row([
            (index + 1).to_string(),
            variant.to_string(),
            threads.to_string(),
            bytes.to_string(),
            subject.over_limits(variant).unwrap_or_default(),
        ]);
    }
    output::print(table.render())
}

fn described<S: Tuned>(variant: &S::Variant, subject: &S) -> Value {
    let (threads, bytes) = subject.block(variant);
    json!({
        "variant": variant,
        "words": variant.to_string(),
        "threads": threads,
        S::KEYS[3]: bytes,
        "over_limits": subject.over_limits(variant),
    })
}

/// What the emulator counted.
pub fn counted<S: Tuned>(
    candidates: &[Candidate<S>],
    subject: &S,
    as_json: bool,
) -> anyhow::Result<()> {
    let reason = |candidate: &Candidate<S>| {
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
                let mut value = described(&candidate.variant, subject);
                value["verified"] = candidate.kernel.is_ok().into();
                value["refused"] = reason(candidate).into();
                value["counters"] = candidate.counters.as_ref().map(json::counters).into();
                value
            })
            .collect();
        let mut all = subject.common();
        all["device"] = "emulator".into();
        all["verified_at"] = json!(subject.small());
        all["variants"] = variants.into();
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
    let [even, odd] = subject.small();
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
pub fn found<S: Tuned>(
    tuning: &TuningOf<S>,
    found: &FoundOf<S>,
    as_json: bool,
) -> anyhow::Result<()> {
    if as_json {
        return output::json(&found_json(found));
    }
    let mut table = Table::new([
        "variant",
        "median µs",
        "quartiles µs",
        "samples",
        S::UNIT,
        &format!("% of {}", S::REFERENCE),
        "registers",
    ]);
    for tried in found.timed.iter().take(FASTEST) {
        table.row(row(found, tried));
    }
    output::print(table.render())?;
    output::line(words(found))?;
    output::line(tuning.provenance(found.search))
}

fn row<S: Tuned>(found: &FoundOf<S>, tried: &TriedOf<S>) -> [String; 7] {
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
        number(tried.rate(), if S::UNIT == "GB/s" { 0 } else { 2 }),
        number(found.percent(tried), 1),
        registers(tried),
    ]
}

/// Registers of a thread, and how many bytes of it lie in local memory.
fn registers<S: Tuned>(tried: &TriedOf<S>) -> String {
    match (tried.registers_per_thread, tried.local_bytes_per_thread) {
        (Some(registers), Some(bytes)) if bytes > 0 => format!("{registers}, spills {bytes} B"),
        (Some(registers), _) => registers.to_string(),
        _ => "–".to_string(),
    }
}

/// The verdict in sentences: the best, what is not told apart from it, each factor alone, and what is missing.
fn words<S: Tuned>(found: &FoundOf<S>) -> String {
    let Some(best) = found.best() else {
        return "No variant was timed.".to_string();
    };
    let reference = S::REFERENCE;
    let percent = |tried: &TriedOf<S>| {
        found
            .percent(tried)
            .map_or(String::new(), |p| format!("{p:.1}"))
    };
    let mut lines = vec![format!(
        "Best: {}, {} % of {reference}.",
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
    for &factor in S::Variant::FACTORS {
        let values: Vec<String> = found
            .alone(&best.variant, factor)
            .iter()
            .map(|tried| format!("{} {}", tried.variant.value(factor), percent(tried)))
            .collect();
        lines.push(format!(
            "The {factor} alone, % of {reference}: {}.",
            values.join(", ")
        ));
    }
    if found.search.reference_us.is_empty() {
        lines.push(format!(
            "Without {reference}, which is not installed here: there is no per cent of it."
        ));
    }
    let spilling = found.timed.iter().filter(|tried| tried.spills()).count();
    if spilling > 0 {
        let timed = found.timed.len();
        lines.push(format!(
            "{spilling} of the {timed} that were timed spill registers to local memory."
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

fn found_json<S: Tuned>(found: &FoundOf<S>) -> Value {
    let [rate, percent, reference, _] = S::KEYS;
    let timed = |tried: &TriedOf<S>| {
        let timing = tried.timing();
        json!({
            "variant": tried.variant,
            "words": tried.variant.to_string(),
            "rounds": tried.rounds,
            "verified_here": tried.verified_here,
            "median_us": timing.as_ref().map(|timing| timing.median_us()),
            "quartiles_us": timing.as_ref().map(|timing| timing.quartiles_us()),
            "samples": tried.samples_us.len(),
            "registers_per_thread": tried.registers_per_thread,
            "local_bytes_per_thread": tried.local_bytes_per_thread,
            rate: tried.rate(),
            percent: found.percent(tried),
        })
    };
    let refused = |tried: &&TriedOf<S>| json!({ "variant": tried.variant, "words": tried.variant.to_string(), "reason": tried.refused });
    let mut all = json!(found.search.subject);
    all["end"] = json!(found.search.end);
    all[reference] = json!(found.search.reference_rate());
    all["best"] = json!(found.best().map(timed));
    all["not_told_apart"] = found.ties().into_iter().map(timed).collect();
    all["timed"] = found.timed.iter().map(|tried| timed(tried)).collect();
    all["refused"] = found.refused.iter().map(refused).collect();
    all
}

/// The landscapes of all searches as a page of its own.
pub fn page<S: Tuned>(tuning: &TuningOf<S>) -> anyhow::Result<String> {
    let mut figures = String::new();
    for search in &tuning.searches {
        let figure = plot::landscape_of(tuning, &search.subject)?;
        figures.push_str(&figure.to_html());
    }
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>cornerturn tune</title>\n\
         <body style=\"font-family:sans-serif;max-width:720px;margin:1em auto;padding:0 1em\">\n{figures}</body>\n</html>\n"
    ))
}
