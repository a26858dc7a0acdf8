//! What figures are drawn with: plotters, of which a page's module has only the parts that know no browser. What is drawn is `canvas`'s.

#[cfg(not(target_family = "wasm"))]
pub(super) use plotters::prelude::{DrawingBackend, SVGBackend};
pub(super) use plotters_backend::text_anchor::{HPos, Pos, VPos};
pub(super) use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, FontFamily, FontStyle,
};
#[cfg(target_family = "wasm")]
pub(super) use {plotters_backend::DrawingBackend, plotters_svg::SVGBackend};
