//! Forty-one: every permutation of the cards that were never shown is as likely, by the rules alone; but what
//! the other seat drew, took and threw away says much of what it holds.

use super::Mind;
use crate::arena::*;
use crate::cards::{self, ALL, Card, Set, bit, each, suit};
use crate::chance::{Chance, Random};
use crate::games::MOST_SEATS;
use crate::games::forty_one::{Options, State};

pub struct Memory {
    options: Options,
    seats: usize,
    seat: usize,
    starter: usize,
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, starter: usize) -> Self {
        Self { options: *options, seats, seat, starter }
    }

    fn told(&mut self, _: &FortyOneEvent) {}

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
        let elsewhere = known.iter().enumerate().filter(|(seat, _)| *seat != self.seat).fold(0, |all, (_, cards)| all | cards);
        let mut hidden: Vec<Card> = each(ALL & !(hand | lying | elsewhere)).collect();
        random.shuffle(&mut hidden);
        let mut hands = known;
        for seat in 0..self.seats {
            if seat == self.seat {
                hands[seat] = hand;
                continue;
            }
            let missing = (seen.hand_sizes[seat] as usize).checked_sub(hands[seat].count_ones() as usize)?;
            let left = hidden.len().checked_sub(missing)?;
            hands[seat] |= cards::set(hidden.drain(left..));
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
