//! Makes a page lighter: outputs bring their own style, so that they look the same in a notebook, and on a page the same words stand hundreds of times. There they become one rule. What a page shows stays what it was.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

const STYLE: &str = " style=\"";
/// The attribute by which an element is named whose style became a rule.
const NAME: &str = "data-s";

/// A style that stands less often, or is shorter, stays where it is.
const LEAST_TIMES: usize = 4;
const LEAST_BYTES: usize = 24;

/// The page with each style that repeats as a rule in its head.
pub(crate) fn light(html: &str) -> Cow<'_, str> {
    let Some((head, body)) = html.split_once("<main>") else {
        return Cow::Borrowed(html);
    };
    let mut times: HashMap<&str, usize> = HashMap::new();
    for (style, _) in body
        .split(STYLE)
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
    {
        *times.entry(style).or_default() += 1;
    }
    let repeats = |style: &str| {
        let is_plain = !style.contains(['&', '<', '{', '}']) && style.len() >= LEAST_BYTES;
        is_plain && times.get(style).is_some_and(|times| *times >= LEAST_TIMES)
    };
    let mut rules = String::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut out = String::with_capacity(body.len());
    let mut pieces = body.split(STYLE);
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let Some((style, rest)) = piece.split_once('"').filter(|(style, _)| repeats(style)) else {
            out.extend([STYLE, piece]);
            continue;
        };
        let next = numbers.len();
        let number = *numbers.entry(style).or_insert_with(|| {
            // As strong as a style of the element's own: stronger than all that names no place.
            let _ = write!(rules, ":is(#ct,[{NAME}=\"{next}\"]){{{style}}}");
            next
        });
        let _ = write!(out, " {NAME}=\"{number}\"");
        out.push_str(rest);
    }
    let Some((before, after)) = head.split_once("</head>").filter(|_| !rules.is_empty()) else {
        return Cow::Borrowed(html);
    };
    Cow::Owned(format!(
        "{before}<style>{rules}</style>\n    </head>{after}<main>{out}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_becomes_one_rule() {
        let long = "padding:0.15em 0.9em;text-align:left";
        let cells = format!("<td style=\"{long}\" class=\"x\">1</td>").repeat(5);
        let rest = "<p style=\"color:red\">a</p><p style=\"background:url(&quot;x&quot;) no-repeat\">b</p>";
        let page = format!("<head></head><main>{cells}{rest}</main>");
        let light = light(&page);
        let rule = format!("<style>:is(#ct,[data-s=\"0\"]){{{long}}}</style>");
        assert!(light.contains(&rule), "{light}");
        assert_eq!(
            light.matches("<td data-s=\"0\" class=\"x\">1</td>").count(),
            5
        );
        assert!(light.ends_with(&format!("{rest}</main>")), "{light}");
    }

    #[test]
    fn a_page_of_few_styles_stays_as_it_is() {
        let page = "<head></head><main><p style=\"padding:0.15em 0.9em;color:red\">a</p></main>";
        assert_eq!(light(page), page);
        assert_eq!(light("<body>no page"), "<body>no page");
    }
}
