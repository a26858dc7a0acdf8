//! The notebook of one exercise: the task, the cell to change, the cell that checks it, the hints.

use super::cells::Cells;
use crate::chapter::{Chapter, ExerciseItem, Item};
use crate::error::Result;
use crate::exercise_page;
use crate::links::{Links, relative};
use serde_json::json;
use std::path::Path;

/// The notebook's text. `chapter` is the page on which the exercise stands.
pub(super) fn notebook(chapter: &Chapter, item: &ExerciseItem, links: &Links) -> Result<String> {
    let exercise = &item.exercise;
    let mut cells = Cells::default();
    let markdown = |cells: &mut Cells, text: &str| {
        cells.markdown(&links.rewrite(&chapter.path, text));
    };
    let folder = chapter.path.parent().unwrap_or(Path::new(""));
    let subject = relative(folder, &Path::new(&exercise.chapter).with_extension("md"));
    let opening = format!(
        "# {}\n\n{} The chapter: [{}]({subject}).\n\n\
         The first cell is the same in every exercise. Run it, and go on below.",
        exercise.title,
        exercise_page::summary(exercise),
        exercise.chapter
    );
    markdown(&mut cells, &opening);
    for (number, source) in opening_cells(chapter).enumerate() {
        cells.code(&format!("cell-{}", number + 1), &deeper(&source));
    }
    let task = format!("## The task\n\n{}", exercise_page::task(exercise));
    markdown(&mut cells, &task);
    cells.code("source", &item.starter_source());
    cells.code("check", &item.check_source());
    for (number, hint) in exercise.hints.iter().enumerate() {
        markdown(&mut cells, &exercise_page::hint(number + 1, hint));
    }
    let mark = json!({ "chapter": chapter.source_name(), "exercise": exercise.id });
    cells.written(chapter, mark)
}

/// The cells of a page before its first exercise: they make the session ready.
fn opening_cells(chapter: &Chapter) -> impl Iterator<Item = String> {
    let items = chapter.items.iter();
    let before = items.take_while(|item| !matches!(item, Item::Exercise(_)));
    before.filter_map(|item| match item {
        Item::Cell(cell) => Some(cell.source()),
        _ => None,
    })
}

/// A cell as it must be written one folder further down.
fn deeper(source: &str) -> String {
    source.replace("path = \"../", "path = \"../../")
}
