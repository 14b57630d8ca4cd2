//! Positions to search, their playouts, and what draws them, for bots in Python.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use prost::Message;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::sound;
use super::values::Values;
use crate::arena::{SeriesObservation, TableStart, table_start};
use crate::cards::{Card, Set, each, set};
use crate::chance::{Chance, Random};
use crate::games::nur_mut::{Face, HIDDEN, Known, PILES};
use crate::games::series::Series;
use crate::games::{MOST_SEATS, Outcome, Silent, Told, forty_one, hyrule, kleftis, nur_mut, nyuri};
use crate::policy::Policy;
use crate::policy::greedy::Greedy;
use crate::sampling::fair::{Hands, Hidden, Unseen};
use crate::sampling::nur_mut_walk::{Spot, Walk};
use crate::sampling::{Mind, forty_one as forty_one_mind, hyrule as hyrule_mind, kleftis as kleftis_mind};
use crate::table::Game;
use crate::wire::Wire;

/// A policy of the engine.
#[derive(Clone, Copy)]
enum Player {
    Random,
    Greedy,
    Thoughtful,
}

impl Player {
    fn named(name: &str) -> PyResult<Self> {
        match name {
            "random" => Ok(Self::Random),
            "greedy" => Ok(Self::Greedy),
            "thoughtful" => Ok(Self::Thoughtful),
            _ => Err(PyValueError::new_err(format!(
                "the engine has no policy {name}; it has random, greedy and thoughtful"
            ))),
        }
    }
}

/// A game whose positions are searched.
trait Search: Policy + Greedy + Wire + Game<Options: Send + Sync, Observation: Default> + Send + Sync + 'static {
    /// Leaves in a seat's observation what a spectator sees.
    fn public(seen: &mut Self::Observation);
    /// Every card of the deal, as numbers of its deck; the stock last, its next card at the end.
    fn cards(&self) -> Vec<u8>;
}

macro_rules! cards {
    ($($sets:expr),*; $($cards:expr),*) => {{
        let mut all: Vec<u8> = Vec::new();
        $(all.extend(each($sets));)*
        $(all.extend($cards);)*
        all
    }};
}

impl Search for nyuri::State {
    fn public(seen: &mut Self::Observation) {
        seen.seat = None;
        seen.hand.clear();
    }

    fn cards(&self) -> Vec<u8> {
        let held = self.hands.iter().flat_map(|hand| each(hand.set));
        let lying = self.piles.iter().flat_map(|pile| pile.cards());
        cards![; held, lying, self.spent.iter(), self.stock.iter()]
    }
}

impl Search for forty_one::State {
    fn public(seen: &mut Self::Observation) {
        seen.seat = None;
        seen.hand.clear();
        seen.drawn = None;
    }

    fn cards(&self) -> Vec<u8> {
        let held = self.hands.iter().flat_map(|&hand| each(hand));
        let lying = self.discards.iter().zip(&self.taken).filter(|(_, taken)| !**taken).map(|(card, _)| card);
        cards![; held, self.drawn.map(|(card, _)| card), lying, self.stock.iter()]
    }
}

impl Search for kleftis::State {
    fn public(seen: &mut Self::Observation) {
        seen.seat = None;
        seen.hand.clear();
    }

    fn cards(&self) -> Vec<u8> {
        cards![self.shown; self.hands.iter().flat_map(|&hand| each(hand)), self.stock.iter()]
    }
}

impl Search for hyrule::State {
    fn public(seen: &mut Self::Observation) {
        seen.seat = None;
        seen.hand.clear();
    }

    fn cards(&self) -> Vec<u8> {
        let held = self.hands.iter().flat_map(|&hand| each(hand));
        cards![; held, self.played.iter(), self.discards.iter(), self.trick.iter(), self.stock.iter()]
    }
}

impl Search for nur_mut::State {
    fn public(seen: &mut Self::Observation) {
        seen.seat = None;
    }

    fn cards(&self) -> Vec<u8> {
        let mut rest = self.terms.cards.clone();
        let lying = self.decks.iter().chain(&self.piles).flatten().map(|card| (card.front, card.back));
        for card in lying.clone() {
            rest.swap_remove(rest.iter().position(|other| *other == card).expect("a card of the deck"));
        }
        lying.chain(rest).map(|(front, back)| 16 * front + back).collect()
    }
}

