//! Every function, asked of the committed records.

use super::Values;
use cornerturn_preprocessor::values::Source;

fn ask(call: &str) -> Result<f64, String> {
    let (name, rest) = call.split_once('(').unwrap();
    let words: Vec<&str> = rest
        .trim_end_matches(')')
        .split(',')
        .map(str::trim)
        .collect();
    let words = if words == [""] { Vec::new() } else { words };
    let answer = Values::default().call(name, &words).expect(call);
    answer.map_err(|error| error.to_string())
}

fn told(call: &str) -> f64 {
    ask(call).unwrap()
}

#[test]
fn rates_are_those_of_the_medians() {
    let record = cornerturn::Record::load("h200", "transpose").unwrap();
    let padded = record.measurement("padded", 4096, 4096).unwrap();
    assert_eq!(told("gbps(padded, 4096)"), padded.gb_per_s().0);
    assert_eq!(
        told("gbps(padded, 4096x4096, f32, h200)"),
        padded.gb_per_s().0
    );
    assert_eq!(told("us(padded, 4096)"), padded.median_us());
    let copy = record.copy(4096, 4096).unwrap().gb_per_s().0;
    assert_eq!(told("copy(padded, 4096)"), copy);
    assert_eq!(told("gbps(driver_copy, 4096)"), copy);
    assert_eq!(told("share(padded, 4096)"), padded.gb_per_s().0 / copy);
    assert!(told("q1(padded, 4096)") <= told("gbps(padded, 4096)"));
    assert!(told("gbps(padded, 4096)") <= told("q3(padded, 4096)"));
    assert!(told("q1(padded, 4096)") < told("q3(padded, 4096)"));
}

#[test]
fn what_has_several_elements_is_asked_for_by_one() {
    assert_ne!(
        told("gbps(driver_copy, 4096, f64)"),
        told("gbps(driver_copy, 4096)")
    );
    assert_ne!(
        told("gbps(cublas_geam, 4096, f64)"),
        told("gbps(cublas_geam, 4096)")
    );
    assert_eq!(
        told("copy(f64_padded, 4096)"),
        told("gbps(driver_copy, 4096, f64)")
    );
    assert!(told("gbps(batched, 4096x60x68)") > 0.0);
}

#[test]
fn kernels_are_apart_if_their_quartiles_are() {
    assert_eq!(told("apart(naive_read, padded, 4096)"), 1.0);
    assert_eq!(told("apart(padded, naive_read, 4096)"), 1.0);
    assert_eq!(told("apart(padded, padded, 4096)"), 0.0);
}

#[test]
fn the_best_is_no_slower_than_any() {
    assert!(told("best(16384)") >= told("gbps(limit, 16384)"));
    assert!(told("best(4096, f64)") >= told("gbps(f64_padded, 4096)"));
    assert!(told("best(4096x60x68)") >= told("gbps(batched, 4096x60x68)"));
}

#[test]
fn the_driver_and_the_datasheet_are_quoted() {
    assert_eq!(told("peak()"), 4800.0);
    assert_eq!(told("multiprocessors(h200)"), 132.0);
    assert_eq!(told("l2_bytes()"), 62_914_560.0);
    assert_eq!(told("shared_bytes(padded, 4096)"), 32.0 * 33.0 * 4.0);
    assert!(told("registers(padded, 4096)") >= 8.0);
    assert!((1.0..=32.0).contains(&told("blocks(padded, 4096)")));
}

#[test]
fn counts_come_from_the_emulator() {
    // A warp of 32 floats side by side: 4 sectors a request, 256 × 256 / 32 requests.
    assert_eq!(told("count(padded, global_load_requests, 256)"), 2048.0);
    assert_eq!(told("count(padded, global_load_sectors, 256)"), 8192.0);
    assert_eq!(told("count(tiled, global_load_sectors, 128x512)"), 8192.0);
    assert_eq!(told("count(padded, shared_load_bank_conflicts, 256)"), 0.0);
}

