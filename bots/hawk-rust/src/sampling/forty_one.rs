//! Forty-one: every permutation of the cards that were never shown is as likely, by the rules alone.
//!
//! But what the other of two seats drew, took and threw away says much of what it holds. So its hand is followed
//! by many guesses, each as likely as its actions would have been for a player that is mostly thoughtful.

use super::Mind;
use crate::arena::forty_one_event::Kind;
use crate::arena::*;
use crate::cards::{self, ALL, Card, Set, bit, each, suit};
use crate::chance::{Chance, Random};
use crate::games::MOST_SEATS;
use crate::games::forty_one::{Action, Options, State, may_stop};
use crate::policy::forty_one::{Constants, beginning, discard};
use crate::search::Game;

/// How many guesses of the other hand are kept.
const GUESSES: usize = 1500;
/// How often an action is taken to be thoughtful's; else it is any.
const THOUGHTFUL: f64 = 0.8;
/// The share of samples in which the other hand is any, as by the rules alone.
const ANY_HAND: f64 = 0.15;

/// A guess of the other seat's hand, without a card just drawn.
#[derive(Clone, Copy)]
struct Guess {
    hand: Set,
    weight: f64,
}

pub struct Memory {
    options: Options,
    seats: usize,
    seat: usize,
    starter: usize,
    random: Random,
    /// Of two seats; empty until the own hand is known.
    guesses: Vec<Guess>,
    /// The cards that this seat has held, and all discards: the other never drew them.
    out: Set,
    /// The cards that the other holds for all to know.
    known: Set,
    discard: Option<Card>,
    /// The discard that the other has just taken.
    taken: Option<Card>,
    /// The suit of the other's last discard that this seat took.
    wanted: Option<u8>,
}

impl Memory {
    /// Guesses anew, by nothing but the rules.
    fn guess_anew(&mut self) {
        let known = self.known;
        let hidden: Vec<Card> = each(ALL & !(self.out | known)).collect();
        let missing = 4usize.saturating_sub(known.count_ones() as usize).min(hidden.len());
        let mut cards = hidden;
        let mut guesses = Vec::with_capacity(GUESSES);
        for _ in 0..GUESSES {
            for place in 0..missing {
                let other = place + self.random.below(cards.len() - place);
                cards.swap(place, other);
            }
            guesses.push(Guess { hand: known | cards::set(cards[..missing].iter().copied()), weight: 1.0 });
        }
        self.guesses = guesses;
    }

    /// Weighs every guess, and draws anew where few have all the weight.
    fn weigh(&mut self, mut likelihood: impl FnMut(&mut Guess, &mut Random) -> f64) {
        if self.guesses.is_empty() {
            return;
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        for guess in &mut self.guesses {
            if guess.weight > 0.0 {
                guess.weight *= likelihood(guess, &mut self.random);
            }
            sum += guess.weight;
            squares += guess.weight * guess.weight;
        }
        if sum <= 0.0 {
            self.guess_anew();
        } else if sum * sum < squares * GUESSES as f64 / 2.0 {
            self.draw_anew(sum);
        } else {
            self.guesses.iter_mut().for_each(|guess| guess.weight *= GUESSES as f64 / sum);
        }
    }

    fn draw_anew(&mut self, sum: f64) {
        let step = sum / GUESSES as f64;
        let mut at = self.random.share() * step;
        let mut passed = 0.0;
        let mut drawn = Vec::with_capacity(GUESSES);
        for guess in &self.guesses {
            passed += guess.weight;
            while at < passed && drawn.len() < GUESSES {
                drawn.push(Guess { hand: guess.hand, weight: 1.0 });
                at += step;
            }
        }
        self.guesses = drawn;
    }

    /// The other seat begins its turn so.
    fn began(&mut self, action: Action) {
        let (options, discard) = (self.options, self.discard);
        self.weigh(|guess, _| {
            let may_end = may_stop(guess.hand, &options);
            let choices = 1.0 + f64::from(u8::from(discard.is_some())) + f64::from(u8::from(may_end));
            likely(beginning(guess.hand, discard, true, may_end, style()) == action, choices)
        });
    }

    /// The other seat discards a card.
    fn discarded(&mut self, card: Card) {
        let (taken, wanted, out) = (self.taken.take(), self.wanted, self.out);
        self.weigh(|guess, random| {
            let held = guess.hand & bit(card) != 0;
            match taken {
                Some(_) if !held => 0.0, // it may not throw away what it has just taken
                Some(drawn) => {
                    let likely = likely(discard(guess.hand, drawn, true, wanted, style()) == card, 4.0);
                    guess.hand = guess.hand & !bit(card) | bit(drawn);
                    likely
                }
                None => {
                    let hidden = ALL & !(out | guess.hand);
                    let count = hidden.count_ones().max(1);
                    if !held {
                        return likely(discard(guess.hand, card, false, wanted, style()) == card, 5.0)
                            / f64::from(count);
                    }
                    let Some(drawn) = each(hidden).nth(random.below(count as usize)) else { return 0.0 };
                    let likely = likely(discard(guess.hand, drawn, false, wanted, style()) == card, 5.0);
                    guess.hand = guess.hand & !bit(card) | bit(drawn);
                    likely
                }
            }
        });
        self.known &= !bit(card);
        self.out |= bit(card);
    }

    /// This seat is shown a card that the other does not hold.
    fn not_there(&mut self, card: Card) {
        self.out |= bit(card);
        self.weigh(|guess, _| f64::from(u8::from(guess.hand & bit(card) == 0)));
    }
}

fn style() -> &'static Constants {
    &State::styles()[0]
}

