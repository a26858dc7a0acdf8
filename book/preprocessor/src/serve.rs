//! Builds the book and serves its pages, builds again when a source changes and has open pages reload.
//! How a page reaches a browser is package `cornerturn-site`'s; opens no browser.

use crate::book::build_with;
use crate::error::{Error, Result};
use crate::options::{BookOptions, BuildReport};
use crate::share::Runners;
use crate::watch::{LOOK_EVERY, first_change, settled, snapshot};
use cornerturn_site::{Message, News, PageServer};
use std::path::PathBuf;
use std::sync::Arc;

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
}

impl Default for ServeOptions {
    /// Port 3000.
    fn default() -> Self {
        ServeOptions { port: 3000 }
    }
}

/// What happens while serving, for showing.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeEvent {
    /// The first build is done and the pages are at this address.
    Listening {
        /// `http://127.0.0.1:PORT/`.
        url: String,
        /// What the first build did.
        report: BuildReport,
    },
    /// A source changed; a build starts.
    Changed(PathBuf),
    /// The pages are fresh again, and open ones reload.
    Rebuilt(BuildReport),
    /// The build failed. The old pages stand; open ones show the message.
    Failed(Error),
}

/// Builds the book and serves it until the process ends. Port taken: the next free of ten.
///
/// # Errors
///
/// If the first build fails or no port is free. Later builds that fail are events.
pub fn serve_book(
    options: &BookOptions,
    serve: &ServeOptions,
    mut on_event: impl FnMut(ServeEvent),
) -> Result<()> {
    let mut seen = snapshot(&options.root);
    let runners = Runners::programs(options.sessions);
    let report = build_with(options, runners.clone())?;
    let news = Arc::new(News::default());
    let server = PageServer::with_news(&report.out, serve.port, Arc::clone(&news))?;
    on_event(ServeEvent::Listening {
        url: server.url(""),
        report,
    });
    // Only the first build may be told to ignore the cache.
    let options = BookOptions {
        fresh: false,
        ..options.clone()
    };
    loop {
        std::thread::sleep(LOOK_EVERY);
        let now = snapshot(&options.root);
        let Some(changed) = first_change(&seen, &now) else {
            continue;
        };
        seen = settled(&options.root, now);
        on_event(ServeEvent::Changed(changed));
        match build_with(&options, runners.clone()) {
            Ok(report) => {
                news.tell(Message::Reload);
                on_event(ServeEvent::Rebuilt(report));
            }
            Err(error) => {
                news.tell(Message::Failed(error.to_string()));
                on_event(ServeEvent::Failed(error));
            }
        }
    }
}