fn choose<S: Search>(state: &S, player: Player, seat: usize, choices: &mut Random) -> S::Action {
    match player {
        Player::Greedy => state.greedy(seat),
        Player::Thoughtful => state.choose(seat, &state.styles()[0]),
        Player::Random => {
            let mut legal = state.legal(seat);
            let place = if legal.len() > 1 { choices.below(legal.len()) } else { 0 };
            legal.swap_remove(place)
        }
    }
}

/// A game of one deal or several.
type Playing<S> = Series<S, Random>;

fn play_on<S: Search>(mut game: Playing<S>, player: Player, choices: &mut Random) -> Outcome {
    while let Some(seat) = game.to_act() {
        let action = choose(&game.deal, player, seat, choices);
        game.play(seat, &action, &mut Silent);
    }
    game.outcome().expect("no seat is to act, so the game is over").clone()
}

/// The share of opponents that a seat beat, ties half.
fn score(outcome: &Outcome, seat: usize) -> f64 {
    let place = outcome.places[seat];
    let beaten = outcome.places.iter().filter(|other| **other > place).count();
    let tied = outcome.places.iter().filter(|other| **other == place).count() - 1;
    (2 * beaten + tied) as f64 / (2 * (outcome.places.len() - 1)) as f64
}

/// An event as all are told it, and as some seats are.
type Happened = (Vec<u8>, Option<(Vec<u8>, Vec<usize>)>);

/// A position of any game.
trait AnyPosition: Send + Sync {
    fn seats(&self) -> usize;
    fn acting(&self) -> Vec<usize>;
    fn legal(&self, seat: usize) -> Vec<Vec<u8>>;
    fn apply(&mut self, seat: usize, index: usize) -> Vec<Happened>;
    /// What a viewer sees of the deal, encoded, and of the series.
    fn observation(&self, viewer: Option<usize>) -> (Vec<u8>, Option<SeriesObservation>);
    fn outcome(&self) -> Option<Outcome>;
    fn twin(&mut self) -> Box<dyn AnyPosition>;
    fn cards(&self) -> Vec<u8>;
    fn chosen(&self, seat: usize, player: Player, seed: u64) -> usize;
    fn playout(&self, player: Player, seed: u64) -> Outcome;
}

struct Running<S: Search>(Playing<S>);

impl<S: Search> AnyPosition for Running<S> {
    fn seats(&self) -> usize {
        self.0.seats()
    }

    fn acting(&self) -> Vec<usize> {
        self.0.acting()
    }

    fn legal(&self, seat: usize) -> Vec<Vec<u8>> {
        self.0.legal(seat).iter().map(|action| S::message(action).encode_to_vec()).collect()
    }

    fn apply(&mut self, seat: usize, index: usize) -> Vec<Happened> {
        let mut log: Vec<Told<S::Event>> = Vec::new();
        let action = self.0.legal(seat).swap_remove(index);
        self.0.play(seat, &action, &mut log);
        let seats = |[one, other]: [usize; 2]| if one == other { vec![one] } else { vec![one, other] };
        let happened = |told: Told<S::Event>| {
            let private = told.private.map(|(event, told_to)| (event.encode_to_vec(), seats(told_to)));
            (told.public.encode_to_vec(), private)
        };
        log.into_iter().map(happened).collect()
    }

    fn observation(&self, viewer: Option<usize>) -> (Vec<u8>, Option<SeriesObservation>) {
        let mut seen = self.0.deal.observation(viewer.unwrap_or(0));
        if viewer.is_none() {
            S::public(&mut seen);
        }
        (seen.encode_to_vec(), self.0.observation())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome().cloned()
    }

    fn twin(&mut self) -> Box<dyn AnyPosition> {
        let mut twin = self.0.clone();
        twin.reseed(self.0.chance.next());
        Box::new(Self(twin))
    }

    fn cards(&self) -> Vec<u8> {
        self.0.deal.cards()
    }

