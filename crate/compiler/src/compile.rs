//! Compiles a source: what is asked for, what is answered, and the way through the steps. What each step does stands in its own
//! file.

use crate::diagnostics::{self, Diagnostic, Severity, Sink};
use crate::files::{Files, NoFiles};
use crate::snapshot::Inspect;
use crate::source::{Lines, Sources, Span};
use crate::{
    emit, headers, instances, lex, limits, lower, namespaces, optimise, parse, preprocess, syntax,
    target,
};

/// What to compile for.
#[derive(Debug, Clone)]
pub struct Options {
    /// `compute_75`, `sm_90a` and the like.
    pub arch: String,
    /// Macros that are defined before the first line, with their values.
    pub defines: Vec<(String, String)>,
    /// The kernel that is wanted, by its name in PTX: the others are read for their mistakes only. Where there is none of
    /// this name, and without a name, all are compiled.
    pub entry: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            arch: "compute_75".to_string(),
            defines: Vec::new(),
            entry: None,
        }
    }
}

/// A source as PTX.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// PTX, of the lowest version that its instructions need.
    pub ptx: String,
    /// What is probably not meant; the words of each as for errors. Empty where there is nothing.
    pub warnings: String,
    /// The same as data.
    pub list: Vec<Diagnostic>,
}

/// Why a source cannot be compiled.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct Diagnostics {
    /// The messages, warnings too, without those that only follow from others.
    pub list: Vec<Diagnostic>,
    pub(crate) text: String,
}

impl Diagnostics {
    /// Whether the source may be right, and only this compiler does not know what it uses.
    pub fn is_gap(&self) -> bool {
        let mut errors = self
            .list
            .iter()
            .filter(|diagnostic| diagnostic.severity != Severity::Warning);
        errors.all(|diagnostic| diagnostic.severity == Severity::Gap)
    }
}

/// Compiles the kernels of a source. `file` is its name in messages and in the PTX.
///
/// # Errors
/// What is wrong with the source, or is not supported, each with its line.
pub fn compile(source: &str, file: &str, options: &Options) -> Result<Compiled, Diagnostics> {
    compile_with(source, file, options, &NoFiles)
}

/// The same for a source that may include files of its own.
///
/// # Errors
/// As [`compile`], and what is wrong in these files.
pub fn compile_with(
    source: &str,
    file: &str,
    options: &Options,
    files: &dyn Files,
) -> Result<Compiled, Diagnostics> {
    compile_watched(source, file, options, files, None)
}

/// The same, where somebody looks on. A source of which objects were relied on in vain to become registers is optimised again
/// from the beginning, of which [`Inspect::restart`] tells.
///
/// # Errors
/// As [`compile_with`].
pub fn compile_watched(
    source: &str,
    file: &str,
    options: &Options,
    files: &dyn Files,
    watcher: Option<&mut dyn Inspect>,
) -> Result<Compiled, Diagnostics> {
    let mut sink = Sink::default();
    let preprocessed = preprocessed(source, file, options, files, None, &mut sink);
    let sources = std::mem::take(&mut sink.sources);
    let result = preprocessed.and_then(|preprocessed| {
        ptx_of(preprocessed.tokens, &sources, options, &mut sink, watcher)
    });
    let (ptx, warnings, list) = told(result, sink, &sources, source, file)?;
    Ok(Compiled {
        ptx,
        warnings,
        list,
    })
}

/// What was made of a source with what is told of it, as text and as data; nothing but that where one of the messages is an error.
pub(crate) fn told<T>(
    made: diagnostics::Res<T>,
    mut sink: Sink,
    sources: &Sources,
    source: &str,
    file: &str,
) -> Result<(T, String, Vec<Diagnostic>), Diagnostics> {
    sink.drop_consequences(sources.text());
    let failed = sink.has_errors();
    let list = diagnostics::in_their_files(sink.list, sources);
    let text = diagnostics::render(&list, source, file);
    match made {
        Ok(made) if !failed => Ok((made, text, list)),
        _ => Err(Diagnostics { list, text }),
    }
}

/// The tokens of a source and of the files in it, with its directives obeyed.
pub(crate) fn preprocessed(
    source: &str,
    file: &str,
    options: &Options,
    files: &dyn Files,
    has_header: Option<preprocess::HasHeader<'_>>,
    sink: &mut Sink,
) -> diagnostics::Res<preprocess::Preprocessed> {
    let (_, cuda_arch) = target::target(&options.arch, sink)?;
    if source.len() > limits::SOURCE_BYTES {
        return Err(sink.error(
            Span::default(),
            format!("the source has more than {} bytes", limits::SOURCE_BYTES),
        ));
    }
    sink.sources = Sources::new(source, file);
    let given = preprocess::Given {
        defines: &options.defines,
        cuda_arch,
        files,
        has_header,
    };
    let tokens = lex::lex(source, sink);
    preprocess::preprocess(tokens, &given, sink)
}

