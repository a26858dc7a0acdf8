//! The workshop's engine: what every kind of answer is told. The exercises are those of the folder `workshop` beside this file.

use crate::{Folder, compiles};
use cornerturn::exercise::{Exercise, Kind, Seed, Terms, Verdict, Workshop};
use cornerturn::{Error, ErrorKind};
use std::path::Path;

fn workshop() -> Workshop {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/workshop");
    Workshop::load_from(&folder).unwrap()
}

fn checked(exercise: &Exercise, source: &str) -> Verdict {
    exercise.check(source).unwrap()
}

fn terms(seed: u64, participant: &str) -> Terms {
    Terms {
        seed: Seed(seed),
        participant: participant.to_string(),
    }
}

#[test]
fn every_variant_is_graded_as_the_list_says() {
    if !compiles("how answers are graded") {
        return;
    }
    for exercise in workshop().exercises() {
        let verdict = checked(exercise, &exercise.solution());
        assert!(verdict.passed, "{verdict}");
        assert!(
            verdict.to_string().contains(exercise.solved.as_str()),
            "{verdict}"
        );
        assert_eq!(verdict.failure_text(), "");
        let starter = checked(exercise, &exercise.starter());
        assert!(
            !starter.passed && starter.failure_text().contains(&exercise.starter_fails),
            "{starter}"
        );
        for wrong in &exercise.wrong {
            let verdict = checked(exercise, &exercise.variant(&wrong.id).unwrap());
            assert!(
                !verdict.passed && verdict.failure_text().contains(&wrong.fails),
                "{verdict}"
            );
            // The verdict of a wrong answer never shows what is right.
            for line in exercise
                .solution()
                .lines()
                .filter(|line| !exercise.starter().contains(*line))
            {
                let own = exercise.variant(&wrong.id).unwrap();
                assert!(
                    own.contains(line.trim()) || !verdict.to_string().contains(line.trim()),
                    "{verdict}"
                );
            }
        }
        assert_eq!(exercise.variant("nobody"), None);
    }
}

const HEAD: &str = "extern \"C\" __global__ void copy(const float* __restrict__ in, float* __restrict__ out,\n\
    unsigned rows, unsigned columns)\n{\n\
    const size_t c = size_t(blockIdx.x) * 32 + threadIdx.x, r = size_t(blockIdx.y) * 8 + threadIdx.y;\n";

#[test]
fn each_mistake_has_its_own_words() {
    if !compiles("what mistakes are told") {
        return;
    }
    let workshop = workshop();
    let copy = workshop.get("copy").unwrap();
    let inside = "if (r < rows && c < columns)";
    let bodies = [
        ("out[0] = in[0]", "copy.cu(6): error"),
        // One warp alone: of many that run at once, all together may use up the launch's budget first.
        (
            "if (blockIdx.x + blockIdx.y + threadIdx.y == 0) for (;;) if (in[0] == 0.0f) out[0] = 1;",
            "endless loop: ",
        ),
        (
            "__shared__ volatile float s[64]; for (;;) { s[threadIdx.x] = 1; __syncthreads(); }",
            "endless loop",
        ),
        (
            "out[r * columns + c] = in[r * columns + c];",
            "out of bounds",
        ),
        (
            "if (r < rows && c < columns) out[0] = in[r * columns + c];",
            "race",
        ),
        (
            "if (r < rows && c < columns) { out[r * columns + c] = in[r * columns + c];\n\
          ((float*)in)[r * columns + c] = 1; }",
            "the kernel wrote to `in`: row 0, column 0",
        ),
        ("__trap();", "executed `trap`"),
        ("asm(\"add.f32 %f9999, 1;\");", "PTX line"),
        (
            "__shared__ float s[20000]; s[threadIdx.x] = in[0]; __syncthreads(); out[0] = s[0];",
            "the most is 49152",
        ),
    ];
    for (body, words) in bodies {
        let verdict = checked(copy, &format!("{HEAD}{body}\n}}\n"));
        assert!(
            !verdict.passed && verdict.failure_text().contains(words),
            "{words}: {verdict}"
        );
    }
    let shown = format!(
        "{HEAD}if (rows == 96 && columns == 160) {inside} out[r * columns + c] = in[r * columns + c]; }}"
    );
    let verdict = checked(copy, &shown);
    assert!(
        verdict
            .failure_text()
            .contains("the result is right on 33×31"),
        "{verdict}"
    );
    let heads = [
        ("", "there is no entry `copy`"),
        (
            "__global__ void copy(const float* in, float* out, unsigned r, unsigned c) {}",
            // Its name is found without `extern "C"`, whatever the compiler made of it.
            "It was never written",
        ),
        (
            "extern \"C\" __global__ void kopy(float* a) {}",
            "there are: `kopy`",
        ),
        (
            "extern \"C\" __global__ void copy(float* a) {}",
            "it takes 1 parameters, and 4 are passed",
        ),
        (
            "extern \"C\" __global__ void copy(double* a, float* b, int c, int d) {}",
            "parameter 1 (`a`) points to f64",
        ),
        (
            "extern \"C\" __global__ void copy(float* a, float b, int c, int d) {}",
            "parameter 2 (`b`) is no pointer",
        ),
        (
            "extern \"C\" __global__ void copy(float* a, float* b, float c, int d) {}",
            "parameter 3 (`c`) is no integer",
        ),
        ("a\0b", "NUL"),
    ];
    for (source, words) in heads {
        let verdict = checked(copy, source);
        assert!(
            !verdict.passed && verdict.failure_text().contains(words),
            "{words}: {verdict}"
        );
    }
}

