//! Games at the referee's tables, and the replay of records.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::sound;
use crate::games::Outcome;
use crate::luck;
use crate::table::{self, Setup, Table, View};

/// The most fresh orders of the later cards for a choice.
const MOST_SAMPLES: usize = 1 << 16;

type Told<'py> = (Bound<'py, PyTuple>, Bound<'py, PyTuple>, &'static str);

/// One running game: the interface `Position` of the arena's module `arena.table.position`.
///
/// Args:
///     game: the game's id.
///     options: the encoded message of its options.
///     seats: the number of seats.
///     starter: the seat that starts.
///     board_key: the 32-byte key of the board.
///
/// Raises ValueError if no game is set up so.
#[pyclass(module = "arena_engine")]
pub struct Position(Box<dyn Table>);

#[pymethods]
impl Position {
    #[new]
    fn new(game: &str, options: &[u8], seats: usize, starter: usize, board_key: &[u8]) -> PyResult<Self> {
        let setup = Setup { game, options, seats, starter, key: board_key };
        let found = sound(|| table::open(&setup))?;
        found.map(Self).ok_or_else(|| PyValueError::new_err(format!("the engine cannot set up {game} so")))
    }

    /// The seats that must choose now, in play order; empty when the game is over.
    #[getter]
    fn to_act<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, sound(|| self.0.acting())?)
    }

    /// How many legal actions a seat has.
    fn choices(&mut self, seat: usize) -> PyResult<usize> {
        sound(|| self.0.choices(seat))
    }

    /// Plays the legal action of a seat with this index. Raises ValueError if there is none.
    fn play(&mut self, seat: usize, index: usize) -> PyResult<()> {
        if index >= self.choices(seat)? {
            return Err(PyValueError::new_err(format!("seat {seat} has no legal action {index}")));
        }
        sound(|| self.0.play(seat, index))
    }

    /// The encoded observation of the series, empty for a single deal, and the encoded view of the game.
    fn view<'py>(&mut self, py: Python<'py>, seat: usize) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        self.require(seat)?;
        let View { series, game } = sound(|| self.0.view(seat))?;
        Ok((PyBytes::new(py, &series.unwrap_or_default()), PyBytes::new(py, &game)))
    }

    /// Lets the seat's next view repeat all events.
    fn retell(&mut self, seat: usize) -> PyResult<()> {
        self.require(seat)?;
        sound(|| self.0.retell(seat))
    }

    /// The places, the points and the reason, once the game is over, else None.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        self.0.outcome().map(|outcome| told(py, outcome)).transpose()
    }
}

impl Position {
    fn require(&self, seat: usize) -> PyResult<()> {
        let seats = self.0.seats();
        if seat < seats { Ok(()) } else { Err(PyValueError::new_err(format!("the seats are 0 to {}", seats - 1))) }
    }
}

/// The outcome of recorded actions: places, points and reason; None unless each is legal and the last ends the game.
///
/// The arguments are those of `Position`, and `actions` are indices into the legal actions.
#[pyfunction]
pub fn replay<'py>(
    py: Python<'py>,
    game: &str,
    options: &[u8],
    seats: usize,
    starter: usize,
    board_key: &[u8],
    actions: Vec<usize>,
) -> PyResult<Option<Told<'py>>> {
    let setup = Setup { game, options, seats, starter, key: board_key };
    let outcome = py.detach(|| sound(|| table::replay(&setup, &actions)))?;
    outcome.map(|outcome| told(py, &outcome)).transpose()
}

/// The choices of recorded actions that are not the baseline's, as `arena.comparison.luck` has them; None unless each
/// is legal.
///
/// The arguments are those of `replay`; `samples` is the number of fresh orders of the later cards, 65,536 at most, and
/// `baseline` is `greedy` or `thoughtful`. For each choice: its seat, and the places of all seats after it and after
/// the baseline's, with the later cards as they lay and then with each fresh order.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn choices(
    py: Python<'_>,
    game: &str,
    options: &[u8],
    seats: usize,
    starter: usize,
    board_key: &[u8],
    actions: Vec<usize>,
    samples: usize,
    baseline: &str,
) -> PyResult<Option<Vec<(usize, luck::Ends, Vec<luck::Ends>)>>> {
    if samples > MOST_SAMPLES {
        return Err(PyValueError::new_err(format!("the engine draws {MOST_SAMPLES} fresh orders at most")));
    }
    let setup = Setup { game, options, seats, starter, key: board_key };
    let Some(baseline) = luck::Baseline::named(baseline) else {
        return Err(PyValueError::new_err(format!("the engine has no baseline {baseline}")));
    };
    let found = py.detach(|| sound(|| luck::choices(&setup, &actions, samples, baseline)))?;
    Ok(found.map(|found| found.into_iter().map(|choice| (choice.seat, choice.here, choice.there)).collect()))
}

fn told<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Told<'py>> {
    Ok((PyTuple::new(py, &outcome.places)?, PyTuple::new(py, &outcome.points)?, outcome.reason))
}
