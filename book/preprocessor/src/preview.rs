//! What a link to a page shows elsewhere, in a message or a search engine: title, description and picture, in the page's head. Written when mdBook has made the pages; the words are theirs.

use crate::error::{Error, Result};
use cornerturn_basics::escape_html as escape;
use mdbook_core::config::Config;
use std::fmt::Write as _;

/// The picture, relative to the pages: `cornerturn book --preview` draws it.
pub(crate) const PICTURE: &str = "images/preview.png";
/// Its size in pixels.
const SIZE: (u32, u32) = (1200, 630);
/// What it shows.
const ALT: &str = "Bars of bandwidth: each step of the transpose, beside the device's copy";
/// The key of the address where the pages will be, in `book.toml` or as
/// `MDBOOK_PREPROCESSOR__CORNERTURN__SITE`.
const SITE: &str = "preprocessor.cornerturn.site";
/// A description longer than this is cut where it is shown.
const MOST_CHARS: usize = 200;
/// A paragraph shorter than this describes nothing.
const LEAST_CHARS: usize = 40;
const DESCRIPTION: &str = "<meta name=\"description\" content=\"";

/// What all pages of a book share.
#[derive(Debug, Default)]
pub(crate) struct Previews {
    book: String,
    description: String,
    /// Where the pages will be, with a slash at its end; nothing where that is not known.
    site: Option<String>,
}

impl Previews {
    /// Reads the book's title and the site's address.
    pub(crate) fn of(config: &Config) -> Result<Self> {
        let site: Option<String> = config.get(SITE).map_err(Error::from_mdbook)?;
        let site = site.filter(|site| !site.is_empty());
        if let Some(site) = &site
            && !["https://", "http://"]
                .iter()
                .any(|scheme| site.starts_with(scheme))
        {
            return Err(Error::Config(format!(
                "book.toml: `{SITE}` is `{site}`, which is no address: begin it with https://"
            )));
        }
        Ok(Self {
            book: config.book.title.clone().unwrap_or_default(),
            description: config.book.description.clone().unwrap_or_default(),
            site: site.map(|site| format!("{}/", site.trim_end_matches('/'))),
        })
    }

    /// The page at `path`, relative to the pages' folder, with what a link to it shows. A page without a head and a
    /// main part stays as it is.
    pub(crate) fn added(&self, html: &str, path: &str) -> String {
        let Some((head, rest)) = html
            .split_once("</head>")
            .filter(|_| html.contains("<main>"))
        else {
            return html.to_owned();
        };
        let book = escape(&self.book);
        let title = between(head, "<title>", "</title>").unwrap_or(&book);
        let title = title.strip_suffix(&format!(" - {book}")).unwrap_or(title);
        let description = first_paragraph(rest).unwrap_or_else(|| escape(&self.description));
        let mut head = with_description(head, &description);
        let root = match &self.site {
            Some(site) => site.clone(),
            None => "../".repeat(path.matches('/').count()),
        };
        let mut tag = |kind: &str, name: &str, content: &str| {
            let _ = writeln!(
                head,
                "        <meta {kind}=\"{name}\" content=\"{content}\">"
            );
        };
        let picture = format!("{}{PICTURE}", escape(&root));
        tag("property", "og:site_name", &book);
        tag("property", "og:type", "article");
        tag("property", "og:title", title);
        tag("property", "og:description", &description);
        tag("property", "og:image", &picture);
        tag("property", "og:image:width", &SIZE.0.to_string());
        tag("property", "og:image:height", &SIZE.1.to_string());
        tag("property", "og:image:alt", &escape(ALT));
        if self.site.is_some() {
            tag(
                "property",
                "og:url",
                &format!("{}{}", escape(&root), escape(path)),
            );
        }
        tag("name", "twitter:card", "summary_large_image");
        tag("name", "twitter:title", title);
        tag("name", "twitter:description", &description);
        tag("name", "twitter:image", &picture);
        tag("name", "twitter:image:alt", &escape(ALT));
        format!("{head}    </head>{rest}")
    }
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    Some(text.split_once(from)?.1.split_once(to)?.0)
}

