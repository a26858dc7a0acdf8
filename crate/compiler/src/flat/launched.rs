//! Instances of templates that the host launches with their arguments written out: NVIDIA's compiler makes those that it is asked for.

use crate::lex::{Kind, Token};

/// Words of types that are there wherever they stand.
const TYPES: [&str; 16] = [
    "bool", "char", "signed", "unsigned", "short", "int", "long", "float", "double", "true",
    "false", "half", "__half", "float2", "float4", "double2",
];

/// Each once, such as `scale<float, 3>`. Of those whose arguments are names of the host's function nothing is known here.
pub(super) fn launched(tokens: &[Token]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for at in 1..tokens.len().saturating_sub(1) {
        let is_launch = tokens[at].is("<<")
            && tokens[at + 1].is("<")
            && tokens[at].span.end == tokens[at + 1].span.start
            && tokens[at - 1].is(">");
        let instance = is_launch.then(|| instance(&tokens[..at])).flatten();
        found.extend(instance.filter(|one| !found.contains(one)));
    }
    found
}

/// The name with its arguments at the end of these tokens.
fn instance(tokens: &[Token]) -> Option<String> {
    let open = tokens.iter().rposition(|token| token.is("<"))?;
    let list = &tokens[open + 1..tokens.len() - 1];
    let is_known = |token: &Token| match token.kind {
        Kind::Name => TYPES.contains(&&*token.text),
        Kind::Number => true,
        _ => token.is(",") || token.is("-"),
    };
    if !list.iter().all(is_known) {
        return None;
    }
    let mut from = open;
    while from > 0 && (tokens[from - 1].kind == Kind::Name || tokens[from - 1].is("::")) {
        let follows = tokens[from - 1].is("::") || from == open || tokens[from].is("::");
        if !follows {
            break;
        }
        from -= 1;
    }
    let name: String = tokens[from..open]
        .iter()
        .map(|token| &*token.text)
        .collect();
    let list: Vec<&str> = list.iter().map(|token| &*token.text).collect();
    (!name.is_empty()).then(|| format!("{name}<{}>", list.join(" ")))
}