#[test]
fn the_search_is_quoted() {
    let tuning = cornerturn::Tuning::load("h200").unwrap();
    let found = tuning
        .search(cornerturn::ElementType::F32, 4096, 4096)
        .unwrap();
    assert_eq!(told("tuned(4096)"), found.best().unwrap().rate().unwrap());
    assert_eq!(
        told("tune_copy(4096)"),
        found.search.reference_rate().unwrap()
    );
    let all = told("tune_variants(4096)");
    assert!((2.0..all).contains(&told("tune_finalists(4096)")));
    for factor in ["order", "tile", "loads", "hints"] {
        let span = told(&format!("tune_span(4096, {factor})"));
        assert!((0.0..1.0).contains(&span), "{factor}: {span}");
    }
    let share = told("tune_share(4096, 64x64, 4, along_out, keep)");
    let worst = told("tune_share(4096, 64x64, 4, squares_32, keep)");
    assert!(share > worst && share - worst <= told("tune_span(4096, order)") + 1e-9);
}

#[test]
fn the_smaller_records_are_quoted() {
    assert!(told("exercise(every_shape)") > told("exercise(swapped)"));
    let share = told("exercise_share(every_shape)");
    assert!((0.5..1.2).contains(&share), "{share}");
    assert!(told("pytorch(torch_contiguous, 4096)") < told("pytorch(driver_copy, 4096)"));
    // A sector of 32 bytes for each eight floats of the matrix.
    let read = told("dram(limit, read, 16384)");
    assert!((read - 33.554432).abs() < 0.05, "{read}");
    let idle = told("dram(naive_write, idle, 32768)");
    assert!((8.0..9.0).contains(&idle), "{idle}");
    let (loads, stores) = (told("waits(loads)"), told("waits(stores)"));
    assert!(
        (0.05..1.0).contains(&loads) && (0.05..1.0).contains(&stores),
        "{loads} {stores}"
    );
}

#[test]
fn registers_and_what_they_have_no_room_for_are_quoted() {
    assert_eq!(told("rate_registers(held_48)"), 48.0);
    assert_eq!(told("rate_local(own_local_32)"), 128.0);
    assert_eq!(told("rate_blocks(held)"), 4.0);
    // As in the PTX where kernels.toml explains nothing, else as it says.
    assert_eq!(told("machine_local(own_local_32, loads)"), 1.0);
    assert_eq!(told("machine_local(own_local_32, stores)"), 8.0);
    assert_eq!(told("machine_local(own_local_8, loads)"), 0.0);
    assert_eq!(told("machine_local(own_lanes_8, loads)"), 0.0);
    assert!(told("machine_local(held_24, stores)") > told("machine_local(held_48, stores)"));
}

#[test]
fn what_has_no_answer_is_told_with_what_is_known() {
    for (call, expected) in [
        (
            "machine_local(held, both)",
            "`both` is none; there are loads and stores",
        ),
        ("machine_local(padded, loads)", "padded"),
        ("gbps(paded, 4096)", "nothing called `paded`; it has "),
        (
            "gbps(padded, 4000)",
            "no `padded` at 4000×4000 of f32, cold; it has 1000×30000 of f32, cold, 16384×16384 of f32",
        ),
        (
            "gbps(padded)",
            "1 arguments are too few: write `gbps(KERNEL, SHAPE[, ELEMENT][, DEVICE])`",
        ),
        ("gbps(padded, big)", "`big` is no shape"),
        (
            "gbps(padded, 4096, v100)",
            "neither an element type nor a folder of book/results, which has h200",
        ),
        ("gbps(padded, 4096, f32, h200, x)", "one argument too many"),
        ("peak(f32)", "`f32` is no device"),
        (
            "registers(driver_copy, 4096)",
            "does not tell the registers of `driver_copy`",
        ),
        (
            "count(padded, sectors, 256)",
            "nothing is counted as `sectors`; there are global_load_requests, ",
        ),
        ("count(paded, global_load_sectors, 256)", "paded"),
        (
            "count(padded, global_load_sectors, 256, h200)",
            "one argument too many",
        ),
        ("tuned(1234)", "no search of 1234×1234 f32"),
        ("tune_span(4096, colour)", "`colour` is no factor"),
        (
            "exercise(nothing)",
            "no exercise `nothing` was recorded; there are ",
        ),
        (
            "cold(padded, tepid, 4096)",
            "`tepid` is no method; there are cold, clean, unreset, rotated, warm",
        ),
        ("dram(limit, colour, 16384)", "`colour` is no column"),
        (
            "dram(limit, read, 17)",
            "there is no report of `limit` given 17x17; there are naive_read:4096x4096, ",
        ),
    ] {
        let error = ask(call).expect_err(call);
        assert!(error.contains(expected), "{call}: {error}");
        assert!(error.starts_with(call), "{error}");
    }
    assert!(Values::default().call("speed", &[]).is_none());
}