    fn chosen(&self, seat: usize, player: Player, seed: u64) -> usize {
        let action = choose(&self.0.deal, player, seat, &mut Random::new(seed));
        self.0.legal(seat).iter().position(|legal| *legal == action).expect("a policy chooses a legal action")
    }

    fn playout(&self, player: Player, seed: u64) -> Outcome {
        let mut seeds = Random::new(seed);
        let mut game = self.0.clone();
        game.reseed(seeds.next());
        play_on(game, player, &mut Random::new(seeds.next()))
    }
}

/// Draws positions of any game.
trait AnyDraws: Send {
    fn draw(&mut self, seed: u64) -> Box<dyn AnyPosition>;
    /// The legal actions of the seat, in every position that is drawn.
    fn legal(&self) -> Vec<Vec<u8>>;
    /// The score of the seat after each action, by index, in one position.
    fn score(&mut self, actions: &[usize], player: Player, seeds: &mut Random) -> Vec<f64>;
}

struct Drawing<S: Search> {
    seat: usize,
    /// A position that the seat may be in.
    seen: Playing<S>,
    hidden: Box<dyn Hidden<S>>,
}

impl<S: Search> AnyDraws for Drawing<S> {
    fn draw(&mut self, seed: u64) -> Box<dyn AnyPosition> {
        let mut random = Random::new(seed);
        self.hidden.draw(&mut self.seen.deal, &mut random);
        let mut game = self.seen.clone();
        game.reseed(random.next());
        Box::new(Running(game))
    }

    fn legal(&self) -> Vec<Vec<u8>> {
        self.seen.legal(self.seat).iter().map(|action| S::message(action).encode_to_vec()).collect()
    }

    fn score(&mut self, actions: &[usize], player: Player, seeds: &mut Random) -> Vec<f64> {
        self.hidden.draw(&mut self.seen.deal, &mut Random::new(seeds.next()));
        let legal = self.seen.legal(self.seat);
        let (chance, choices) = (seeds.next(), seeds.next());
        let tried = |&index: &usize| {
            let mut game = self.seen.clone();
            game.reseed(chance);
            game.play(self.seat, &legal[index], &mut Silent);
            score(&play_on(game, player, &mut Random::new(choices)), self.seat)
        };
        actions.iter().map(tried).collect()
    }
}

/// What the engine needs of a game in Python: decoders of its values, and functions.
///
/// Args:
///     actions, events, observations: decoders.
///     happening: the class Happening.
///     series: the class SeriesObservation.
///     outcome: the class Outcome.
///     cards: the values of a list of cards, given as numbers.
///     refuse: raises the error for an action that is not legal, given the position, seat and action.
#[pyclass(frozen, module = "arena_engine")]
pub struct GameValues {
    actions: Py<Values>,
    events: Py<Values>,
    observations: Py<Values>,
    happening: Py<PyAny>,
    series: Py<PyAny>,
    outcome: Py<PyAny>,
    cards: Py<PyAny>,
    refuse: Py<PyAny>,
}

#[pymethods]
impl GameValues {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        actions: Py<Values>,
        events: Py<Values>,
        observations: Py<Values>,
        happening: Py<PyAny>,
        series: Py<PyAny>,
        outcome: Py<PyAny>,
        cards: Py<PyAny>,
        refuse: Py<PyAny>,
    ) -> Self {
        Self { actions, events, observations, happening, series, outcome, cards, refuse }
    }
}

impl GameValues {
    fn actions(&self, py: Python<'_>, encoded: &[Vec<u8>]) -> PyResult<Py<PyTuple>> {
        let values = self.actions.get();
        let decoded: Vec<Py<PyAny>> =
            encoded.iter().map(|action| values.decode(py, action)).collect::<PyResult<_>>()?;
        Ok(PyTuple::new(py, decoded)?.unbind())
    }

    fn outcome(&self, py: Python<'_>, outcome: &Outcome) -> PyResult<Py<PyAny>> {
        let places = PyTuple::new(py, &outcome.places)?;
        let points = PyTuple::new(py, &outcome.points)?;
        self.outcome.call1(py, (places, points, outcome.reason))
    }
}