#[test]
fn an_instruction_that_the_emulator_lacks_is_no_fault_of_the_participant() {
    if !compiles("an unknown instruction in an answer") {
        return;
    }
    let workshop = workshop();
    let source = format!("{HEAD}asm volatile(\"tcgen05.fence::before_thread_sync;\"); }}");
    let error = workshop.get("copy").unwrap().check(&source).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

#[test]
fn a_missed_bound_shows_line_lanes_and_banks() {
    if !compiles("what a missed bound shows") {
        return;
    }
    let workshop = workshop();
    let padding = workshop.get("padding").unwrap();
    let under = |seed| {
        let verdict = padding.check_under(&terms(seed, ""), &padding.starter());
        verdict.unwrap()
    };
    let verdict = under(7);
    let text = verdict.to_string();
    for words in [
        "✓ the result is right on 96×160",
        "at most 1 shared load wavefront per shared load instruction, but 32 were counted on ",
        "; a column of the tile must not lie in one bank",
        "what the kernel was given was drawn from seed 7; `cornerturn exercise check padding --seed 7` draws it again",
        "tile[threadIdx.x][threadIdx.y + j];",
        "bank  0: lanes 0–31 want 32 different words of it",
        "cornerturn exercise hint padding",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let picture = verdict.picture.as_ref().unwrap();
    assert!(picture.svg.contains("<svg"));
    let html = verdict.to_html();
    assert!(
        html.contains("ct-starter") && html.contains("<svg"),
        "{html}"
    );
    // The same text twice, since grading is the same everywhere; other matrices from another seed.
    assert_eq!(under(7).to_string(), text);
    assert_ne!(under(8).failure_text(), verdict.failure_text());
}

#[test]
fn numbers_are_graded_from_a_cell_too() {
    if !compiles("how numbers are graded") {
        return;
    }
    let workshop = workshop();
    let strided = workshop.get("strided").unwrap();
    assert!(
        strided
            .answer(&[("stride_2", 8.0), ("stride_8", 32.0)])
            .unwrap()
            .passed
    );
    for (answers, words) in [
        (vec![("stride_2", 8.0)], "`stride_8` is not answered"),
        (
            vec![("stride_2", 8.0), ("stride_9", 1.0)],
            "no question is called `stride_9`",
        ),
        (
            vec![("stride_2", f64::NAN), ("stride_8", 32.0)],
            "that is not what was counted",
        ),
        (
            vec![("stride_2", 4.0), ("stride_8", 32.0)],
            "you answered 4, and that is not what was counted",
        ),
    ] {
        let verdict = strided.answer(&answers).unwrap();
        assert!(
            !verdict.passed && verdict.failure_text().contains(words),
            "{words}: {verdict}"
        );
    }
    let error = workshop.get("copy").unwrap().answer(&[]).unwrap_err();
    assert!(error.to_string().contains("asks for a kernel"), "{error}");
    for (source, words) in [
        (
            "// ANSWER stride_2: 8\n// ANSWER stride_2: 8\n",
            "strided.cu:2: `stride_2` is answered on line 1 already",
        ),
        ("// ANSWER stride_2: 8\n", "no line `// ANSWER stride_8: …`"),
        (
            "// ANSWER strid: 8\n",
            "strided.cu:1: no question is called `strid`",
        ),
    ] {
        let verdict = checked(strided, source);
        assert!(verdict.failure_text().contains(words), "{words}: {verdict}");
    }
}

#[test]
fn a_wrong_prediction_is_not_answered_with_the_number() {
    let workshop = Workshop::load().unwrap();
    let exercises = workshop.exercises().iter();
    for exercise in exercises.filter(|exercise| exercise.kind == Kind::Predict) {
        let terms = terms(1, "ada");
        let right = exercise.solution_under(&terms).unwrap();
        assert!(
            exercise.check_under(&terms, &right).unwrap().passed,
            "{}",
            exercise.id
        );
        let lines = right
            .lines()
            .filter_map(|line| line.strip_prefix("// ANSWER "));
        let numbers: Vec<(&str, f64)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, number)| (name, number.parse().unwrap()))
            .collect();
        for wrong in 0..numbers.len() {
            let mut given = numbers.clone();
            given[wrong].1 += 1.0;
            let mut verdict = exercise.answer_under(&terms, &given).unwrap();
            // A measured number need not be given to the last digit.
            if verdict.failure().is_none() {
                given[wrong].1 *= 2.0;
                verdict = exercise.answer_under(&terms, &given).unwrap();
            }
            let (_, reason) = verdict.failure().unwrap();
            let numbers = reason
                .matches(|c: char| c.is_ascii_digit())
                .collect::<String>();
            let said: String = format!("{}", given[wrong].1);
            let said = &said[..said.len().min(3)];
            assert!(reason.contains(said) && numbers.len() <= 12, "{reason}");
            assert!(
                verdict.picture.is_none() && verdict.sketch.is_empty(),
                "{verdict}"
            );
        }
    }
}

