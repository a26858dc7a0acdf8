//! What the pictures of accesses state.

use super::*;

#[test]
fn sectors_states_what_was_moved_for_what_was_wanted() {
    let column = lanes(Space::Global, 4, |lane| 0x1000 + lane * 16384);
    let shown = texts(&sectors("t", &column, 0x1000));
    let summary = "32 lanes load 4 bytes each: 32 sectors, 1\u{202F}024 bytes moved for 128 bytes wanted, 12.5\u{202F}%";
    assert_eq!(shown[1], summary);
    assert!(
        shown.iter().any(|t| t == "0") && shown.iter().any(|t| t == "507904"),
        "first and last offset"
    );
    let row = lanes(Space::Global, 4, |lane| 0x1000 + lane * 4);
    assert!(
        texts(&sectors("t", &row, 0x1000))[1]
            .contains("4 sectors, 128 bytes moved for 128 bytes wanted, 100")
    );
    let one = lanes(Space::Global, 4, |_| 0x1000);
    let shown = texts(&sectors("t", &one, 0x2000));
    assert!(
        shown[1].contains("1 sector, 32 bytes moved for 4 bytes wanted (lanes share them), 12.5")
    );
    assert!(
        shown.iter().any(|t| t == "-4096"),
        "an address before the buffer has a negative offset"
    );
}

#[test]
fn banks_draws_one_row_for_each_wavefront() {
    let shown = texts(&banks("t", &lanes(Space::Shared, 4, |lane| lane * 128)));
    assert!(
        shown[1].contains("32 wavefronts where 1 would do, a 32-way bank conflict"),
        "{}",
        shown[1]
    );
    assert!(shown.iter().any(|t| t == "32×"));
    let shown = texts(&banks("t", &lanes(Space::Shared, 4, |lane| lane * 132)));
    assert!(shown[1].contains("1 wavefront, no bank conflict"));
    assert!(!shown.iter().any(|t| t.ends_with('×')));
}

#[test]
fn bank_map_numbers_the_words_asked_for() {
    let tile = Tile::new(32, 32, 33);
    let column = lanes(Space::Shared, 4, |lane| lane * 132);
    let figure = bank_map("t", &tile, &column);
    assert!(
        texts(&figure)[1].contains("the 32 words outlined, from 32 different banks: 1 wavefront")
    );
    let moved = bank_map("t", &Tile { start: 128, ..tile }, &column);
    assert_eq!(moved.caption, "1 word of the access lies outside the tile.");
}
