//! Pages with one mistake each, and what must be said of it; a right page is left alone.

use super::super::browser;
use super::*;

const HEAD: &str = "<!doctype html><html><head><meta charset=utf-8><link rel=icon href=data:,>";

/// Pages with one mistake each, and what must be said of it.
const MISTAKES: [(&str, &str, &str); 14] = [
    (
        "a",
        "<svg width=0 height=10><rect width=5 height=5 /></svg>",
        "has no area",
    ),
    ("b", "<svg width=90 height=90></svg>", "is empty"),
    (
        "c",
        "<svg width=90 height=90><rect width=9 height=9 fill=none /></svg>",
        "none is painted",
    ),
    (
        "d",
        "<script>console.error('oh', 'no')</script>",
        "console error: oh no",
    ),
    (
        "e",
        "<script>undefined_thing()</script>",
        "exception: ReferenceError",
    ),
    (
        "f",
        "<img src=none.png alt=''>",
        "console error: Failed to load",
    ),
    (
        "g",
        "<figure><figcaption>Bandwidth</figcaption></figure>",
        "figure 1 (Bandwidth) shows nothing",
    ),
    ("h", "<p>&lt;rect x=1&gt;</p>", "shows markup as text"),
    (
        "j",
        "<svg width=99 height=30><text y=20 fill=#eee>pale</text></svg>",
        "first “pale”",
    ),
    (
        "k",
        "<style>.ct-outputs{display:none} input:checked+label+.ct-outputs{display:block}</style>\
         <div class=ct-runs><input type=radio name=r id=r0 checked><label for=r0>here</label>\
         <div class=ct-outputs>Words.</div><input type=radio name=r id=r1><label for=r1>there</label>\
         <div class=ct-outputs>Words.<svg width=90 height=90></svg></div></div>",
        "is empty",
    ),
    (
        "l",
        "<style>.ct-outputs{display:none}</style><div class=ct-runs>\
         <input type=radio name=r id=r0 checked><label for=r0>here</label>\
         <div class=ct-outputs>Words.</div></div>",
        "output 1 of a choice shows nothing",
    ),
    (
        "m",
        "<svg width=99 height=30><rect width=9 height=9 /><text x=60 y=20>A title that is cut</text></svg>",
        "has 1 cut words, first “A title that is cut”",
    ),
    (
        "n",
        "<svg width=300 height=30><rect width=9 height=9 /><text y=20>A title that was shor…</text></svg>",
        "has 1 cut words, first “A title that was shor…”",
    ),
    (
        "i",
        "<div style='width:3000px;height:9px'></div>",
        "px wider than the window",
    ),
];

/// The same for what is a mistake in some views only, named by what their names end in.
const IN_SOME: [(&str, &str, &str, &str); 13] = [
    (
        "el",
        "<script>for (let i = 0; i < 6100; i++) document.currentScript.after(document.createElement('b'))</script>",
        "elements, more than 6000",
        "wide",
    ),
    (
        "ax",
        "<p class=bad>Words.</p>",
        "axe-core: bad in 1 places, first .bad: it is bad",
        "light-wide",
    ),
    (
        "q",
        "<div class=ct-question id=question-q><details class='ct-choice ct-wrong' name=q><summary>8</summary>Yes. \
         </details><details class='ct-choice ct-right' name=q><summary>9</summary>Yes. Nine.</details></div>",
        "question-q: “8” does not say No.",
        "wide",
    ),
    (
        "r",
        "<div class=ct-question id=question-r><details class='ct-choice ct-wrong' name=r><summary>8</summary>No. \
         </details><details class='ct-choice ct-wrong'><summary>9</summary>No. Ten.</details></div>",
        "question-r has 0 right answers",
        "wide",
    ),
    (
        "na",
        "<svg viewBox='0 0 340 40' width=150 height=40><rect width=9 height=9 /><text y=20 font-size=12>small</text></svg>",
        "words smaller than 11 px, the smallest 5.3 px, first “small”",
        "narrow",
    ),
    (
        "nb",
        "<div class=ct-scroll style='overflow-x:auto'><table><tr><td><div style='width:420px'>key</div><td>1</table></div>",
        "the first column of a table is cut: “key 1”",
        "narrow",
    ),
    (
        "nc",
        "<div class=ct-scroll style='overflow-x:auto'><table class=ct-table><tr><td>key             <td><div style='width:420px'>1</div></table></div>",
        "a table is cut: “key 1”",
        "narrow",
    ),
    (
        "nd",
        "<div style='overflow-x:auto'><svg width=600 height=90><rect width=9 height=9 /></svg></div>",
        "is cut off",
        "narrow",
    ),
    (
        "wa",
        "<pre style='width:300px;overflow:auto'>let a_long_line = of(code, that, is, longer, than, its, box);</pre>",
        "px wider than its box: “let a_long_line = of(code, that, is, lon”",
        "wide",
    ),
    (
        "wb",
        "<pre style='height:40px;overflow:auto'>one\ntwo\nthree\nfour\nfive\nsix</pre>",
        "px of its height: “one two three four five six”",
        "wide",
    ),
    (
        "pa",
        "<pre style='width:300px;overflow:auto'>let a_long_line = of(code, that, is, longer, than, its, box);</pre>",
        "px wider than its box",
        "paper",
    ),
    (
        "pb",
        "<details class=ct-fold><summary>folded</summary><pre>code</pre></details>",
        "“folded” stays folded on paper",
        "paper",
    ),
    (
        "wc",
        "<figure class=ct-figure><div class=ct-wide hidden><svg width=90 height=90><rect width=9 height=9 /></svg></div>             <div class=ct-narrow hidden><svg width=90 height=90><rect width=9 height=9 /></svg></div></figure>",
        "has no area",
        "wide",
    ),
];

