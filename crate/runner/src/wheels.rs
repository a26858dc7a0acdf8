//! Installs wheels from PyPI under `target/`, whole or not at all.
