//! Measurements of kernels on matrices looked up in their record, and shown. What one holds is in `measurement`.

use super::{DRIVER_COPY, Measurement, Record};
use cornerturn_base::element::ElementType;
use cornerturn_base::html;
use cornerturn_base::timing::TimingMode;

impl Record {
    /// The cold-cache measurement of a kernel at a shape. Of what is measured with several element types, such as the
    /// driver's copy, that of float32.
    pub fn measurement(&self, kernel: &str, rows: usize, columns: usize) -> Option<&Measurement> {
        self.measurement_in(TimingMode::Cold, kernel, rows, columns)
    }

    /// The measurement of a kernel at a shape in a mode.
    pub fn measurement_in(
        &self,
        mode: TimingMode,
        kernel: &str,
        rows: usize,
        columns: usize,
    ) -> Option<&Measurement> {
        let fits = |m: &&Measurement| {
            m.mode == mode && m.kernel == kernel && (m.rows, m.columns) == (rows, columns)
        };
        let mut fitting = self.measurements.iter().filter(fits);
        let first = fitting.next();
        first
            .filter(|m| m.element == ElementType::F32)
            .or_else(|| fitting.find(|m| m.element == ElementType::F32))
            .or(first)
    }

    /// The cold-cache measurement of a kernel at a shape with an element type: `"driver_copy"` or `"cublas_geam"` with
    /// doubles.
    pub fn measurement_of(
        &self,
        kernel: &str,
        element: ElementType,
        rows: usize,
        columns: usize,
    ) -> Option<&Measurement> {
        self.measurements.iter().find(|m| {
            m.mode == TimingMode::Cold
                && (m.kernel.as_str(), m.element, m.rows, m.columns)
                    == (kernel, element, rows, columns)
        })
    }

    /// The driver's device-to-device copy of a float32 matrix, cold.
    pub fn copy(&self, rows: usize, columns: usize) -> Option<&Measurement> {
        self.measurement(DRIVER_COPY, rows, columns)
    }

    /// The driver's copy of the same matrices as `measurement` was made with, of the same element type, in the same mode
    /// and the same run.
    pub fn copy_for(&self, measurement: &Measurement) -> Option<&Measurement> {
        let what = |m: &Measurement| (m.run, m.mode, m.element, m.rows, m.columns, m.batches);
        self.measurements
            .iter()
            .find(|m| m.kernel == DRIVER_COPY && what(m) == what(measurement))
    }

    /// Shows where the numbers come from, and each measurement's median, in a notebook or page.
    pub fn evcxr_display(&self) {
        let rows: Vec<Vec<String>> = self
            .measurements
            .iter()
            .map(|m| {
                vec![
                    m.kernel.clone(),
                    m.element.to_string(),
                    m.matrices(),
                    m.mode.to_string(),
                    format!("{:.2}", m.median_us()),
                    format!("{:.0}", m.gb_per_s().0),
                    m.samples_us.len().to_string(),
                ]
            })
            .collect();
        let head = [
            "kernel",
            "element",
            "matrix",
            "cache",
            "median, µs",
            "GB/s",
            "samples",
        ];
        let table = html::table(&self.provenance(), &head, &rows);
        html::show(&table.to_html());
    }
}
