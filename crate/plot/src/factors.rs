//! The table of a search's factors: what each value of one factor gives while all others stay as they are. What was searched is `tuning`'s.

use cornerturn_base::element::ElementType;
use cornerturn_base::error::Result;
use cornerturn_base::html::escape;
use cornerturn_base::html::{CELL, NUMBER, Table, html};
use cornerturn_measure::tuning::{Choice, Factor, Found, Tuning, Variant};

/// Each factor alone, starting from one variant: its values as rows, shapes (rows, columns) as columns, bandwidth in per
/// cent of the driver's copy at that shape. The values of the variant itself are in bold; a dash is a variant that was
/// not timed.
///
/// # Errors
/// [`cornerturn_base::Error::Usage`] where there is no search at a shape; it names those that there are.
pub fn factors(
    tuning: &Tuning,
    element: ElementType,
    from: &Variant,
    shapes: &[(usize, usize)],
) -> Result<Table> {
    let searches = shapes
        .iter()
        .map(|&(rows, columns)| tuning.search(element, rows, columns));
    let searches: Vec<Found<'_>> = searches.collect::<Result<_>>()?;
    let mut head = vec!["alone".to_owned(), String::new()];
    head.extend(
        shapes
            .iter()
            .map(|(rows, columns)| format!("{rows} × {columns}")),
    );
    let css: Vec<&str> = (0..head.len())
        .map(|column| if column < 2 { CELL } else { NUMBER })
        .collect();
    let mut lines = Vec::new();
    for factor in Factor::ALL {
        for (number, value) in values(&searches, from, factor).into_iter().enumerate() {
            let name = if number == 0 {
                factor.to_string()
            } else {
                String::new()
            };
            let is_own = value == *from;
            let strong = |text: String| {
                if is_own {
                    format!("<strong>{text}</strong>")
                } else {
                    text
                }
            };
            let mut line = vec![escape(&name), strong(escape(&value.value(factor)))];
            line.extend(searches.iter().map(|found| strong(percent(found, &value))));
            lines.push(line);
        }
    }
    let days: Vec<String> = searches
        .iter()
        .map(|found| tuning.provenance(found.search))
        .collect();
    let mut caption = format!("{element}, per cent of the driver's copy; from {from}. ");
    caption.push_str(days.first().map_or("", String::as_str));
    Ok(Table {
        html: html(&caption, &head, &css, &lines),
    })
}

/// The variants that differ from `from` in this factor alone, in any of the searches.
fn values(searches: &[Found<'_>], from: &Variant, factor: Factor) -> Vec<Variant> {
    let mut values = Vec::new();
    for tried in searches.iter().flat_map(|found| found.alone(from, factor)) {
        if !values.contains(&tried.variant) {
            values.push(tried.variant);
        }
    }
    values
}

fn percent(found: &Found<'_>, variant: &Variant) -> String {
    let tried = found.timed.iter().find(|tried| tried.variant == *variant);
    let percent = tried.and_then(|tried| found.percent(tried));
    percent.map_or("–".to_owned(), |percent| format!("{percent:.1}"))
}