/// A position of a game, as `arena.games.game.State` describes it.
#[pyclass(module = "arena_engine")]
pub struct Sample {
    position: Box<dyn AnyPosition>,
    values: Py<GameValues>,
    acting: Py<PyTuple>,
    /// The legal actions of a seat, while they were asked for.
    legal: Option<(usize, Py<PyTuple>)>,
}

impl Sample {
    fn new(py: Python<'_>, position: Box<dyn AnyPosition>, values: Py<GameValues>) -> PyResult<Self> {
        let acting = PyTuple::new(py, sound(|| position.acting())?)?.unbind();
        Ok(Self { position, values, acting, legal: None })
    }

    fn legal(&mut self, py: Python<'_>, seat: usize) -> PyResult<Py<PyTuple>> {
        if let Some((_, actions)) = self.legal.as_ref().filter(|(known, _)| *known == seat) {
            return Ok(actions.clone_ref(py));
        }
        let encoded = sound(|| self.position.legal(seat))?;
        let actions = self.values.get().actions(py, &encoded)?;
        self.legal = Some((seat, actions.clone_ref(py)));
        Ok(actions)
    }
}

#[pymethods]
impl Sample {
    /// The seats that must choose now, in play order.
    #[getter]
    fn to_act(&self, py: Python<'_>) -> Py<PyTuple> {
        self.acting.clone_ref(py)
    }

    /// Nothing: the set-up is over.
    #[getter]
    fn opening<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        PyTuple::empty(py)
    }

    /// Every legal action of a seat that is to act.
    fn legal_actions(&mut self, py: Python<'_>, seat: usize) -> PyResult<Py<PyTuple>> {
        self.legal(py, seat)
    }

    /// Plays an action and returns what happened. Raises IllegalAction.
    fn apply(slf: &Bound<'_, Self>, seat: Bound<'_, PyAny>, action: &Bound<'_, PyAny>) -> PyResult<Happenings> {
        let py = slf.py();
        let mut position = slf.borrow_mut();
        let found = match seat.extract::<usize>() {
            Ok(seat) => {
                let legal = position.legal(py, seat)?;
                let legal = legal.bind(py);
                match legal.iter_borrowed().position(|known| known.is(action)) {
                    Some(index) => Some((seat, index)),
                    None => legal.index(action).ok().map(|index| (seat, index)),
                }
            }
            Err(_) => None,
        };
        let Some((seat, index)) = found else {
            let refuse = position.values.get().refuse.clone_ref(py);
            drop(position);
            refuse.call1(py, (slf, seat, action))?;
            return Err(PyRuntimeError::new_err("an illegal action was not refused"));
        };
        let events = sound(|| position.position.apply(seat, index))?;
        position.acting = PyTuple::new(py, sound(|| position.position.acting())?)?.unbind();
        position.legal = None;
        Ok(Happenings { events, values: position.values.clone_ref(py), known: None })
    }

    /// The observation of a viewer now.
    fn observation(&self, py: Python<'_>, viewer: Option<usize>) -> PyResult<Py<PyAny>> {
        let seats = self.position.seats();
        if viewer.is_some_and(|seat| seat >= seats) {
            return Err(PyValueError::new_err(format!("the seats are 0 to {}", seats - 1)));
        }
        let (encoded, series) = sound(|| self.position.observation(viewer))?;
        let values = self.values.get();
        let seen = values.observations.get().decode(py, &encoded)?;
        let Some(series) = series else { return Ok(seen) };
        let (scores, level) = (PyTuple::new(py, series.scores)?, PyTuple::new(py, series.level)?);
        let tie_scores = PyTuple::new(py, series.tie_scores)?;
        values.series.call1(py, (series.deal, series.deals, scores, level, tie_scores, seen))
    }

    /// The outcome once the game is over, else None.
    #[getter]
    fn outcome(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let outcome = sound(|| self.position.outcome())?;
        outcome.map(|outcome| self.values.get().outcome(py, &outcome)).transpose()
    }

    /// An independent copy, whose later chance is another.
    fn clone(&mut self, py: Python<'_>) -> PyResult<Self> {
        let legal = self.legal.as_ref().map(|(seat, actions)| (*seat, actions.clone_ref(py)));
        let (values, acting) = (self.values.clone_ref(py), self.acting.clone_ref(py));
        Ok(Self { position: sound(|| self.position.twin())?, values, acting, legal })
    }

    /// Every card of the deal; the stock last, its next card at the end.
    fn cards(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let numbers: Vec<u32> = sound(|| self.position.cards())?.into_iter().map(u32::from).collect();
        self.values.get().cards.call1(py, (numbers,))
    }

    /// What a policy of the engine chooses for a seat that is to act.
    ///
    /// Args:
    ///     seat: the seat.
    ///     policy: `random`, `greedy` or `thoughtful`.
    ///     seed: the random numbers of the choice, below 2**64.
    fn chosen(&mut self, py: Python<'_>, seat: usize, policy: &str, seed: u64) -> PyResult<Py<PyAny>> {
        let player = Player::named(policy)?;
        let legal = self.legal(py, seat)?;
        if legal.bind(py).is_empty() {
            return Err(PyValueError::new_err(format!("seat {seat} is not to act")));
        }
        let index = sound(|| self.position.chosen(seat, player, seed))?;
        Ok(legal.bind(py).get_item(index)?.unbind())
    }

    /// The outcome if every seat plays by a policy of the engine; does not change the position.
    ///
    /// Args:
    ///     policy: `random`, `greedy` or `thoughtful`.
    ///     seed: the random numbers of choices and later chance, below 2**64.
    fn playout(&self, py: Python<'_>, policy: &str, seed: u64) -> PyResult<Py<PyAny>> {
        let player = Player::named(policy)?;
        let outcome = sound(|| self.position.playout(player, seed))?;
        self.values.get().outcome(py, &outcome)
    }
}

