//! `cornerturn launch --steps`: a warp followed in the terminal.

use crate::support::Scratch;

/// Turns a tile of 32 × 32, whose rows have no padding.
const TURN: &str = "\
__global__ void turn(const float* in, float* out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    float value = in[threadIdx.y * n + x] + 0.5f;
    tile[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    if (x < n - 7) out[x * 8 + threadIdx.y] = tile[threadIdx.x][threadIdx.y];
}
";

const LAUNCH: [&str; 17] = [
    "launch",
    "turn.cu",
    "--compiler",
    "cornerturn",
    "--device",
    "emulator",
    "--grid",
    "3",
    "--block",
    "32,8",
    "--arg",
    "f32[768]=iota",
    "--arg",
    "f32[768]=zero",
    "--arg",
    "i32=96",
    // The tile is larger than the block: some of it nobody has written.
    "--no-check",
];

fn words(more: &[&'static str]) -> Vec<&'static str> {
    LAUNCH.iter().chain(more).copied().collect()
}

#[test]
fn a_warp_is_followed_to_its_end() {
    let scratch = Scratch::new("steps");
    scratch.write("turn.cu", TURN);
    let outcome = scratch.run(&words(&["--steps", "2:3"]));
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let (_, steps) = outcome
        .stdout
        .split_once("steps of warp 3 of block (2, 0, 0)")
        .unwrap();
    for told in [
        "line 7: if (x < n - 7)",
        // Row 3, column 64 of the input and half.
        "→ value = 352.5, 353.5, 354.5, …, 383.5",
        "→ x = 64, 65, 66, …, 95",
        "bank = 3 in all 25 lanes",
        "25 wavefronts where 1 would do, a 25-way bank conflict",
        "25 lanes of 32: 0 to 24",
        "the warp comes to barrier 0",
        "warps 0, 1, 2, 4, 5, 6, 7 come to barrier 0",
        "barrier 0 is complete: warps 0 to 7 go on",
    ] {
        assert!(steps.contains(told), "{told}: {steps}");
    }
}

#[test]
fn what_names_no_warp_is_refused() {
    let scratch = Scratch::new("no-steps");
    scratch.write("turn.cu", TURN);
    let outcome = scratch.run(&words(&["--steps", "1,2,3,4"]));
    assert_eq!(outcome.status, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("names no warp"), "{outcome:?}");
    let outcome = scratch.run(&words(&["--steps", "0:8"]));
    assert!(
        outcome
            .stdout
            .contains("warp 8 of block (0, 0, 0) has no steps"),
        "{outcome:?}"
    );
}

#[test]
fn the_steps_of_a_warp_are_data_too() {
    let scratch = Scratch::new("steps-json");
    scratch.write("turn.cu", TURN);
    let told = scratch.run(&words(&["--steps", "2:3", "--json"])).json();
    let steps = &told["steps"];
    assert_eq!(steps["block"], serde_json::json!([2, 0, 0]));
    assert_eq!(
        (&steps["warp"], &steps["is_cut"]),
        (&3.into(), &false.into())
    );
    let steps = steps["steps"].as_array().unwrap();
    // The load of the tile: 25 lanes want different words of bank 3.
    let is_load = |step: &&serde_json::Value| {
        let access = &step["accesses"][0];
        access["space"] == "shared" && access["access"] == "load"
    };
    let load = steps.iter().find(is_load).unwrap();
    assert_eq!(
        (&load["line"], &load["mask"]),
        (&7.into(), &0x1ff_ffff.into())
    );
    let addresses = load["accesses"][0]["addresses"].as_array().unwrap();
    let banks = addresses
        .iter()
        .filter_map(|at| Some(at.as_u64()? / 4 % 32));
    assert_eq!(banks.collect::<Vec<u64>>(), [3; 25]);
    // Row 3, column 64 of the input and half.
    let is_sum =
        |value: &&serde_json::Value| value["name"] == "value" && value["what"] == "variable";
    let values = steps
        .iter()
        .flat_map(|step| step["values"].as_array().unwrap());
    assert_eq!(values.clone().find(is_sum).unwrap()["lanes"][0], "352.5");
    assert!(steps.iter().any(|step| step["event"].is_string()));

    let none = scratch.run(&words(&["--steps", "2:99", "--json"]));
    assert_eq!(
        (none.status, &none.json()["steps"]),
        (0, &serde_json::Value::Null)
    );
}
