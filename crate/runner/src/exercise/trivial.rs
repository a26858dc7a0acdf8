//! Answers that no exercise may let through, made for each of them: nothing, a constant, the solution on one matrix, what is known of the input, data by atomics. Those that are written for one exercise are in its folder of cheats.

use cornerturn::ElementType;
use cornerturn::exercise::{Exercise, Kind, MatrixWork, Work, Workshop};

/// The matrix on which bounds were once counted, and which many a kernel was written for.
const FORMER: [usize; 2] = [256, 384];

/// What such an answer does, and its source.
pub type Answer = (String, String);

/// All of them for an exercise.
pub fn answers(workshop: &Workshop, exercise: &Exercise) -> Vec<Answer> {
    if exercise.kind == Kind::Predict {
        let lines = exercise
            .answers
            .iter()
            .map(|answer| format!("// ANSWER {}: 0.5\n", answer.name));
        let what = "a file that answers 0.5 throughout".to_string();
        return vec![(what, lines.collect())];
    }
    if exercise.kind == Kind::Pipeline {
        return pipelines(workshop, exercise);
    }
    let mut answers = vec![
        ("nothing at all".to_string(), String::new()),
        kernel(exercise, "an empty kernel", ""),
        constant(exercise),
        (
            "a kernel that is right on the shown shape only".to_string(),
            on_shown(exercise),
        ),
    ];
    let others = workshop.exercises().iter();
    let other = others
        .filter(|other| other.kind.asks_for_kernel() && other.work != exercise.work)
        .min_by_key(|other| other.element != exercise.element);
    if let Some(other) = other {
        let (name, entry) = (&other.entry, &exercise.entry);
        let source = format!("#define {name} {entry}\n{}", other.solution());
        answers.push((format!("the solution of `{}`", other.id), source));
    }
    let Work::Matrix(work) = exercise.work else {
        return answers;
    };
    if !exercise.bounds.is_empty() {
        answers.push((
            "a kernel that is good on the former counted shape only".to_string(),
            on_one_shape(exercise, FORMER, &exercise.starter()),
        ));
    }
    if work.operation().is_some() && !exercise.in_place {
        answers.push(former_input(exercise));
        if !exercise.bounds.is_empty() {
            answers.push(zeros_then_atomics(exercise));
            answers.push(read_by_atomics(exercise));
        }
    }
    answers
}

/// Those for an exercise that asks for a pipeline.
fn pipelines(workshop: &Workshop, exercise: &Exercise) -> Vec<Answer> {
    let others = workshop.exercises().iter();
    let mut kernels = others.filter(|other| other.kind.asks_for_kernel());
    let kernel = kernels.next().map_or(String::new(), Exercise::solution);
    let without = |word: &str| {
        let solution = exercise.solution();
        let lines = solution.lines().filter(|line| !line.contains(word));
        lines.fold(String::new(), |text, line| text + line + "\n")
    };
    let mut answers = vec![
        ("nothing at all".to_string(), String::new()),
        ("a kernel".to_string(), kernel),
    ];
    for word in [
        ".write(", ".launch(", ".read(", ".record(", ".wait(", "streams",
    ] {
        let what = format!("the solution without the lines that have `{word}`");
        answers.push((what, without(word)));
    }
    answers
}

/// A kernel of the exercise's name and parameters with this body; `t` is the number of a thread, `n` how many there are.
fn kernel(exercise: &Exercise, what: &str, body: &str) -> Answer {
    let (entry, parameters) = (&exercise.entry, exercise.parameters());
    let all = match exercise.work {
        Work::Matrix(_) => "size_t(rows) * columns",
        Work::Product(_) => "size_t(m) * n",
        Work::Arrays(_) => "items",
    };
    let source = format!(
        "extern \"C\" __global__ void {entry}({parameters})\n{{\n    \
         const size_t threads = blockDim.x * blockDim.y;\n    \
         const size_t t = (size_t(blockIdx.y) * gridDim.x + blockIdx.x) * threads + threadIdx.y * blockDim.x + threadIdx.x;\n    \
         const size_t n = size_t(gridDim.x) * gridDim.y * threads;\n    \
         const size_t all = {all};\n{body}}}\n"
    );
    (what.to_string(), source)
}

fn constant(exercise: &Exercise) -> Answer {
    let elements = match exercise.work {
        Work::Matrix(MatrixWork::Copy | MatrixWork::Transpose) | Work::Product(_) => "all",
        Work::Matrix(MatrixWork::Histogram) => "256",
        Work::Matrix(MatrixWork::ColumnSum) => "columns",
        Work::Matrix(MatrixWork::RowSum) => "rows",
        // Some have no more.
        Work::Arrays(_) => "1",
    };
    let parameters = exercise.parameters();
    let written = parameters
        .split(", ")
        .find(|text| !text.starts_with("const "));
    let out = written
        .and_then(|text| text.rsplit(' ').next())
        .unwrap_or("out");
    kernel(
        exercise,
        "a kernel that writes a constant",
        &format!("    if (t < {elements})\n        {out}[t] = 1;\n"),
    )
}

