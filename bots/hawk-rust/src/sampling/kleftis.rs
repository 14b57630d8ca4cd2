//! Kleftis: every permutation of the cards that were never shown is as likely.

use super::Mind;
use crate::arena::kleftis_event::Kind;
use crate::arena::*;
use crate::cards::{self, Set, bit, each};
use crate::chance::{Chance, Random};
use crate::games::kleftis::{Group, Options, State, unseen};

pub struct Memory {
    options: Options,
    seats: usize,
    seat: usize,
    /// What each seat has secured; it lies face down.
    secured: Vec<Set>,
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, _: usize) -> Self {
        Self { options: *options, seats, seat, secured: vec![0; seats] }
    }

    fn told(&mut self, event: &KleftisEvent) {
        if let Some(Kind::Secured(KleftisSecured { seat, cards, .. })) = &event.kind
            && let (Some(cards), Some(secured)) = (cards::read(cards), self.secured.get_mut(*seat as usize))
        {
            *secured |= cards::set(cards);
        }
    }

    fn sample(&mut self, seen: &KleftisObservation, random: &mut Random) -> Option<State> {
        if seen.dashboards.len() != self.seats || seen.hand_sizes.len() != self.seats {
            return None;
        }
        let mut boards = Vec::with_capacity(self.seats);
        let mut touched = None;
        let mut group_count = 0;
        for board in &seen.dashboards {
            let mut groups = Vec::with_capacity(board.groups.len());
            for group in &board.groups {
                let number = u8::try_from(group.group).ok().filter(|number| *number < 52)?;
                groups.push(Group::of(number, &cards::read(&group.cards)?)?);
                group_count = group_count.max(number + 1);
                if group.touched {
                    touched = Some(number);
                }
            }
            boards.push(groups);
        }
        let hand = cards::set(cards::read(&seen.hand)?);
        let secured = self.secured.iter().fold(0, |all, cards| all | cards);
        let mut hidden: Vec<u8> = each(unseen(&boards, secured, hand)).collect();
        let sizes: Vec<usize> = seen.hand_sizes.iter().map(|&size| size as usize).collect();
        let elsewhere = sizes.iter().sum::<usize>() + seen.stock as usize;
        let own = hand.count_ones() as usize;
        if own != sizes[self.seat] || elsewhere != hidden.len() + own || usize::from(group_count) + elsewhere > 64 {
            return None;
        }
        random.shuffle(&mut hidden);
        let mut hands = vec![0; self.seats];
        for seat in 0..self.seats {
            let taken = if seat == self.seat { 0 } else { sizes[seat] };
            hands[seat] = hidden.drain(hidden.len() - taken..).fold(0, |hand, card| hand | bit(card));
        }
        hands[self.seat] = hand;
        let over = hands.iter().all(|hand| *hand == 0) && seen.stock == 0;
        Some(State {
            options: self.options,
            hands,
            stock: hidden,
            boards,
            secured: self.secured.clone(),
            group_count,
            touched,
            closing: if self.options.final_secure && !over { self.seats as u8 } else { 0 },
            securing: seen.phase() == KleftisPhase::Secure,
            seat: self.seat,
            over: false,
        })
    }
}
