//! The Python module `arena_engine`.

use pyo3::prelude::*;

#[pymodule]
mod arena_engine {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))
    }
}
