//! One seat of a game whose other seats are played by policies, for training.

use crate::chance::{Chance, Random};
use crate::encoding::{Encoding, Row, Shape};
use crate::games::Silent;
use crate::games::series::{Plan, Series};
use crate::policy::Policy;
use crate::policy::greedy::Greedy;
use crate::table::{self, Game};

/// How another seat is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Opponent {
    Greedy,
    Random,
    Thoughtful,
}

/// A game that begins on one board after another.
pub trait Seated: Send + Sync {
    /// How many actions have a number.
    fn actions(&self) -> usize;
    /// Begins a game, and plays the others' turns before the seat's first one; whether the seat has a choice.
    ///
    /// Args: the key of the board; the opponents' random numbers follow from it too.
    ///
    /// None for a seat or a starter that the game does not have.
    fn begin(&mut self, key: &[u8], seat: usize, starter: usize) -> Option<bool>;
    /// Plays the action with a number, and the others' turns until the seat's next one; whether it was legal.
    fn step(&mut self, action: i64) -> bool;
    /// Whether the seat has no choice any more.
    fn over(&self) -> bool;
    /// The share of opponents that the seat beat, scaled to -1 to 1, once the game is over; before that 0.
    fn reward(&self) -> f64;
    /// Writes the observation of the seat, and ones at the numbers of its legal actions.
    fn write(&self, row: &mut Vec<f32>, mask: &mut [bool]);
}

/// A game with an encoding and policies.
pub trait Played: Game + Encoding + Policy + Greedy {}

impl<S: Game + Encoding + Policy + Greedy> Played for S {}

struct Begun<S: Game> {
    series: Series<S>,
    seat: usize,
    random: Random,
    /// The legal actions of the seat by their numbers; none once the game is over.
    legal: Vec<(usize, S::Action)>,
    forfeited: bool,
}

struct Games<S: Game> {
    options: S::Options,
    plan: Plan,
    shape: Shape,
    opponents: Vec<Opponent>,
    begun: Option<Begun<S>>,
}

/// A game, of which none is begun; none for a game or options that are not known.
///
/// Args: the opponents are those of the seats after the own one, in play order.
pub fn seated(game: &str, options: &[u8], opponents: Vec<Opponent>) -> Option<Box<dyn Seated>> {
    fn seated<S: Played + Send + Sync + 'static>(options: &[u8], opponents: Vec<Opponent>) -> Option<Box<dyn Seated>>
    where
        S::Options: Send + Sync,
        S::Action: Send + Sync,
    {
        let seats = opponents.len() + 1;
        let (terms, plan) = S::terms(options)?;
        if !(2..=plan.most_seats).contains(&seats) {
            return None;
        }
        let (options, shape) = (terms, S::shape(options, seats)?);
        Some(Box::new(Games::<S> { options, plan, shape, opponents, begun: None }))
    }
    table::by_game!(game, seated(options, opponents))
}

impl<S: Played> Begun<S> {
    /// Plays on until the seat has a choice, or the game is over.
    fn go_on(&mut self, shape: &Shape, opponents: &[Opponent]) {
        self.legal.clear();
        while let Some(&acting) = self.series.acting().first() {
            let legal = self.series.legal(acting);
            if acting == self.seat && legal.len() > 1 {
                let seen = self.series.deal.observation(acting);
                let number = |action: &S::Action| S::number(shape, &seen, &S::message(action)).expect("a legal action");
                self.legal = legal.iter().map(|action| (number(action), action.clone())).collect();
                return;
            }
            let deal = &self.series.deal;
            let action = if legal.len() == 1 {
                legal[0].clone()
            } else {
                let seats = self.series.seats();
                match opponents[(acting + seats - self.seat) % seats - 1] {
                    Opponent::Greedy => deal.greedy(acting),
                    Opponent::Thoughtful => deal.choose(acting, &deal.styles()[0]),
                    Opponent::Random => legal[self.random.below(legal.len())].clone(),
                }
            };
            self.series.play(acting, &action, &mut Silent);
        }
    }
}

impl<S: Played + Send + Sync> Seated for Games<S>
where
    S::Options: Send + Sync,
    S::Action: Send + Sync,
{
    fn actions(&self) -> usize {
        self.shape.actions
    }

    fn begin(&mut self, key: &[u8], seat: usize, starter: usize) -> Option<bool> {
        if seat >= self.shape.seats {
            return None;
        }
        let series = Series::new(self.options.clone(), self.plan, self.shape.seats, starter, key, &mut Silent)?;
        let seed = key.iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte));
        let random = Random::new(seed);
        let mut begun = Begun { series, seat, random, legal: vec![], forfeited: false };
        begun.go_on(&self.shape, &self.opponents);
        let has_choice = !begun.legal.is_empty();
        self.begun = Some(begun);
        Some(has_choice)
    }

    fn step(&mut self, action: i64) -> bool {
        let Some(begun) = &mut self.begun else { return false };
        let found = begun.legal.iter().find(|(number, _)| i64::try_from(*number) == Ok(action));
        let Some((_, action)) = found.cloned() else {
            begun.forfeited = true;
            return false;
        };
        begun.series.play(begun.seat, &action, &mut Silent);
        begun.go_on(&self.shape, &self.opponents);
        true
    }

    fn over(&self) -> bool {
        self.begun.as_ref().is_none_or(|begun| begun.forfeited || begun.legal.is_empty())
    }

    fn reward(&self) -> f64 {
        let outcome = self.begun.as_ref().and_then(|begun| Some((begun.seat, begun.series.outcome()?)));
        outcome.map_or(0.0, |(seat, outcome)| {
            let compared = outcome.places.iter().map(|other| other.cmp(&outcome.places[seat]) as i32);
            f64::from(compared.sum::<i32>()) / (outcome.places.len() - 1) as f64
        })
    }

    fn write(&self, row: &mut Vec<f32>, mask: &mut [bool]) {
        mask.fill(false);
        let Some(begun) = &self.begun else { return };
        let mut row = Row::new(row, &self.shape, begun.seat);
        S::write(&self.shape, &begun.series.deal.observation(begun.seat), &mut row);
        if let Some(seen) = begun.series.observation() {
            row.series(&self.shape, &seen);
        }
        if !begun.forfeited {
            begun.legal.iter().for_each(|(number, _)| mask[*number] = true);
        }
    }
}
