//! The Python module `arena_engine`.

mod search;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod arena_engine {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::search::{Draws, GameValues, Happenings, Position, draws_of_decks, draws_of_hands};
    #[pymodule_export]
    use super::values::Values;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))
    }
}
