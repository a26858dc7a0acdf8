//! A compilation as bytes, asked for and answered: where the compiler is another module than what asks it. How they travel is the askers' affair.
//!
//! Both ends are built from these sources, so the form has no version: numbers of four bytes, the lowest first, and texts
//! behind the number of their bytes.

use crate::{Compiled, Diagnostic, Diagnostics, Options, Severity, Span, compile};

/// What is asked.
pub fn request(source: &str, file: &str, options: &Options) -> Vec<u8> {
    let mut bytes = Writer::default();
    // No kernel has an empty name: that stands for none.
    let entry = options.entry.as_deref().unwrap_or_default();
    for text in [source, file, &options.arch, entry] {
        bytes.text(text);
    }
    bytes.number(options.defines.len());
    for (name, value) in &options.defines {
        bytes.text(name);
        bytes.text(value);
    }
    bytes.0
}

/// Compiles what is asked. Bytes that are no request are answered by none.
pub fn answer(request: &[u8]) -> Vec<u8> {
    let Some((source, file, options)) = asked(&mut Reader(request)) else {
        return Vec::new();
    };
    let mut bytes = Writer::default();
    let (ptx, text, list) = match compile(source, file, &options) {
        Ok(compiled) => (Some(compiled.ptx), compiled.warnings, compiled.list),
        Err(refused) => (None, refused.text, refused.list),
    };
    bytes.number(usize::from(ptx.is_some()));
    bytes.text(&ptx.unwrap_or_default());
    bytes.text(&text);
    bytes.number(list.len());
    for diagnostic in &list {
        bytes.diagnostic(diagnostic);
    }
    bytes.0
}

/// What an answer says; `None` for bytes that are none.
pub fn result(answer: &[u8]) -> Option<Result<Compiled, Diagnostics>> {
    let mut bytes = Reader(answer);
    let is_compiled = bytes.number()? == 1;
    let (ptx, text) = (bytes.text()?.to_string(), bytes.text()?.to_string());
    let list = bytes.list(Reader::diagnostic)?;
    Some(match is_compiled {
        true => Ok(Compiled {
            ptx,
            warnings: text,
            list,
        }),
        false => Err(Diagnostics { list, text }),
    })
}

fn asked<'a>(bytes: &mut Reader<'a>) -> Option<(&'a str, &'a str, Options)> {
    let (source, file, arch) = (bytes.text()?, bytes.text()?, bytes.text()?);
    let entry = Some(bytes.text()?).filter(|entry| !entry.is_empty());
    let define = |bytes: &mut Reader| Some((bytes.text()?.to_string(), bytes.text()?.to_string()));
    let options = Options {
        arch: arch.to_string(),
        defines: bytes.list(define)?,
        entry: entry.map(str::to_string),
    };
    Some((source, file, options))
}

/// Severities by their numbers.
const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Gap, Severity::Warning];

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    /// Nothing that is written here has 4 GiB: sources and what becomes of them have limits.
    fn number(&mut self, number: usize) {
        self.0.extend((number as u32).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend(text.as_bytes());
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        let severity = SEVERITIES.iter().position(|s| *s == diagnostic.severity);
        self.number(severity.unwrap_or_default());
        self.number(diagnostic.span.start as usize);
        self.number(diagnostic.span.end as usize);
        self.text(&diagnostic.message);
        self.number(diagnostic.helps.len());
        for help in &diagnostic.helps {
            self.text(help);
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<&'a str> {
        let bytes = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    /// As many as the number before them says, each read by `one`.
    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let items = self.number()?;
        (0..items).map(|_| one(self)).collect()
    }

    fn diagnostic(&mut self) -> Option<Diagnostic> {
        Some(Diagnostic {
            severity: *SEVERITIES.get(self.number()? as usize)?,
            span: Span {
                start: self.number()?,
                end: self.number()?,
            },
            // Who asks has no files, and so nothing is told of any.
            file: None,
            message: self.text()?.to_string(),
            helps: self.list(|bytes| bytes.text().map(str::to_string))?,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test ends where something is missing")]
mod tests {
    use super::*;

    /// One that compiles with a warning, one that is wrong, one with a gap, and one that is nothing.
    const SOURCES: [&str; 4] = [
        "extern \"C\" __global__ void k(float* x) { int unused = N; if (x[0] = 1) x[1] = 2; }",
        "extern \"C\" __global__ void k(float* x) { x[threadidx.x] = 1; }",
        "#include <cuda/semaphore>\nextern \"C\" __global__ void k() {}",
        "",
    ];

    #[test]
    fn what_is_answered_is_what_the_compiler_says() {
        let options = Options {
            arch: "compute_80".to_string(),
            defines: vec![("N".to_string(), "7".to_string())],
            entry: Some("k".to_string()),
        };
        for source in SOURCES {
            let there = result(&answer(&request(source, "k.cu", &options))).unwrap();
            match (there, compile(source, "k.cu", &options)) {
                (Ok(there), Ok(here)) => {
                    assert_eq!(there.ptx, here.ptx);
                    assert_eq!(there.warnings, here.warnings);
                    assert_eq!(there.list, here.list);
                }
                (Err(there), Err(here)) => {
                    assert_eq!(there.to_string(), here.to_string());
                    assert_eq!(there.list, here.list);
                    assert_eq!(there.is_gap(), here.is_gap());
                }
                other => panic!("{source}: {other:?}"),
            }
        }
        let warned = answer(&request(SOURCES[0], "k.cu", &options));
        assert!(!result(&warned).unwrap().unwrap().list.is_empty());
    }

    #[test]
    fn what_is_cut_off_is_no_request_and_no_answer() {
        let request = request(SOURCES[1], "k.cu", &Options::default());
        let answered = answer(&request);
        for end in 0..request.len() {
            assert_eq!(answer(&request[..end]), [0_u8; 0], "{end}");
        }
        for end in 0..answered.len() {
            assert!(result(&answered[..end]).is_none(), "{end}");
        }
        // A list of 4 G things of which none is there.
        let endless = [&[0; 12][..], &[255; 4][..]].concat();
        assert!(result(&endless).is_none());
    }
}