#[test]
fn every_function_has_a_name_of_its_own() {
    let mut names: Vec<String> = Values::default().signatures();
    names
        .iter_mut()
        .for_each(|signature| signature.truncate(signature.find('(').unwrap()));
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn the_facts_of_a_machine_are_quoted() {
    let machine = cornerturn::MachineFacts::load("h200").unwrap();
    for fact in cornerturn::machine_facts::FACTS {
        let value = told(&format!("fact({})", fact.name));
        assert!(value.is_finite() && value > 0.0, "{}: {value}", fact.name);
    }
    // Each memory is farther than the one before.
    let steps = ["shared_cycles", "l1_cycles", "l2_cycles", "dram_cycles"];
    let steps: Vec<f64> = steps
        .iter()
        .map(|name| machine.fact(name).unwrap())
        .collect();
    assert!(steps.is_sorted() && steps[0] > 10.0, "{steps:?}");
    assert_eq!(
        told("chased(chase_l2, 8192)"),
        machine.fact("l2_cycles").unwrap()
    );
    assert!(told("chased_ns(chase_l2, 8192)") > told("fact(shared_ns)"));
    assert!(told("resident(in_flight_1, 64, h200)") > told("resident(in_flight_1, 8)"));
    assert!(told("blocked(one_each, 256)") > told("blocked(one_each, 32)"));
    assert_eq!(told("proposed_threads(one_each)") % 32.0, 0.0);
    for (call, expected) in [
        (
            "fact(l3_cycles)",
            "no fact of a machine is called `l3_cycles`; there are clock_mhz, ",
        ),
        (
            "chased(chase_l2, 5)",
            "walked no ring of 5 slots; there are 8192, ",
        ),
        ("chased(chase_l2, x)", "`x` is no whole number"),
        (
            "resident(in_flight_1, 3)",
            "no rate of `in_flight_1` with 3 resident warps; it has 1, 2, ",
        ),
        ("proposed_threads(walk)", "measured nothing of the machine"),
    ] {
        let error = ask(call).unwrap_err();
        assert!(error.contains(expected), "{call}: {error}");
    }
}

#[test]
fn products_are_counted_and_those_not_measured_are_told() {
    // Each warp of a tile of 32 × 32 stores one row of it, of four sectors.
    let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
    assert_eq!(
        told(&format!("product_count(sgemm_tiled, {sectors}, 64x96x32)")),
        64.0 * 96.0 / 8.0
    );
    // Of each pair of tiles 2 · 32 · 32 floats are asked for, for 32 · 32 · 32 products; and C is stored.
    let operations = 2.0 * 64.0 * 96.0 * 64.0;
    let bytes = 4.0 * (2.0 * 64.0 * 96.0 * 64.0 / 32.0 + 64.0 * 96.0);
    assert_eq!(
        told("product_intensity(sgemm_tiled, 64x96x64)"),
        operations / bytes
    );
    assert!(ask("product_count(sgemm_tiled, no_such_counter, 64)").is_err());
    assert!(ask("product_tera(sgemm_tiled, 3x5)").is_err());
    let missing = ask("product_tera(sgemm_tiled, 3x5x7)").unwrap_err();
    assert!(missing.contains("record"), "{missing}");
}
