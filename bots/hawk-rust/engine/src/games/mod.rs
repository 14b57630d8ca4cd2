//! The rules of the five games: positions that are quick to copy and to play on.
//!
//! They follow the referee's rules pages (`arena games NAME`), whose rulings they cite; the legal actions
//! come in the documented order, for a decision names one by its index.

pub mod forty_one;
pub mod hyrule;
pub mod kleftis;
pub mod nur_mut;
pub mod nyuri;
pub mod series;

use crate::cards::{Set, bit};
use crate::chance::Chance;

/// The most seats that any game has.
pub const MOST_SEATS: usize = 7;

/// Whether numbers of a game's options are in their ranges, both ends included, as the options in Python have them.
fn in_range(options: &[(u32, u32, u32)]) -> bool {
    options.iter().all(|(value, low, high)| (low..=high).contains(&value))
}

/// An event as all are told it and, where that differs, as some seats are.
pub struct Told<E> {
    pub public: E,
    pub private: Option<(E, [usize; 2])>,
}

impl<E> Told<E> {
    pub fn all(event: E) -> Self {
        Self { public: event, private: None }
    }

    pub fn one(seat: usize, public: E, private: E) -> Self {
        Self { public, private: Some((private, [seat, seat])) }
    }

    /// The event as a seat is told it.
    pub fn to(&self, seat: usize) -> &E {
        match &self.private {
            Some((event, seats)) if seats.contains(&seat) => event,
            _ => &self.public,
        }
    }
}

/// Who wants to know what happens; in a rollout nobody does.
pub trait Log<E> {
    fn tell(&mut self, event: impl FnOnce() -> Told<E>);
}

/// Nobody.
pub struct Silent;

impl<E> Log<E> for Silent {
    fn tell(&mut self, _: impl FnOnce() -> Told<E>) {}
}

impl<E> Log<E> for Vec<Told<E>> {
    fn tell(&mut self, event: impl FnOnce() -> Told<E>) {
        self.push(event());
    }
}

/// How a deal ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Per seat, 1 for the best; tied seats share a place.
    pub places: Vec<u32>,
    /// Per seat, the game's own points.
    pub points: Vec<i32>,
    /// Why the deal ended.
    pub reason: &'static str,
}

impl Outcome {
    /// The outcome where seats compare by `keys`, the highest first.
    pub fn new<K: Ord>(keys: &[K], points: Vec<i32>, reason: &'static str) -> Self {
        Self { places: places(keys), points, reason }
    }
}

/// The place of each seat: a higher key is better, and equal keys share a place.
pub fn places<K: Ord>(keys: &[K]) -> Vec<u32> {
    keys.iter().map(|key| 1 + keys.iter().filter(|other| *other > key).count() as u32).collect()
}

/// Some cards in the order of a deck, which has each once.
pub fn in_order_of<'a>(deck: &'a [u8], cards: &[u8]) -> impl DoubleEndedIterator<Item = u8> + use<'a> {
    let wanted: Set = cards.iter().fold(0, |set, &card| set | bit(card));
    deck.iter().copied().filter(move |&card| wanted & bit(card) != 0)
}

/// One position of a running deal, with everything in it.
pub trait Rules: Clone {
    type Options: Clone;
    type Action: Clone + PartialEq + std::fmt::Debug;
    /// The messages of the protocol.
    type Event: Clone + PartialEq + std::fmt::Debug;
    type Observation: Clone + PartialEq + std::fmt::Debug;
    type Message: Clone + PartialEq + std::fmt::Debug;

    /// The options where nothing else is said.
    fn usual() -> Self::Options;
    /// The deck before it is shuffled; in Nur Mut each number holds both faces.
    fn deck(options: &Self::Options) -> Vec<u8>;
    /// The first position.
    fn new(
        options: &Self::Options,
        seats: usize,
        starter: usize,
        deck: &[u8],
        chance: &mut impl Chance,
        log: &mut impl Log<Self::Event>,
    ) -> Self;
    /// The seat that acts next; none when the deal is over.
    fn to_act(&self) -> Option<usize>;
    /// All seats that are to act, in the order in which their actions are played: several where all choose at once.
    fn acting(&self) -> Vec<usize> {
        self.to_act().into_iter().collect()
    }
    /// The legal actions of a seat that is to act, in the documented order.
    fn legal(&self, seat: usize) -> Vec<Self::Action>;
    /// Plays a legal action.
    fn apply(&mut self, seat: usize, action: &Self::Action, chance: &mut impl Chance, log: &mut impl Log<Self::Event>);
    /// Draws all later chance anew: a stock in the order of a shuffled deck, and a deck that its seat cannot see in.
    fn redraw(&mut self, deck: &[u8], chance: &mut impl Chance);
    /// How the deal ended, once it is over.
    fn outcome(&self) -> Option<Outcome>;
    /// What a seat may see.
    fn observation(&self, seat: usize) -> Self::Observation;
    /// An action as the protocol has it.
    fn message(action: &Self::Action) -> Self::Message;
}
