//! What a pipeline's file may say, and what is told of one that cannot be read.

use super::*;
use proptest::prelude::*;

const HEAD: &str = "streams up, down\nevents there, away\n\nfor each part:\n";

fn told(text: &str) -> String {
    let Malformed { line, reason } = Script::read(text).unwrap_err();
    format!("{line}: {reason}")
}

#[test]
fn calls_are_read_with_their_lines_conditions_and_events() {
    let text = format!(
        "// A comment.\n{HEAD}  up.write(part); // the copy\n\n  if part >= 3: down.wait(away[part − 3])\n  \
         if part<2:default.record( there )\ndevice.synchronize()\n"
    );
    let script = Script::read(&text).unwrap();
    assert_eq!(script.streams, ["up", "down"]);
    let calls: Vec<_> = script
        .calls
        .iter()
        .map(|c| (c.line, c.when, c.on, c.verb))
        .collect();
    let (there, away) = (
        Mark {
            event: 0,
            back: None,
        },
        Mark {
            event: 1,
            back: Some(3),
        },
    );
    assert_eq!(
        calls,
        [
            (6, None, Some(On::Own(0)), Verb::Write),
            (8, Some(When::From(3)), Some(On::Own(1)), Verb::Wait(away)),
            (
                9,
                Some(When::Before(2)),
                Some(On::Default),
                Verb::Record(there)
            ),
            (10, None, None, Verb::Synchronize),
        ]
    );
    assert_eq!(
        script.to_string(),
        "streams: 2, events: 2, calls for a part: 4"
    );
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    for (line, words) in [
        (
            "upp.write(part)",
            "there is no stream `upp`; there are: up, down, and `default`",
        ),
        (
            "up.copy(part)",
            "nobody knows how to `copy`; there are: write, launch",
        ),
        ("up.write(part + 1)", "`+` has no meaning here"),
        ("up.write(part - 1)", "there should be a `)`"),
        ("up.write(3)", "`up.write(part)`"),
        (
            "up.wait(gone)",
            "there is no event `gone`; there are: there, away",
        ),
        ("up.wait()", "an event's name stands between the brackets"),
        ("up.wait(away[3])", "`away[part]`"),
        ("up.wait(away[part - x])", "`x` is no number from 0 to 1000"),
        ("up.wait(away[part - 99999999999999999999])", "is no number"),
        ("if part > 3: up.wait(away)", "`if part >= 3:`"),
        ("if part >= 3", "`if part >= 3:`"),
        ("if part >= 3:", "stands on the line of its condition"),
        ("up.write(part) up.read(part)", "`up` is too much"),
        ("device.write(part)", "`device` has `synchronize()` only"),
        ("streams more", "named above `for each part:`"),
        ("for each part:", "stands on line 4 already"),
        ("for all parts", "the line is `for each part:`"),
        ("write", "`write` begins nothing that is known"),
        ("up.é()", "has no meaning here"),
    ] {
        let told = told(&format!("{HEAD}{line}\n"));
        assert!(
            told.starts_with("5: ") && told.contains(words),
            "{words}: {told}"
        );
    }
    for (text, words) in [
        ("", "1: there is no line `for each part:`"),
        (HEAD, "4: nothing is called behind"),
        ("streams up,\n", "1: names stand side by side"),
        ("streams up down\n", "1: names stand side by side"),
        ("streams\n", "1: names stand side by side"),
        (
            "streams up, up\n",
            "1: `up` is the name of something already",
        ),
        (
            "streams up\nevents default\n",
            "2: `default` is the name of something already",
        ),
        ("up.write(part)\n", "1: calls stand below"),
        (
            "streams a_name_that_is_much_longer_than_any_name_has_to_be\n",
            "1: a word of",
        ),
    ] {
        let told = told(text);
        assert!(told.starts_with(words), "{words}: {told}");
    }
    let many = format!("{HEAD}{}", "up.write(part)\n".repeat(MOST_CALLS + 1));
    assert!(told(&many).contains("more than 24 calls"));
    let names: Vec<String> = (0..=MOST_NAMES).map(|n| format!("s{n}")).collect();
    assert!(told(&format!("streams {}\n", names.join(", "))).contains("more than 16"));
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,80}", line in "(if part|up|away|\\[|\\]|part|wait|[.(),:;<>=−-]|[0-9]{1,3}| ){0,12}") {
        let _ = Script::read(&text);
        let _ = Script::read(&format!("{HEAD}{line}\n{text}"));
    }
}