/// What happened when an action was played: a sequence of Happening, made when it is first looked at.
#[pyclass(sequence, module = "arena_engine")]
pub struct Happenings {
    events: Vec<Happened>,
    values: Py<GameValues>,
    known: Option<Py<PyTuple>>,
}

impl Happenings {
    fn all<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if let Some(known) = &self.known {
            return Ok(known.bind(py).clone());
        }
        let values = self.values.get();
        let event = |bytes: &[u8]| values.events.get().decode(py, bytes);
        let mut all = Vec::with_capacity(self.events.len());
        for (public, private) in &self.events {
            let happening = match private {
                None => values.happening.call1(py, (event(public)?,)),
                Some((private, seats)) => {
                    values.happening.call1(py, (event(public)?, event(private)?, PyTuple::new(py, seats)?))
                }
            };
            all.push(happening?);
        }
        let all = PyTuple::new(py, all)?;
        self.known = Some(all.clone().unbind());
        Ok(all)
    }
}

#[pymethods]
impl Happenings {
    fn __len__(&self) -> usize {
        self.events.len()
    }

    fn __getitem__<'py>(&mut self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.all(py)?.as_any().get_item(index)
    }

    fn __iter__<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.all(py)?.as_any().try_iter()?.into_any())
    }
}

/// Draws positions that fit all that a seat was told, in a turn of the seat.
#[pyclass(module = "arena_engine")]
pub struct Draws {
    drawing: Mutex<Box<dyn AnyDraws>>,
    values: Py<GameValues>,
    seat: usize,
}

impl Draws {
    fn drawing(&self) -> std::sync::MutexGuard<'_, Box<dyn AnyDraws>> {
        self.drawing.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[pymethods]
impl Draws {
    /// The seat whose turn it is.
    #[getter]
    fn seat(&self) -> usize {
        self.seat
    }

    /// A position, whose later chance follows from the seed too; it is below 2**64.
    fn draw(&self, py: Python<'_>, seed: u64) -> PyResult<Sample> {
        let position = sound(|| self.drawing().draw(seed))?;
        Sample::new(py, position, self.values.clone_ref(py))
    }

    /// The legal actions of the seat.
    fn legal_actions(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let encoded = sound(|| self.drawing().legal())?;
        self.values.get().actions(py, &encoded)
    }

