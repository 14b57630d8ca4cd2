//! Series: one deal, or several in a row at one table, as `arena/games/series.py` of the arena has them.

use super::{Log, Outcome, Rules, Told, places};
use crate::arena::{DealEnded, SeriesObservation};
use crate::chance::{Board, Chance, Keyed, Random};

/// What a won deal scores where only wins count; winners share it.
const WIN: i32 = 420;

/// How many deals there are, and how they count.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The most seats that may play, of which there are two at least.
    pub most_seats: usize,
    /// The deals without tie-breaks.
    pub deals: u32,
    /// The most further deals while the top is tied.
    pub tie_breaks: u32,
    /// Whether the deals won count, and not the game's own points.
    pub wins: bool,
    /// Whether the winner of a deal starts the next, and not the seat after its starter.
    pub winner_starts: bool,
}

/// A game of which several deals can be played in a row.
pub trait Serial: Rules {
    /// The event that tells of the end of a deal.
    fn deal_ended(ended: DealEnded) -> Self::Event;
}

/// Where the deals of a series come from.
pub trait Deals {
    type Chance: Chance;
    /// The chance of a deal, from 0, and its deck: the ordered one, shuffled.
    fn deal(&mut self, number: u32, deck: Vec<u8>) -> (Self::Chance, Vec<u8>);
}

impl Deals for Board {
    type Chance = Keyed;

    fn deal(&mut self, number: u32, deck: Vec<u8>) -> (Keyed, Vec<u8>) {
        Board::deal(self, number, deck)
    }
}

/// Each deal is in a new order.
impl Deals for Random {
    type Chance = Random;

    fn deal(&mut self, _: u32, mut deck: Vec<u8>) -> (Random, Vec<u8>) {
        self.shuffle(&mut deck);
        (Random::new(self.next()), deck)
    }
}

/// One position of a series, or of a single deal.
#[derive(Clone)]
pub struct Series<S: Serial, D: Deals = Board> {
    options: S::Options,
    plan: Plan,
    deals: D,
    seats: usize,
    pub deal: S,
    pub chance: D::Chance,
    number: u32,
    starter: usize,
    scores: Vec<i32>,
    /// The seats between which a tie-breaking deal decides.
    level: Vec<u32>,
    /// Their scores in such deals.
    tie_scores: Vec<i32>,
    outcome: Option<Outcome>,
}

impl<S: Serial> Series<S, Board> {
    /// The first position; none for a number of seats or a starter that the game does not have.
    pub fn new(
        options: S::Options,
        plan: Plan,
        seats: usize,
        starter: usize,
        key: &[u8],
        log: &mut impl Log<S::Event>,
    ) -> Option<Self> {
        if !(2..=plan.most_seats).contains(&seats) || starter >= seats {
            return None;
        }
        let board = Board::new(key);
        let (mut chance, deck) = board.deal(0, S::deck(&options));
        let deal = S::new(&options, seats, starter, &deck, &mut chance, log);
        Some(Self {
            options,
            plan,
            deals: board,
            seats,
            deal,
            chance,
            number: 0,
            starter,
            scores: vec![0; seats],
            level: vec![],
            tie_scores: vec![0; seats],
            outcome: None,
        })
    }
}

impl<S: Serial> Series<S, Board> {
    /// Draws all later chance anew, from another board.
    pub fn redraw(&mut self, board: Board) {
        let (mut chance, deck) = board.deal(0, S::deck(&self.options));
        self.deal.redraw(&deck, &mut chance);
        self.chance = self.chance.on(&board);
        self.deals = board;
    }
}

impl<S: Serial> Series<S, Random> {
    /// The position at which a series or a single deal stands, which a seed plays on.
    ///
    /// Args: `starter` is the seat that started the running deal; `seen` is none for a single deal.
    pub fn resumed(
        options: S::Options,
        plan: Plan,
        seats: usize,
        starter: usize,
        deal: S,
        seen: Option<&SeriesObservation>,
    ) -> Self {
        let scores = |seen: &[i32]| if seen.len() == seats { seen.to_vec() } else { vec![0; seats] };
        let nothing = SeriesObservation::default();
        let seen = seen.unwrap_or(&nothing);
        Self {
            options,
            plan,
            deals: Random::new(0),
            seats,
            deal,
            chance: Random::new(0),
            number: seen.deal,
            starter,
            scores: scores(&seen.scores),
            level: seen.level.iter().copied().filter(|seat| (*seat as usize) < seats).collect(),
            tie_scores: scores(&seen.tie_scores),
            outcome: None,
        }
    }