fn likely(thoughtful: bool, choices: f64) -> f64 {
    (1.0 - THOUGHTFUL) / choices + if thoughtful { THOUGHTFUL } else { 0.0 }
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, starter: usize) -> Self {
        Self {
            options: *options,
            seats,
            seat,
            starter,
            random: Random::new(seat as u64),
            guesses: vec![],
            out: 0,
            known: 0,
            discard: None,
            taken: None,
            wanted: None,
        }
    }

    fn told(&mut self, event: &FortyOneEvent) {
        if self.seats != 2 {
            return;
        }
        let card = |number: i32| cards::read_one(number).filter(|card| bit(*card) & ALL != 0);
        match &event.kind {
            Some(Kind::Dealt(FortyOneDealt { cards, .. })) if !cards.is_empty() => {
                self.out |= cards::set(cards::read(cards).unwrap_or_default());
                self.guess_anew();
            }
            Some(Kind::DrewStock(FortyOneDrewStock { card: Some(number), .. })) => {
                if let Some(card) = card(*number) {
                    self.not_there(card);
                }
            }
            Some(Kind::DrewStock(_)) => self.began(Action::Draw),
            Some(Kind::TookDiscard(FortyOneTookDiscard { seat, card: number })) => {
                let Some(card) = card(*number) else { return };
                if *seat as usize == self.seat {
                    self.wanted = Some(suit(card));
                } else {
                    self.began(Action::Take);
                    self.taken = Some(card);
                    self.known |= bit(card);
                }
            }
            Some(Kind::Discarded(FortyOneDiscarded { seat, card: number })) => {
                let Some(card) = card(*number) else { return };
                if *seat as usize != self.seat {
                    self.discarded(card);
                }
                self.discard = Some(card);
            }
            _ => {}
        }
    }

    fn prepare(&mut self, _: &FortyOneObservation, _: &mut Random) {
        let sum: f64 = self.guesses.iter().map(|guess| guess.weight).sum();
        if sum > 0.0 {
            self.draw_anew(sum); // of equal weights, so that one is quickly drawn
        }
    }

    fn sample(&mut self, seen: &FortyOneObservation, random: &mut Random) -> Option<State> {
        let discards = cards::read(&seen.discards)?;
        let hand = cards::set(cards::read(&seen.hand)?);
        if seen.hand_sizes.len() != self.seats || seen.taken.len() != discards.len() || hand & !ALL != 0 {
            return None;
        }
        // Where the cards that were taken went: in the hand of the seat that took them until it discards them.
        let mut known: Vec<Set> = vec![0; self.seats];
        let mut wanted_next = [None; MOST_SEATS];
        let mut lying = 0;
        for (turn, (&card, &taken)) in discards.iter().zip(&seen.taken).enumerate() {
            let seat = (self.starter + turn) % self.seats;
            known[seat] &= !bit(card);
            if taken {
                known[(seat + 1) % self.seats] |= bit(card);
                wanted_next[seat] = Some(suit(card));
            } else {
                lying |= bit(card);
            }
        }
        let mut elsewhere =
            known.iter().enumerate().filter(|(seat, _)| *seat != self.seat).fold(0, |all, (_, cards)| all | cards);
        if !self.guesses.is_empty() && self.seats == 2 && random.share() > ANY_HAND {
            let guess = self.guesses[random.below(self.guesses.len())].hand;
            let other = 1 - self.seat;
            if guess.count_ones() == seen.hand_sizes[other]
                && guess & (hand | lying) == 0
                && guess & elsewhere == elsewhere
            {
                known[other] = guess;
                elsewhere = guess;
            }
        }
        let mut hidden: Vec<Card> = each(ALL & !(hand | lying | elsewhere)).collect();
        random.shuffle(&mut hidden);
        let mut hands = known;
        for (seat, held) in hands.iter_mut().enumerate() {
            if seat == self.seat {
                *held = hand;
                continue;
            }
            let missing = (seen.hand_sizes[seat] as usize).checked_sub(held.count_ones() as usize)?;
            let left = hidden.len().checked_sub(missing)?;
            *held |= cards::set(hidden.drain(left..));
        }
        let drawn = match seen.drawn {
            None => None,
            Some(number) => {
                let card = cards::read_one(number)?;
                hands[self.seat] &= !bit(card);
                Some((card, seen.taken.last() == Some(&true)))
            }
        };
        let consistent = hidden.len() == seen.stock as usize && hands[self.seat].count_ones() == 4;
        consistent.then(|| State {
            options: self.options,
            hands,
            stock: hidden,
            discards,
            taken: seen.taken.clone(),
            drawn,
            wanted_next,
            stalled: seen.stalled,
            starter: self.starter,
            seat: self.seat,
            over: false,
        })
    }
}