/// What is told of a source without a kernel: how what it has becomes one.
fn no_kernel(items: &[syntax::Item], sink: &mut Sink) -> diagnostics::Reported {
    let functions = || {
        items.iter().filter_map(|item| match item {
            syntax::Item::Function(function) if !function.span.is_header() => Some(function),
            _ => None,
        })
    };
    let is_of_host = |function: &syntax::Function| {
        matches!(function.runs, syntax::Runs::Host | syntax::Runs::Anywhere)
            && &*function.name != "main"
    };
    let template = functions().find(|function| function.runs == syntax::Runs::Kernel);
    let plain = functions().find(|function| is_of_host(function));
    let (span, help) = match (template, plain) {
        (Some(template), _) => (
            template.span,
            format!(
                "a template becomes a kernel by an instance of it, with types and values of yours: `template __global__ void {}<float>(…);`",
                template.name
            ),
        ),
        (_, Some(plain)) => (
            plain.span,
            format!("if `{}` is to be one, put `extern \"C\" __global__` before it", plain.name),
        ),
        _ => (
            Span::default(),
            "a kernel is a function with `__global__` before it: `extern \"C\" __global__ void name(…)`".to_string(),
        ),
    };
    sink.error_help(span, "there is no kernel in this source", help)
}

/// The tree of a source, with what it uses of the built-in headers.
pub(crate) fn parsed(
    tokens: Vec<lex::Token>,
    options: &Options,
    sink: &mut Sink,
) -> diagnostics::Res<Vec<syntax::Item>> {
    let (_, number) = target::target(&options.arch, sink)?;
    let tokens = namespaces::flatten(&headers::with_library(tokens, number));
    let tokens = instances::with_instances(tokens);
    Ok(parse::parse(&tokens, sink))
}

fn ptx_of(
    tokens: Vec<lex::Token>,
    sources: &Sources,
    options: &Options,
    sink: &mut Sink,
    mut watcher: Option<&mut dyn Inspect>,
) -> diagnostics::Res<String> {
    let (target, _) = target::target(&options.arch, sink)?;
    let items = parsed(tokens, options, sink)?;
    let lines = sources.lines();
    let told = sink.list.len();
    let mut module = lowered(&items, &lines, options, true, sink);
    tell_left_out(&mut module, options, sink);
    if sink.has_errors() {
        return Ok(String::new());
    }
    if module.kernels.is_empty() {
        return Err(no_kernel(&items, sink));
    }
    if !optimised(&mut module, &mut watcher) {
        sink.list.truncate(told);
        module = lowered(&items, &lines, options, false, sink);
        tell_left_out(&mut module, options, sink);
        if let Some(watcher) = &mut watcher {
            watcher.restart();
        }
        optimised(&mut module, &mut watcher);
    }
    Ok(emit::emit(&module, &target, sources))
}

/// The kernel that is wanted, or all. Where `assume_promotion`, objects are relied on to become registers, which `optimised` sees.
fn lowered(
    items: &[syntax::Item],
    lines: &Lines,
    options: &Options,
    assume_promotion: bool,
    sink: &mut Sink,
) -> lower::Module {
    let module = lower::lower(
        items,
        lines,
        options.entry.as_deref(),
        assume_promotion,
        sink,
    );
    let is_nobody = module.kernels.is_empty() && !lacks_wanted(&module, options);
    match options.entry.is_some() && is_nobody && !sink.has_errors() {
        true => lower::lower(items, lines, None, assume_promotion, sink),
        false => module,
    }
}

/// Whether the kernel that is wanted was left out for a gap. Its name in PTX has that of the source in it.
fn lacks_wanted(module: &lower::Module, options: &Options) -> bool {
    let is_it = |name: &str| {
        options
            .entry
            .as_ref()
            .is_some_and(|entry| entry.contains(name))
    };
    module.left_out.iter().any(|(name, _)| is_it(name))
}

/// Tells of the gaps for which kernels were left out: where something is left to compile, in warnings.
fn tell_left_out(module: &mut lower::Module, options: &Options, sink: &mut Sink) {
    let is_refused =
        module.kernels.is_empty() || lacks_wanted(module, options) || sink.has_errors();
    for (name, gap) in std::mem::take(&mut module.left_out) {
        let (severity, message) = match is_refused || gap.severity == Severity::Warning {
            true => (gap.severity, gap.message),
            false => (
                Severity::Warning,
                format!("`{name}` is left out: {}", gap.message),
            ),
        };
        sink.report_with(severity, gap.span, message, gap.helps);
    }
}

fn optimised(module: &mut lower::Module, watcher: &mut Option<&mut dyn Inspect>) -> bool {
    let mut kernels = module.kernels.iter_mut().chain(&mut module.functions);
    kernels.all(|kernel| optimise::optimise(kernel, &module.symbols, watcher))
}