    /// Tries actions of the seat: each one in the same positions, with the same luck, played to the end.
    ///
    /// Args:
    ///     actions: the places of the actions among the legal ones.
    ///     policy: `random`, `greedy` or `thoughtful`, which then chooses for all seats.
    ///     seed: the random numbers, below 2**64.
    ///     samples: the number of positions.
    ///     seconds: begins no further position after so many seconds but for the first; None for no limit.
    ///
    /// Returns the scores of the seat: for each position that was tried, for each action, from 0 to 1.
    fn try_actions(
        &self,
        py: Python<'_>,
        actions: Vec<usize>,
        policy: &str,
        seed: u64,
        samples: usize,
        seconds: Option<f64>,
    ) -> PyResult<Vec<f64>> {
        let player = Player::named(policy)?;
        let count = sound(|| self.drawing().legal())?.len();
        if actions.iter().any(|&action| action >= count) {
            return Err(PyValueError::new_err(format!("the actions are 0 to {}", count.saturating_sub(1))));
        }
        let limit = match seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0))) {
            Some(Ok(limit)) => Some(limit),
            _ => None, // longer than any search
        };
        let begun = Instant::now();
        let mut seeds = Random::new(seed);
        let mut scores = Vec::new();
        for sample in 0..samples {
            if sample > 0 && limit.is_some_and(|limit| begun.elapsed() >= limit) {
                break;
            }
            scores.extend(py.detach(|| sound(|| self.drawing().score(&actions, player, &mut seeds)))?);
            py.check_signals()?;
        }
        Ok(scores)
    }
}

/// The cards of a deck, as a set.
const ALL_CARDS: Set = ((1 << 54) - 1) << 1;

/// What draws positions, as `work` gives it. A panic in it is a ValueError: the rules met cards or numbers in an
/// observation that no game has.
fn set_up(work: impl FnOnce() -> Option<Draws>) -> PyResult<Option<Draws>> {
    sound(work).map_err(|error| PyValueError::new_err(format!("the observation is none of the game: {error}")))
}

fn start_of(start: &[u8]) -> PyResult<TableStart> {
    let start = TableStart::decode(start).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (seats, seat, starter) = (start.seats as usize, start.seat as usize, start.starter as usize);
    if (2..=MOST_SEATS).contains(&seats) && seat < seats && starter < seats {
        Ok(start)
    } else {
        Err(PyValueError::new_err("a table's start has seats that no game has"))
    }
}

/// What draws positions of a game whose hidden cards are in hands and stock; None if the engine cannot.
///
/// Args:
///     values: the game's values.
///     start: the encoded start of the table, with the starter of the deal.
///     observation: the seat's encoded observation of the deal, in a turn of the seat.
///     series: the encoded observation of the series, None for a single deal.
///     certain: by seat, the numbers of cards that are certainly in its hand.
///     pool: the numbers of the cards that were not seen.
///     hypotheses: what else may be in the hands, one after the other: by seat 8 bytes, the lowest first, of bits
///         1 << number; empty if there are none.
///     weights: the weights up to and with each hypothesis.
///     known: by seat, lists by seat of what the first has seen that the second holds (Nyuri), or in the
///         first list the numbers of cards that lie face down (Kleftis).
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn draws_of_hands(
    values: Py<GameValues>,
    start: &[u8],
    observation: &[u8],
    series: Option<&[u8]>,
    certain: Vec<Vec<Card>>,
    sizes: Vec<usize>,
    pool: Vec<Card>,
    hypotheses: &[u8],
    weights: Vec<f64>,
    known: Vec<Vec<Set>>,
) -> PyResult<Option<Draws>> {
    use table_start::Game;
    let start = start_of(start)?;
    let in_deck = |cards: &[Card]| cards.iter().all(|card| (1..=54).contains(card));
    let in_sets = |cards: Set| cards & !ALL_CARDS == 0;
    let seats = start.seats as usize;
    if !in_deck(&pool)
        || !certain.iter().all(|cards| in_deck(cards))
        || sizes.iter().any(|&size| size > ALL_CARDS.count_ones() as usize)
        || known.len() > seats
        || known.iter().any(|held| held.len() > seats || !held.iter().all(|&cards| in_sets(cards)))
    {
        return Ok(None);
    }
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |set, &byte| set << 8 | Set::from(byte));
    let hands = |bytes: &[u8]| bytes.chunks(8).map(bits).collect();
    let unseen = Unseen {
        seat: start.seat as usize,
        certain: certain.into_iter().map(set).collect(),
        sizes,
        pool,
        hypotheses: Arc::new(hypotheses.chunks(8 * start.seats as usize).map(hands).collect()),
        weights: Arc::new(weights),
    };
    let table = TableSeen { start: &start, observation, series };
    let sets = || unseen.hypotheses.iter().flatten();
    if unseen.certain.len() != seats || !sets().all(|&cards| in_sets(cards)) || !unseen.is_sound() {
        return Ok(None);
    }
    set_up(|| match start.game {
        Some(Game::Nyuri(_)) => drawing::<nyuri::State, crate::sampling::nyuri::Memory>(
            values,
            &table,
            unseen,
            |_| {},
            |it| {
                for (holdings, held) in it.holdings.iter_mut().zip(&known) {
                    held.iter().enumerate().for_each(|(seat, cards)| holdings.put(seat, *cards));
                }
            },
        ),
        Some(Game::FortyOne(_)) => {
            drawing::<forty_one::State, forty_one_mind::Memory>(values, &table, unseen, |_| {}, |_| {})
        }
        Some(Game::Kleftis(_)) => {
            let secured = known.into_iter().flatten().fold(0, |all, cards| all | cards);
            let secure = |mind: &mut kleftis_mind::Memory| mind.secured(secured);
            drawing::<kleftis::State, kleftis_mind::Memory>(values, &table, unseen, secure, |_| {})
        }
        Some(Game::Hyrule(_)) => drawing::<hyrule::State, hyrule_mind::Memory>(values, &table, unseen, |_| {}, |_| {}),
        _ => None,
    })
}

