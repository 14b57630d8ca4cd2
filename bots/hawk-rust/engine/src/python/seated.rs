//! One seat of many games at once, for training.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use super::sound;
use crate::seated::{self, Opponent, Seated};

/// The most games of one object, and the most actions that may have a number.
const MOST_GAMES: usize = 1_000_000;
const MOST_ACTIONS: usize = 100_000;

/// One seat of many games, whose other seats policies play (`arena.rl.vector`).
///
/// Args:
///     game: the game's id.
///     options: the encoded message of its options.
///     opponents: `greedy`, `random` or `thoughtful` for each seat after the own one.
///     count: how many games, 1,000,000 at most.
///     actions: how many actions have a number.
///
/// Raises ValueError for a game, options or an opponent that it does not know, and for other numbers.
#[pyclass]
pub struct SeatGames {
    games: Vec<Box<dyn Seated>>,
    row: Vec<f32>,
    mask: Vec<bool>,
}

#[pymethods]
impl SeatGames {
    #[new]
    fn new(game: &str, options: &[u8], opponents: Vec<String>, count: usize, actions: usize) -> PyResult<Self> {
        let opponent = |name: &String| match name.as_str() {
            "greedy" => Ok(Opponent::Greedy),
            "random" => Ok(Opponent::Random),
            "thoughtful" => Ok(Opponent::Thoughtful),
            _ => Err(PyValueError::new_err(format!("the engine has no opponent {name}"))),
        };
        if count > MOST_GAMES || actions > MOST_ACTIONS {
            return Err(PyValueError::new_err(format!(
                "the engine plays {MOST_GAMES} games at most, of {MOST_ACTIONS} actions at most"
            )));
        }
        let opponents: Vec<Opponent> = opponents.iter().map(opponent).collect::<PyResult<_>>()?;
        let one = || seated::seated(game, options, opponents.clone());
        let games: Option<Vec<_>> = sound(|| (0..count).map(|_| one()).collect())?;
        let games = games.ok_or_else(|| PyValueError::new_err(format!("the engine cannot set up {game} so")))?;
        if games.iter().any(|game| game.actions() > actions) {
            return Err(PyValueError::new_err(format!("{game} has more than {actions} actions")));
        }
        Ok(Self { games, row: vec![], mask: vec![false; actions] })
    }

    /// Begins a game on a board; writes its row and its mask. Returns whether the seat has a choice in it.
    #[allow(clippy::too_many_arguments)]
    fn begin(
        &mut self,
        py: Python<'_>,
        number: usize,
        board_key: &[u8],
        seat: usize,
        starter: usize,
        rows: PyBuffer<f32>,
        masks: PyBuffer<i8>,
    ) -> PyResult<bool> {
        let game = self.games.get_mut(number).ok_or_else(|| PyIndexError::new_err("no such game"))?;
        let has_choice = sound(|| game.begin(board_key, seat, starter))?;
        let has_choice = has_choice.ok_or_else(|| PyValueError::new_err("no such seat or starter"))?;
        self.write(py, number, &rows, &masks)?;
        Ok(has_choice)
    }

    /// Plays an action in each game, and the others' turns until the seat's next one; an illegal one forfeits.
    ///
    /// Args:
    ///     actions: the number of an action for each game.
    ///     rows, masks, rewards, over: what is written, for each game.
    ///     forfeit: the reward of a game that was forfeited.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &mut self,
        py: Python<'_>,
        actions: PyBuffer<i64>,
        rows: PyBuffer<f32>,
        masks: PyBuffer<i8>,
        rewards: PyBuffer<f64>,
        over: PyBuffer<i8>,
        forfeit: f64,
    ) -> PyResult<()> {
        let actions = actions.to_vec(py)?;
        if actions.len() != self.games.len() {
            return Err(PyValueError::new_err("an action is needed for each game"));
        }
        for (number, action) in actions.into_iter().enumerate() {
            let game = &mut self.games[number];
            let legal = sound(|| game.step(action))?;
            put(py, &rewards, number, &[if legal { game.reward() } else { forfeit }])?;
            put(py, &over, number, &[i8::from(game.over())])?;
            self.write(py, number, &rows, &masks)?;
        }
        Ok(())
    }
}

impl SeatGames {
    fn write(&mut self, py: Python<'_>, number: usize, rows: &PyBuffer<f32>, masks: &PyBuffer<i8>) -> PyResult<()> {
        self.row.clear();
        sound(|| self.games[number].write(&mut self.row, &mut self.mask))?;
        put(py, rows, number, &self.row)?;
        let mask: Vec<i8> = self.mask.iter().map(|&legal| i8::from(legal)).collect();
        put(py, masks, number, &mask)
    }
}

/// Writes the part of an array that belongs to a game.
fn put<T: Element + Copy>(py: Python<'_>, array: &PyBuffer<T>, number: usize, values: &[T]) -> PyResult<()> {
    let wrong = || PyValueError::new_err("an array has another shape than the games need");
    let cells = array.as_mut_slice(py).ok_or_else(wrong)?;
    let part = cells.get(number * values.len()..(number + 1) * values.len()).ok_or_else(wrong)?;
    part.iter().zip(values).for_each(|(cell, &value)| cell.set(value));
    Ok(())
}
