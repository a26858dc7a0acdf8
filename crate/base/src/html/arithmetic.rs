//! The table of what a launch computed: counters of arithmetic, operations by type and for each byte. That of memory is `counters`'s.

use super::counters::named;
use super::table::{CELL, NUMBER, Table, html};
use super::text::{grouped, number};
use cornerturn_emulator::Counters;

/// What the launch computed, by counter and by type, and how much of it for each byte: of the sectors that its accesses to
/// global memory touched, and of the `wanted_bytes` that must move, if it is known how many. Lines of zeros are left out.
pub fn arithmetic_table(counters: &Counters, wanted_bytes: Option<u64>) -> Table {
    let counted = counters
        .iter()
        .filter(|(name, _)| Counters::is_arithmetic(name) && is_first_name(name));
    let mut rows: Vec<Vec<String>> = counted
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| vec![named(short(name), name), grouped(count)])
        .collect();
    let flops = counters.flops();
    let types = [
        ("half", flops.half),
        ("single", flops.single),
        ("double", flops.double),
        ("tensor cores, half", flops.tensor_half),
        ("tensor cores, tf32", flops.tensor_tf32),
        ("tensor cores, double", flops.tensor_double),
    ];
    let types = types.iter().filter(|(_, count)| *count > 0);
    rows.extend(types.map(|(name, count)| vec![format!("operations, {name}"), grouped(*count)]));
    let mut intensity = |what: &str, bytes: u64| {
        if bytes > 0 {
            let quotient = flops.total() as f64 / bytes as f64;
            rows.push(vec![
                format!("operations for each byte {what}"),
                number(quotient, 3),
            ]);
        }
    };
    intensity("of global sectors", counters.global_sector_bytes());
    intensity("that must move", wanted_bytes.unwrap_or(0));
    let head = ["arithmetic", "value"].map(str::to_owned);
    Table {
        html: html("", &head, &[CELL, NUMBER], &rows),
    }
}

/// The same counter with `sm__` in front is left out.
fn is_first_name(ncu: &str) -> bool {
    !ncu.starts_with("sm__sass")
}

/// `ffma` of `smsp__sass_thread_inst_executed_op_ffma_pred_on.sum`.
fn short(ncu: &'static str) -> &'static str {
    let name = ncu.trim_end_matches(".sum");
    let ends = ["thread_inst_executed_op_", "ops_path_tensor_", "ptx__"];
    let tail = ends
        .iter()
        .find_map(|start| Some(name.split_once(start)?.1));
    tail.unwrap_or(name).trim_end_matches("_pred_on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_computed_is_shown() {
        let counters = Counters {
            ffma: 3000,
            fadd: 1000,
            tensor_bf16_f32: 4096,
            global_load_sectors: 50,
            global_store_sectors: 25,
            ..Counters::default()
        };
        let html = arithmetic_table(&counters, Some(1000)).html;
        for told in [
            "ffma",
            "3\u{202f}000",
            "operations, single",
            "src_bf16_dst_fp32",
        ] {
            assert!(html.contains(told), "{told}: {html}");
        }
        assert!(
            !html.contains("dfma") && !html.contains("sm__sass"),
            "{html}"
        );
        // 11 096 operations: 2400 bytes of sectors, 1000 that must move.
        assert!(html.contains("4.623") && html.contains("11.096"), "{html}");
        let none = arithmetic_table(&Counters::default(), None).html;
        assert!(!none.contains("operations"), "{none}");
    }
}