/// What a seat sees at a table.
struct TableSeen<'a> {
    start: &'a TableStart,
    observation: &'a [u8],
    series: Option<&'a [u8]>,
}

impl TableSeen<'_> {
    /// The game at the table, with a position of the running deal; none if the seat would see something else.
    fn playing<S: Search>(&self, deal: S, seen: &S::Observation) -> Option<Playing<S>> {
        use table_start::Game;
        let start = self.start;
        let options = match start.game.as_ref()? {
            Game::Nyuri(options) => options.encode_to_vec(),
            Game::FortyOne(options) => options.encode_to_vec(),
            Game::NurMut(options) => options.encode_to_vec(),
            Game::Kleftis(options) => options.encode_to_vec(),
            Game::Hyrule(options) => options.encode_to_vec(),
        };
        let (options, plan) = S::terms(&options)?;
        let series = self.series.map(SeriesObservation::decode).transpose().ok()?;
        let shown = deal.observation(start.seat as usize) == *seen;
        let (seats, starter) = (start.seats as usize, start.starter as usize);
        let game = Playing::resumed(options, plan, seats, starter, deal, series.as_ref());
        (shown && game.observation() == series).then_some(game)
    }
}

fn drawing<S: Search + Hands, M: Mind<S>>(
    values: Py<GameValues>,
    table: &TableSeen,
    unseen: Unseen,
    remind: impl FnOnce(&mut M),
    complete: impl FnOnce(&mut S),
) -> Option<Draws> {
    let start = table.start;
    let options = S::options(start)?;
    let seen = S::Observation::decode(table.observation).ok()?;
    let seat = start.seat as usize;
    let deck = set(S::deck(&options));
    let unknown = |cards: &Set| cards & !deck != 0;
    let mut sets = unseen.certain.iter().chain(unseen.hypotheses.iter().flatten());
    if sets.any(unknown) || unknown(&set(unseen.pool.iter().copied())) {
        return None;
    }
    // A mind that was told no event takes no card to be anywhere but where the observation says.
    let mut mind = M::new(&options, start.seats as usize, seat, start.starter as usize);
    remind(&mut mind);
    let mut state = mind.sample(&seen, &mut Random::new(0))?;
    complete(&mut state);
    let playing = table.playing(state, &seen)?;
    let mut drawn = playing.deal.clone();
    unseen.clone().draw(&mut drawn, &mut Random::new(0));
    if drawn.observation(seat) != seen {
        return None; // the hands have other sizes
    }
    let drawing = Drawing { seat, seen: playing, hidden: Box::new(unseen) };
    Some(Draws { drawing: Mutex::new(Box::new(drawing)), values, seat })
}

