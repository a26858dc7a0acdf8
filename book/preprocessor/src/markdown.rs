//! The Markdown dialect of the chapters. What is read with it is the other files'.

use mdbook_markdown::pulldown_cmark::Options;

/// The Markdown dialect of mdBook's pages, without what changes characters.
pub(crate) fn markdown_options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
}
