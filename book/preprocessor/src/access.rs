//! What a page of mdBook needs so that a keyboard and a screen reader get around in it: a way past the menus, buttons that are buttons, names, landmarks. Written when mdBook has made the pages; how they look is the theme's.

/// The place that the first link of a page skips to.
const CONTENT: &str = "<div id=\"mdbook-content\" class=\"content\">";
const SKIP: &str =
    "<body>\n    <a class=\"ct-skip\" href=\"#mdbook-content\">Skip to the content</a>";

/// The button that shows the list of chapters is a label of a hidden checkbox, which no keyboard reaches.
const TOGGLE: &str = "<label id=\"mdbook-sidebar-toggle\" class=\"icon-button\" for=\"mdbook-sidebar-toggle-anchor\"";
const TOGGLE_END: &str = "</label>";
/// Without scripts it is the label that works.
const WITHOUT_SCRIPTS: &str = "</button>\n<noscript><label class=\"icon-button\" \
    for=\"mdbook-sidebar-toggle-anchor\">Chapters</label></noscript>";

const MACHINE_CODE: &str = "<figure class=\"ct-machine\">";

/// What else is replaced, where it is there.
const MENDED: [(&str, &str); 5] = [
    (
        CONTENT,
        "<div id=\"mdbook-content\" class=\"content\" tabindex=\"-1\">",
    ),
    (
        "<div id=\"mdbook-menu-bar\" class=\"menu-bar sticky\">",
        "<div id=\"mdbook-menu-bar\" class=\"menu-bar sticky\" role=\"banner\">",
    ),
    (
        "<div id=\"mdbook-search-wrapper\" class=\"hidden\">",
        "<div id=\"mdbook-search-wrapper\" class=\"hidden\" role=\"search\">",
    ),
    (
        "aria-describedby=\"searchresults-header\"",
        "aria-label=\"Search this book\" aria-describedby=\"mdbook-searchresults-header\"",
    ),
    (
        "<iframe class=\"sidebar-iframe-outer\"",
        "<iframe title=\"Table of contents\" class=\"sidebar-iframe-outer\"",
    ),
];

/// A page as everybody can use it. One that mdBook's template did not make stays as it is.
pub(crate) fn mended(html: &str) -> String {
    if !html.contains(CONTENT) {
        return html.to_owned();
    }
    let mut page = html.to_owned();
    for (old, new) in MENDED {
        page = page.replacen(old, new, 1);
    }
    // A page that a server sends for any address has a base, from which its own places cannot be named.
    if !page.contains("<base ") {
        page = page.replacen("<body>", SKIP, 1);
    }
    if let Some((before, label)) = page.split_once(TOGGLE)
        && let Some((label, after)) = label.split_once(TOGGLE_END)
    {
        let button = "<button type=\"button\" id=\"mdbook-sidebar-toggle\" class=\"icon-button\"";
        page = format!("{before}{button}{label}{WITHOUT_SCRIPTS}{after}");
    }
    page
}

/// A page whose tables of machine code, which scroll, can be scrolled by a keyboard.
pub(crate) fn focusable(html: &str) -> String {
    let mut pieces = html.split(MACHINE_CODE);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str(MACHINE_CODE);
        out.push_str(&piece.replacen("<table>", "<table tabindex=\"0\">", 1));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<head></head>\n<body>\n<div id=\"mdbook-menu-bar\" class=\"menu-bar sticky\">\
        <label id=\"mdbook-sidebar-toggle\" class=\"icon-button\" for=\"mdbook-sidebar-toggle-anchor\" title=\"T\">icon\
        </label><label>other</label></div><div id=\"mdbook-content\" class=\"content\"><main>Words.</main></div>";

    #[test]
    fn a_keyboard_gets_past_the_menus_and_opens_them() {
        let page = mended(PAGE);
        let first = page.split_once("<body>").map(|(_, rest)| rest.trim_start());
        assert!(
            first.is_some_and(
                |rest| rest.starts_with("<a class=\"ct-skip\" href=\"#mdbook-content\"")
            ),
            "{page}"
        );
        assert!(page.contains("id=\"mdbook-content\" class=\"content\" tabindex=\"-1\""));
        assert!(
            page.contains("class=\"icon-button\" title=\"T\">icon</button>"),
            "{page}"
        );
        assert!(
            page.contains("<label>other</label>") && page.contains("role=\"banner\""),
            "{page}"
        );
    }

    #[test]
    fn machine_code_can_be_scrolled() {
        let page = format!(
            "<table>{MACHINE_CODE}<figcaption></figcaption><table></table></figure><table>"
        );
        let expected = page.replace(
            "</figcaption><table>",
            "</figcaption><table tabindex=\"0\">",
        );
        assert_eq!(focusable(&page), expected);
    }

    #[test]
    fn what_is_no_page_stays_and_one_for_any_address_skips_nothing() {
        assert_eq!(mended("<body><ol></ol>"), "<body><ol></ol>");
        let page = mended(&PAGE.replace("<head>", "<head><base href=\"/\">"));
        assert!(
            !page.contains("ct-skip") && page.contains("<button"),
            "{page}"
        );
    }
}
