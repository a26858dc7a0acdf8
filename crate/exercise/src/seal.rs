//! The seal of a progress file, by which a report tells one that was edited. What it is worth: who reads this source can seal anything, so a seal stops an editor and nobody else; `report --grade` grades the answers again.

use cornerturn_basics::sha256;
use serde_json::Value;

/// The member of the file that holds it.
const SEAL: &str = "seal";
/// What a seal is made with besides the file. It is no secret: every participant has this program.
const KEY: &str = "corner turn, progress, 1";

/// The file's text with its seal.
pub(super) fn sealed(progress: &Value) -> String {
    let mut progress = progress.clone();
    let seal = seal(&progress);
    if let Some(members) = progress.as_object_mut() {
        members.insert(SEAL.to_string(), seal.into());
    }
    format!("{progress:#}")
}

/// Whether a file is as this program wrote it. One without a seal is not.
pub(super) fn holds(text: &str) -> bool {
    let Ok(progress) = serde_json::from_str::<Value>(text) else {
        return false;
    };
    let given = progress.get(SEAL).and_then(Value::as_str);
    given.is_some_and(|given| given == seal(&progress))
}

/// The seal of everything but the seal, whatever the order and the spaces of the text.
fn seal(progress: &Value) -> String {
    let mut progress = progress.clone();
    if let Some(members) = progress.as_object_mut() {
        members.remove(SEAL);
    }
    let inner = sha256(format!("{KEY}\n{}", sorted(&progress)).as_bytes());
    sha256(format!("{KEY}\n{inner}").as_bytes())
}

/// The value with the members of its objects in order.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.into_iter();
            let members = members.map(|(name, value)| format!("{name:?}:{}", sorted(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(sorted).collect();
            format!("[{}]", values.join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_seal_holds_until_something_is_changed() {
        let text =
            sealed(&json!({ "schema": 1, "exercises": { "copy": { "passed": 7, "hints": 0 } } }));
        assert!(holds(&text), "{text}");
        assert!(!holds(&text.replace("\"passed\": 7", "\"passed\": 8")));
        assert!(!holds(&text.replace("copy", "tiled")));
        // Neither spaces nor the order of members say anything.
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(holds(&value.to_string()));
        assert!(!holds("{\"schema\": 1}") && !holds("{") && !holds("[]"));
    }

    #[test]
    fn sealing_again_changes_nothing() {
        let text = sealed(&json!({ "schema": 1, "others": [1, { "b": 2, "a": null }] }));
        assert_eq!(sealed(&serde_json::from_str(&text).unwrap()), text);
    }
}