/// A head in which the book's description is the page's.
fn with_description(head: &str, description: &str) -> String {
    let Some((before, rest)) = head.split_once(DESCRIPTION) else {
        return head.to_owned();
    };
    let rest = rest.split_once('"').map_or("", |(_, rest)| rest);
    format!("{before}{DESCRIPTION}{description}\"{rest}")
}

/// The first paragraph of prose that says something, without its markup, as the value of an attribute.
fn first_paragraph(body: &str) -> Option<String> {
    let main = body.split_once("<main>")?.1;
    let paragraphs = main.split("<p>").skip(1);
    let texts = paragraphs.filter_map(|rest| Some(text_of(rest.split_once("</p>")?.0)));
    let mut long = texts.filter(|text| text.chars().count() >= LEAST_CHARS);
    long.next().map(|text| cut(&text).replace('"', "&quot;"))
}

fn text_of(html: &str) -> String {
    let parts = html.split('<').enumerate();
    let texts = parts.map(|(index, part)| match index {
        0 => part,
        _ => part.split_once('>').map_or("", |(_, text)| text),
    });
    let words: String = texts.collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most as much as is shown, at the end of a word; an ellipsis says that there is more.
fn cut(text: &str) -> String {
    if text.chars().count() <= MOST_CHARS {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split(' ') {
        if short.chars().count() + word.chars().count() + 2 > MOST_CHARS {
            break;
        }
        short.push_str(word);
        short.push(' ');
    }
    short.trim_end().to_owned() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<head>\n<title>Tile &amp; pad - A Book</title>\n<meta name=\"description\" content=\"old\">\n\
        </head>\n<body><main><h1>T</h1><p class=\"x\">no prose, and long enough to be taken for it</p><p>Short.</p>\n\
        <p>A <em>tile</em> in &quot;shared&quot; memory\nmakes both sides \"coalesced\", &amp; banks <a href=\"b.html\">matter</a>.</p>\
        </main></body>";

    fn previews(site: Option<&str>) -> Previews {
        Previews {
            book: "A Book".to_owned(),
            description: "About <it>".to_owned(),
            site: site.map(str::to_owned),
        }
    }

    #[test]
    fn a_page_tells_its_title_its_first_paragraph_and_the_picture() {
        let html = previews(None).added(PAGE, "part/tile.html");
        let description = "A tile in &quot;shared&quot; memory makes both sides &quot;coalesced&quot;, &amp; banks matter.";
        for tag in [
            "property=\"og:title\" content=\"Tile &amp; pad\"",
            "property=\"og:image\" content=\"../images/preview.png\"",
            "name=\"twitter:card\" content=\"summary_large_image\"",
            "property=\"og:site_name\" content=\"A Book\"",
        ] {
            assert_eq!(html.matches(tag).count(), 1, "{tag} in {html}");
        }
        assert_eq!(html.matches(description).count(), 3, "{html}");
        assert!(!html.contains("old") && !html.contains("og:url"), "{html}");
        assert_eq!(html.matches("</head>").count(), 1);
    }

    #[test]
    fn a_known_site_makes_addresses_whole() {
        let html = previews(Some("https://a.example/b/")).added(PAGE, "part/tile.html");
        assert!(html.contains("\"og:image\" content=\"https://a.example/b/images/preview.png\""));
        assert!(html.contains("\"og:url\" content=\"https://a.example/b/part/tile.html\""));
    }

    #[test]
    fn a_page_without_prose_has_the_books_description_and_a_frame_none() {
        let html = "<head><title>X</title></head><main><p>Short.</p></main>";
        let html = previews(None).added(html, "x.html");
        assert!(
            html.contains("\"og:description\" content=\"About &lt;it&gt;\""),
            "{html}"
        );
        let frame = "<head></head><body>toc</body>";
        assert_eq!(previews(None).added(frame, "toc.html"), frame);
        let long = "word ".repeat(100);
        assert!(cut(&long).ends_with("word…") && cut(&long).len() <= 210);
    }
}
