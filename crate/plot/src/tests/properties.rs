//! Figures of any values and any access.

use super::*;
use cornerturn_emulator::counters;
use proptest::prelude::*;

/// Values as they come: usual, tiny, huge, none.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.5f64..5000.0,
        1 => proptest::num::f64::ANY,
        1 => Just(0.0),
        1 => Just(f64::NAN),
    ]
}

fn addresses() -> impl Strategy<Value = [Option<u64>; 32]> {
    prop_oneof![
        proptest::array::uniform32(proptest::option::of(0u64..4096)),
        proptest::array::uniform32(proptest::option::of(any::<u64>())),
        (any::<u32>(), 0u64..300).prop_map(|(start, stride)| {
            std::array::from_fn(|lane| Some(u64::from(start) + lane as u64 * stride))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_values_make_a_sound_figure(
        values in proptest::collection::vec((value(), value(), value(), "\\PC{0,60}"), 0..13),
        copy in proptest::option::of(value()),
    ) {
        let bars: Vec<Bar> = values
            .iter()
            .map(|(v, low, high, label)| Bar::measured(label, gb(*v)).quartiles(gb(*low), gb(*high)))
            .collect();
        texts(&bandwidth("t", &bars, copy.map(gb), ""));
    }

    #[test]
    fn any_access_makes_sound_figures(
        addresses in addresses(), bytes in 0u32..40, start in any::<u64>(), rows in 0u32..20, pitch in 0u32..40,
    ) {
        texts(&sectors("t", &access(Space::Global, bytes, addresses), start));
        texts(&banks("t", &access(Space::Shared, bytes, addresses)));
        let picture = cornerturn_base::Shape::new(rows as usize * 7, pitch as usize);
        texts(&texels::texels("t", &[access(Space::Texture, bytes, addresses)], picture));
        let tile = Tile { rows, columns: pitch.saturating_sub(1), pitch_words: pitch, start };
        texts(&bank_map("t", &tile, &access(Space::Shared, bytes, addresses)));
    }

    /// The pictures count by the emulator's rule: as many sector boxes and rows of words as it counts.
    #[test]
    fn pictures_and_counters_agree(
        words in proptest::array::uniform32(proptest::option::of(0u64..2048)), width in 0u32..3,
    ) {
        let bytes = 4 << width;
        let aligned = words.map(|word| word.map(|word| word * u64::from(bytes)));
        let global = access(Space::Global, bytes, aligned);
        prop_assert_eq!(sectors::touched_bytes(&global).len() as u32, counters::sectors(&aligned, bytes));
        let shared = access(Space::Shared, bytes, aligned);
        let rows: usize = banks::phases(&shared).iter().map(banks::Phase::wavefronts).sum();
        prop_assert_eq!(rows as u32, counters::shared_wavefronts(&aligned, bytes, shared.is_store));
    }
}