/// Where output element `o` comes from.
fn source_of(exercise: &Exercise) -> &'static str {
    match exercise.work {
        Work::Matrix(MatrixWork::Transpose) => "o % rows * columns + o / rows",
        _ => "o",
    }
}

/// Writes what the input of an element's index once was, and reads nothing.
fn former_input(exercise: &Exercise) -> Answer {
    let from = source_of(exercise);
    let value = match exercise.element {
        ElementType::F64 => {
            "__longlong_as_double(0x2000000000000000 + (from * 0x9E3779B97F4A7C15ull & 0x3FFFFFFFFFFFFFFFull))"
        }
        _ => "__uint_as_float(0x20000000u + (unsigned(from) * 0x9E3779B1u & 0x3FFFFFFFu))",
    };
    kernel(
        exercise,
        "a kernel that writes the former input without reading",
        &format!(
            "    for (size_t o = t; o < all; o += n) {{\n        const size_t from = {from};\n        \
             out[o] = {value};\n    }}\n"
        ),
    )
}

/// The integer of an element's size, on which there are all atomics.
fn word(exercise: &Exercise) -> &'static str {
    match exercise.element {
        ElementType::F64 => "unsigned long long",
        _ => "unsigned",
    }
}

/// Stores zeros side by side, which the counters see, then scatters the elements by atomics.
fn zeros_then_atomics(exercise: &Exercise) -> Answer {
    let word = word(exercise);
    let to = match exercise.work {
        Work::Matrix(MatrixWork::Transpose) => "i % columns * rows + i / columns",
        _ => "i",
    };
    kernel(
        exercise,
        "a kernel that stores zeros and scatters the elements by atomics",
        &format!(
            "    for (size_t i = t; i < all; i += n)\n        out[i] = 0;\n    __threadfence();\n    __syncthreads();\n    \
             for (size_t i = t; i < all; i += n)\n        \
             atomicExch(reinterpret_cast<{word}*>(out) + ({to}), reinterpret_cast<const {word}*>(in)[i]);\n"
        ),
    )
}

/// Reads by atomics that change nothing, and stores side by side.
fn read_by_atomics(exercise: &Exercise) -> Answer {
    let (word, from) = (word(exercise), source_of(exercise));
    kernel(
        exercise,
        "a kernel that reads by atomics",
        &format!(
            "    for (size_t o = t; o < all; o += n)\n        reinterpret_cast<{word}*>(out)[o] =\n            \
             atomicOr(const_cast<{word}*>(reinterpret_cast<const {word}*>(in)) + ({from}), {word}(0));\n"
        ),
    )
}

/// The solution on the shown matrix or product, or on as many items, and nothing on others.
fn on_shown(exercise: &Exercise) -> String {
    let is_shown = match (exercise.work, &exercise.product) {
        (Work::Matrix(_), _) => return on_one_shape(exercise, exercise.shown, ""),
        (_, Some(sizes)) => {
            let [m, n, k] = sizes.shown;
            format!("m == {m} && n == {n} && k == {k}")
        }
        (_, None) => format!("items == {}", exercise.shown[0]),
    };
    let (entry, parameters) = (&exercise.entry, exercise.parameters());
    let names: Vec<&str> = parameters
        .split(", ")
        .filter_map(|parameter| parameter.rsplit(' ').next())
        .collect();
    format!(
        "namespace of_whole {{\n#define {entry} whole\n{}\n#undef {entry}\n}}\n\
         extern \"C\" __global__ void {entry}({parameters})\n{{\n    if ({is_shown})\n        of_whole::whole({});\n}}\n",
        exercise
            .solution()
            .replace("extern \"C\" __global__", "__device__"),
        names.join(", "),
    )
}

/// The solution for one shape, and another kernel, or nothing, for the others.
fn on_one_shape(exercise: &Exercise, [rows, columns]: [usize; 2], otherwise: &str) -> String {
    let (entry, parameters) = (&exercise.entry, exercise.parameters());
    let function = |name: &str, source: &str| {
        let source = source.replace("__global__", "__device__");
        format!("namespace of_{name} {{\n#define {entry} {name}\n{source}\n#undef {entry}\n}}\n")
    };
    let rest = match otherwise {
        "" => format!("extern \"C\" __global__ void {entry}({parameters}) {{}}\n"),
        source => source.to_string(),
    };
    // The sources' own pointers may be to wider elements.
    format!(
        "template <class I, class O>\n\
         __device__ void call(void (*f)(const I*, O*, unsigned, unsigned), const void* in, void* out, unsigned r, unsigned c)\n\
         {{\n    f(static_cast<const I*>(in), static_cast<O*>(out), r, c);\n}}\n\
         {}{}\
         extern \"C\" __global__ void {entry}({parameters})\n{{\n    \
         if (rows == {rows} && columns == {columns})\n        call(of_whole::whole, in, out, rows, columns);\n    \
         else\n        call(of_rest::rest, in, out, rows, columns);\n}}\n",
        function("whole", &exercise.solution()),
        function("rest", &rest),
    )
}
