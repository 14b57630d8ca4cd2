//! The Python module `arena_engine`.

mod search;
mod seated;
mod tables;
mod values;

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

thread_local! {
    /// Where and why this thread panicked last.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What `work` gives. A panic in it, which is a mistake in this crate, becomes a RuntimeError that tells where.
fn sound<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    let panicked = |_: Box<dyn Any + Send>| PyRuntimeError::new_err(PANIC.take());
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(panicked)
}

#[pymodule]
mod arena_engine {
    use super::*;

    #[pymodule_export]
    use super::search::{Draws, GameValues, Happenings, Sample, draws_of_decks, draws_of_hands};
    #[pymodule_export]
    use super::seated::SeatGames;
    #[pymodule_export]
    use super::tables::{Position, choices, replay};

    #[pymodule_export]
    use super::values::Values;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        panic::set_hook(Box::new(|panic| PANIC.set(format!("the engine {panic}"))));
        module.add("SOURCES", env!("SOURCES"))?;
        module.add("VERSION", env!("CARGO_PKG_VERSION"))
    }
}