#[test]
fn a_neighbours_predictions_seldom_serve() {
    let workshop = Workshop::load().unwrap();
    let names = ["ada", "ben", "cleo", "dora", "emil", "fay", "gus", "hal"];
    let exercises = workshop.exercises().iter();
    for exercise in exercises.filter(|exercise| exercise.kind == Kind::Predict) {
        let solution = exercise.solution_under(&terms(1, names[0])).unwrap();
        let passes = |name: &&&str| {
            exercise
                .check_under(&terms(1, name), &solution)
                .unwrap()
                .passed
        };
        let passing = names[1..].iter().filter(passes).count();
        assert!(passing < names.len() - 1, "`{}`: {passing}", exercise.id);
        let told = exercise.starter_for(names[0]);
        assert!(
            told.contains("// ANSWER") && !told.contains("{rows}"),
            "{told}"
        );
    }
}

#[test]
fn what_is_graded_by_counters_asks_for_all_that_must_be_read() {
    let workshop = Workshop::load().unwrap();
    for exercise in workshop
        .exercises()
        .iter()
        .filter(|exercise| !exercise.bounds.is_empty())
    {
        let reads = exercise.bounds.iter().any(|bound| {
            ["global_load_sectors", "global_sectors"].contains(&bound.counter.as_str())
                && bound.per.as_deref() == Some("sectors_needed")
                && (bound.equals == Some(1.0) || bound.at_least == Some(1.0))
        });
        // Bulk copies are asked for the bytes of each element.
        let copies = exercise.bounds.iter().any(|bound| {
            bound.counter == "bulk_load_bytes"
                && bound.per.as_deref() == Some("elements")
                && bound.equals.is_some()
        });
        // A product is asked for its panels, or for every multiply-add of what it reads.
        let multiplies = exercise.bounds.iter().any(|bound| {
            let is_asked = bound.equals.is_some() || bound.at_least.is_some();
            is_asked
                && matches!(
                    bound.per.as_deref(),
                    Some("panel_sectors" | "multiply_adds")
                )
        });
        let reads = reads || copies || multiplies;
        assert!(reads, "`{}` can be passed without reading", exercise.id);
    }
}