/// A spot of Nur Mut: its shuffle, its card, the face that was up and the other one (0 if they were not
/// seen), whether the card was turned over since, and the spot that it came from.
type SpotParts = (usize, usize, Face, Face, bool, Option<usize>);

/// What draws positions of Nur Mut; None if the engine cannot.
///
/// Args:
///     values, start, observation, series: as in `draws_of_hands`.
///     spots: an assignment of cards to spots that shows what was seen, with earlier shuffles first.
///     decks, piles: the places of the spots in each, top card last.
///     known: by pile, the faces of cards on it of which both faces were seen, the lower first.
///     flipped: the faces of the card that was flipped, while its pile is chosen.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn draws_of_decks(
    values: Py<GameValues>,
    start: &[u8],
    observation: &[u8],
    series: Option<&[u8]>,
    spots: Vec<SpotParts>,
    decks: Vec<Vec<usize>>,
    piles: Vec<Vec<usize>>,
    known: Vec<Vec<(Face, Face)>>,
    flipped: Option<(Face, Face)>,
) -> PyResult<Option<Draws>> {
    let start = start_of(start)?;
    let table = TableSeen { start: &start, observation, series };
    set_up(|| drawing_decks(values, &table, &spots, decks, piles, &known, flipped))
}

fn drawing_decks(
    values: Py<GameValues>,
    table: &TableSeen,
    spots: &[SpotParts],
    decks: Vec<Vec<usize>>,
    piles: Vec<Vec<usize>>,
    known: &[Vec<(Face, Face)>],
    flipped: Option<(Face, Face)>,
) -> Option<Draws> {
    use crate::arena::{NurMutLaidReason, NurMutObservation, NurMutPhase};
    type State = nur_mut::State;
    let start = table.start;
    let terms = State::options(start)?;
    let seen = NurMutObservation::decode(table.observation).ok()?;
    let seat = start.seat as usize;
    let is_card = |&(one, other): &(Face, Face)| [one, other].iter().all(|face| (1..=HIDDEN).contains(face));
    if !flipped.iter().all(is_card) {
        return None;
    }
    let face = |face: Face| (1..=HIDDEN).contains(&face).then_some(face);
    let spot = |&(shuffle, card, up, down, turned, before): &SpotParts| {
        Spot::new(shuffle, card, [face(up), face(down)], turned, before)
    };
    let piles: [Vec<usize>; PILES] = piles.try_into().ok()?;
    let seats = decks.len();
    let sizes = (seen.deck_sizes.iter().map(|&size| size as usize), decks.iter().map(Vec::len));
    if seats != start.seats as usize || !sizes.0.eq(sizes.1) {
        return None;
    }
    let mut walk = Walk::new(&terms.cards, terms.hidden, spots.iter().map(spot).collect(), decks, piles)?;
    let choosing = (seen.phase() == NurMutPhase::ChoosePile).then_some(if seen.by_courage {
        NurMutLaidReason::Courage
    } else {
        NurMutLaidReason::Place
    });
    let mut laid = Known::none();
    for (pile, cards) in known.iter().enumerate().take(PILES) {
        cards.iter().filter(|card| is_card(card)).for_each(|&card| laid.add(pile, card));
    }
    let mut state = State {
        terms,
        decks: vec![vec![]; seats],
        tucked: [0; MOST_SEATS], // the number is not visible, nor needed to play on
        piles: [const { vec![] }; PILES],
        choosing,
        again: seen.again,
        passes: seen.passes,
        stalled: seen.stalled,
        turns: seen.turns,
        seat,
        over: false,
        known: laid,
        flipped,
    };
    walk.draw(&mut state, &mut Random::new(0));
    let drawing = Drawing { seat, seen: table.playing(state, &seen)?, hidden: Box::new(walk) };
    Some(Draws { drawing: Mutex::new(Box::new(drawing)), values, seat })
}