    /// Draws all later chance from other random numbers.
    pub fn reseed(&mut self, seed: u64) {
        self.chance = Random::new(seed);
        self.deals = Random::new(self.chance.next());
    }
}

impl<S: Serial, D: Deals> Series<S, D> {
    fn is_single(&self) -> bool {
        self.plan.deals == 1 && self.plan.tie_breaks == 0
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.seats
    }

    /// The seat that acts next; none once the game is over.
    pub fn to_act(&self) -> Option<usize> {
        if self.outcome.is_some() { None } else { self.deal.to_act() }
    }

    /// All seats that are to act, in the order in which their actions are played; none once the game is over.
    pub fn acting(&self) -> Vec<usize> {
        if self.outcome.is_some() { vec![] } else { self.deal.acting() }
    }

    /// The legal actions of a seat; none where it is not to act.
    pub fn legal(&self, seat: usize) -> Vec<S::Action> {
        if self.acting().contains(&seat) { self.deal.legal(seat) } else { vec![] }
    }

    /// Plays a legal action.
    pub fn play(&mut self, seat: usize, action: &S::Action, log: &mut impl Log<S::Event>) {
        self.deal.apply(seat, action, &mut self.chance, log);
        while let (None, Some(outcome)) = (&self.outcome, self.deal.outcome()) {
            self.end_deal(outcome, log);
        }
    }

    fn end_deal(&mut self, outcome: Outcome, log: &mut impl Log<S::Event>) {
        if self.is_single() {
            self.outcome = Some(outcome);
            return;
        }
        let Plan { deals, tie_breaks, .. } = self.plan;
        let won = self.score(&outcome);
        if self.number < deals {
            self.scores.iter_mut().zip(&won).for_each(|(score, won)| *score += won);
        } else {
            self.level.iter().for_each(|&seat| self.tie_scores[seat as usize] += won[seat as usize]);
        }
        let keys: Vec<(i32, i32)> = self.scores.iter().copied().zip(self.tie_scores.iter().copied()).collect();
        let places = places(&keys);
        let level: Vec<u32> = (0..self.seats as u32).filter(|&seat| places[seat as usize] == 1).collect();
        let ended = self.number;
        let more_deals = ended + 1 < deals;
        let tie_break = ended + 1 < deals + tie_breaks && level.len() > 1;
        let next_starter = (more_deals || tie_break).then(|| self.next_starter(&outcome));
        let Outcome { places: deal_places, points, reason } = outcome;
        log.tell(|| {
            let next_starter = next_starter.map(|seat| seat as u32);
            Told::all(S::deal_ended(DealEnded { deal: ended, places: deal_places, points, next_starter }))
        });
        let Some(starter) = next_starter else {
            self.outcome = Some(Outcome { places, points: self.scores.clone(), reason });
            return;
        };
        self.level = if more_deals { vec![] } else { level };
        self.starter = starter;
        self.number += 1;
        let (chance, deck) = self.deals.deal(self.number, S::deck(&self.options));
        self.chance = chance;
        self.deal = S::new(&self.options, self.seats, starter, &deck, &mut self.chance, log);
    }

    fn score(&self, outcome: &Outcome) -> Vec<i32> {
        if !self.plan.wins {
            return outcome.points.clone();
        }
        let winners = outcome.places.iter().filter(|&&place| place == 1).count() as i32;
        outcome.places.iter().map(|&place| if place == 1 { WIN / winners } else { 0 }).collect()
    }

    fn next_starter(&self, outcome: &Outcome) -> usize {
        let mut after = (self.starter..self.starter + self.seats).map(|seat| seat % self.seats);
        if self.plan.winner_starts {
            after.find(|&seat| outcome.places[seat] == 1).expect("a winner") // of some, the first in turn order
        } else {
            (self.starter + 1) % self.seats
        }
    }

    /// The outcome, once the game is over.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Where the series stands; none for a single deal.
    pub fn observation(&self) -> Option<SeriesObservation> {
        (!self.is_single()).then(|| SeriesObservation {
            deal: self.number,
            deals: self.plan.deals,
            scores: self.scores.clone(),
            level: self.level.clone(),
            tie_scores: if self.level.is_empty() { vec![] } else { self.tie_scores.clone() },
        })
    }
}