#[test]
fn a_work_on_arrays_is_graded_as_one_on_a_matrix() {
    if !compiles("how works on arrays are graded") {
        return;
    }
    let workshop = Workshop::load().unwrap();
    let exercise = workshop.get("four_loads").unwrap();
    let parameters = "const unsigned* x, unsigned* y, unsigned items, unsigned add";
    assert_eq!(exercise.parameters(), parameters);
    let verdict = |body: &str, parameters: &str| {
        let source = format!("extern \"C\" __global__ void four_loads({parameters})\n{{{body}}}\n");
        exercise.check_under(&terms(3, ""), &source).unwrap()
    };
    let i = "const size_t i = size_t(blockIdx.x) * 1024 + threadIdx.x;";
    for (body, parameters, words) in [
        ("", "unsigned* x", "it takes 1 parameters, and 4 are passed"),
        (
            "",
            "const float* x, unsigned* y, unsigned n, unsigned a",
            "points to f32, and what is passed is of u32",
        ),
        (
            "",
            "unsigned* x, unsigned* y, float n, unsigned a",
            "parameter 3 (`n`) is no integer",
        ),
        ("", parameters, "`y`[0] should be"),
        (
            "if (blockIdx.x + threadIdx.x == 0) ((unsigned*)x)[3] = 1;",
            parameters,
            "The kernel must not change this array",
        ),
        ("y[threadIdx.x] = blockIdx.x;", parameters, "race"),
        (
            "for (;;) if (add == 0) y[0] = 1;",
            parameters,
            "endless loop",
        ),
        (
            "__shared__ unsigned s[4]; if (threadIdx.x == 0 && blockIdx.x == 0) y[0] = 3 * x[0] + s[add & 3];",
            parameters,
            "on 5000 items (`add` 7)",
        ),
    ] {
        let verdict = verdict(&format!("{i}{body}"), parameters);
        assert!(
            !verdict.passed && verdict.to_string().contains(words),
            "{words}: {verdict}"
        );
    }
    let verdict = exercise
        .check_under(&terms(3, ""), &exercise.solution())
        .unwrap();
    let text = verdict.to_string();
    assert!(
        verdict.passed && text.contains("other sizes, most of them drawn"),
        "{text}"
    );
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let workshop = workshop();
    let told = |id: &str| workshop.get(id).unwrap_err().to_string();
    assert!(told("pading").contains("did you mean `padding`?"));
    assert!(told("PADDING").contains("did you mean `padding`?"));
    assert!(!told("zzzzzz").contains("did you mean"));
}

#[test]
fn a_malformed_workshop_is_told_with_its_place() {
    let good = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/workshop/exercises.toml"),
    )
    .unwrap();
    let entry = good.split("\n[[exercise]]\n").nth(1).unwrap();
    let folder = Folder::new("workshop");
    let load = |list: &str, source: &str| {
        folder.write("exercises.toml", list);
        folder.write("copy.cu", source);
        Workshop::load_from(&folder.0).map(drop)
    };
    let list = format!("\n[[exercise]]\n{entry}");
    let parts = "//@ starter\n//@ solution\n//@ columns\n//@ no_guard\n//@ pitch\n//@ end\n";
    load(&list, parts).unwrap();
    let changes = [
        ("hints = [", "hints = [\"more\",", "4 hints"),
        ("minutes = 6", "minutes = \"six\"", "line"),
        ("block = [32, 8]", "block = [32, 64]", "1024 threads"),
        ("tile = [32, 8]", "tile = [0, 8]", "must not be 0"),
        ("[1, 1]", "[0, 1]", "0×1"),
        ("at_most = 1.0", "at_mots = 1.0", "at_mots"),
        (
            "per = \"sectors_needed\"",
            "per = \"sectors\"",
            "nothing counts `sectors`",
        ),
        (
            "id = \"pitch\"",
            "id = \"no_guard\"",
            "`no_guard` is there twice",
        ),
        ("work = \"copy\"", "work = \"row_sum\"", "u32"),
        ("work = \"copy\"", "work = \"cpoy\"", "no such work"),
        ("work = \"copy\"", "work = \"affine\"", "[items, 1]"),
    ];
    for (from, to, words) in changes {
        let error = load(&list.replacen(from, to, 1), parts).unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    // The same as a pipeline, whose file has another name.
    folder.write("copy.streams", parts);
    let without_bounds = list.split("[[exercise.bound]]").next().unwrap();
    let wrong = list.find("[[exercise.wrong]]").unwrap();
    let kind = ["fix", "write"].map(|kind| format!("kind = \"{kind}\""));
    let list_of_pipeline = kind.iter().fold(without_bounds.to_string(), |list, kind| {
        list.replacen(kind, "kind = \"pipeline\"", 1)
    });
    let rest = &list[wrong..];
    for (table, words) in [
        ("", "nothing in [exercise.pipeline]"),
        (
            "places = 0\nmore_steps = 2\nbecause = \"so\"",
            "1 to 64 places",
        ),
        (
            "places = 3\nmore_steps = 2\nbecause = \" \"",
            "says because",
        ),
        (
            "places = 3\nmore_steps = 2\nbecause = \"so\"",
            "parts, of 1 to 4096 numbers",
        ),
    ] {
        let head = if table.is_empty() {
            ""
        } else {
            "[exercise.pipeline]\n"
        };
        let list = format!("{list_of_pipeline}{head}{table}\n\n{rest}");
        let error = load(&list, parts).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let error = load(&list, &parts.replace("//@ pitch\n", ""))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("copy.cu: line 5") && error.contains("`pitch`"),
        "{error}"
    );
    let error = load(&format!("{list}{list}"), parts)
        .unwrap_err()
        .to_string();
    assert!(error.contains("used twice"), "{error}");
}
