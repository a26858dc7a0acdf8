//! What the notebooks, their kernel and what it runs agree on: the language's description, the file that asks for an end. Runs nothing.

/// What the kernel says of its language, as JSON. JupyterLab writes it into a notebook that it opens: where it stands there
/// already, opening changes nothing.
pub const LANGUAGE_INFO: &str = r#"{
  "name": "Rust",
  "version": "",
  "mimetype": "text/rust",
  "file_extension": ".rs",
  "pygment_lexer": "rust",
  "codemirror_mode": "rust"
}"#;

/// The variable that names a file: where it is, launches in the emulator end. The kernel makes it when a reader interrupts.
pub const INTERRUPT_FILE: &str = "CORNERTURN_INTERRUPT_FILE";
