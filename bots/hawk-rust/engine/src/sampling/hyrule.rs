//! Hyrule: every permutation of the cards that were never shown is as likely; under chance rules who has sealed
//! a card is not told, so no other seat has.

use super::Mind;
use crate::arena::*;
use crate::cards::{self, Card, Set, bit, each};
use crate::chance::{Chance, Random};
use crate::games::hyrule::{Options, State, WHOLE};

#[derive(Clone)]
pub struct Memory {
    options: Options,
    seats: usize,
    seat: usize,
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, _: usize) -> Self {
        Self { options: *options, seats, seat }
    }

    fn told(&mut self, _: &HyruleEvent) {}

    fn sample(&mut self, seen: &HyruleObservation, random: &mut Random) -> Option<State> {
        let seats = self.seats;
        if seen.hand_sizes.len() != seats || seen.captured.len() != seats || seen.trick.len() >= seats {
            return None;
        }
        let hand = cards::set(cards::read(&seen.hand)?);
        let (played, discards) = (cards::read(&seen.played)?, cards::read(&seen.discards)?);
        let trick: Vec<Card> = seen.trick.iter().map(|it| cards::read_one(it.card)).collect::<Option<_>>()?;
        let shown: Set = played.iter().chain(&discards).chain(&trick).fold(hand, |set, &card| set | bit(card));
        let mut hidden: Vec<Card> = each(WHOLE & !shown).collect();
        random.shuffle(&mut hidden);
        let mut hands = vec![hand; seats];
        for seat in (0..seats).filter(|seat| *seat != self.seat) {
            let left = hidden.len().checked_sub(seen.hand_sizes[seat] as usize)?;
            hands[seat] = cards::set(hidden.drain(left..));
        }
        let (leader, tallest) = (seen.leader as usize, seen.tallest as usize);
        let consistent = hidden.len() == seen.stock as usize
            && hand.count_ones() == seen.hand_sizes[self.seat]
            && (1..=7).contains(&hand.count_ones())
            && leader < seats
            && tallest < seats;
        let first = if seen.swapped { (leader + 1) % seats } else { leader };
        let own_turn = self.options.chance_rules || (first + trick.len()) % seats == self.seat;
        let consistent = consistent && own_turn;
        let state = consistent.then(|| State {
            options: self.options,
            hands,
            stock: hidden,
            captured: seen.captured.clone(),
            played,
            discards,
            tallest,
            leader,
            first,
            trick,
            swapped: seen.swapped,
            no_swap: seen.no_swap,
            sealed: vec![None; seats],
            over: false,
        })?;
        let turn = self.options.chance_rules
            || state.hands.iter().enumerate().all(|(seat, cards)| {
                let has_played = (seat + seats - first) % seats < state.trick.len();
                cards.count_ones() + u32::from(has_played) == hand.count_ones()
            });
        turn.then_some(state)
    }
}