/// In the place of axe-core.
const AXE: &str = "axe = {run: async (_, options) => ({violations: [...document.querySelectorAll('.bad')]\
    .filter(() => !options.runOnly).map(() => ({id: 'bad', impact: 'serious', nodes: \
    [{target: ['.bad'], failureSummary: 'Mend:\\n  it is bad'}]}))})}; 0";

#[test]
fn each_mistake_on_a_page_is_seen_and_a_right_page_is_left_alone() {
    let Some(program) = browser::find() else {
        eprintln!("skipped: no browser is installed");
        return;
    };
    let folder = std::env::temp_dir().join(format!("cornerturn-pages-{}", std::process::id()));
    let (root, profile) = (folder.join("pages"), folder.join("profile"));
    fs::create_dir_all(&root).expect("a temporary folder can be made");
    let right = "<svg width=190 height=90><rect width=190 height=90 />\
                 <text y=20 fill=#eee>pale on black</text></svg>\
                 <div class=ct-question id=question-z><details class='ct-choice ct-wrong' name=z><summary>8\
                 </summary>No. It is 9.</details><details class='ct-choice ct-right' name=z><summary>9</summary>Yes.\
                 </details></div>";
    let in_some = IN_SOME.iter().map(|m| (m.0, m.1));
    let mistakes = MISTAKES.iter().map(|m| (m.0, m.1)).chain(in_some);
    for (name, body) in mistakes.chain([("z", right)]) {
        let html = format!("{HEAD}<body><main><p>Words.</p>{body}</main>");
        fs::write(root.join(format!("{name}.html")), html).expect("it can be written");
    }
    let shots = folder.join("shots");
    let wanted = Look {
        program: &program,
        profile: &profile,
        root: &root,
        screenshots: Some(&shots),
        axe: Some(AXE),
    };
    let seen = look(&wanted, |_| ()).expect("the browser runs");
    let picture = fs::read(shots.join("z-dark-narrow-1.png")).expect("a picture was taken");
    fs::remove_dir_all(&folder).expect("the temporary folder is there");
    assert!(picture.starts_with(b"\x89PNG"), "the picture is a PNG");
    assert_eq!(
        (seen.pages, seen.figures),
        (MISTAKES.len() + IN_SOME.len() + 1, 6),
        "{seen:#?}"
    );
    for view in &VIEWS {
        for (name, _, expected) in MISTAKES {
            let page = format!("{name}.html, {}: ", view.name);
            let told = seen
                .problems
                .iter()
                .any(|p| p.starts_with(&page) && p.contains(expected));
            assert!(told, "{page}{expected} in {:#?}", seen.problems);
        }
    }
    for view in &VIEWS {
        for (name, _, expected, only) in IN_SOME {
            let page = format!("{name}.html, {}: ", view.name);
            let told = seen.problems.iter().find(|p| p.starts_with(&page));
            if view.name.ends_with(only) {
                assert!(
                    told.is_some_and(|told| told.contains(expected)),
                    "{page}{expected}, not {told:?}"
                );
            } else if name.starts_with('n') {
                assert!(told.is_none(), "{told:?}");
            }
        }
    }
    assert!(
        !seen.problems.iter().any(|p| p.starts_with("z.html")),
        "{:#?}",
        seen.problems
    );
}
