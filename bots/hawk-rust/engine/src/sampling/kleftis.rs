//! Kleftis: every permutation of the cards that were never shown is as likely.

use super::Mind;
use crate::arena::kleftis_event::Kind;
use crate::arena::*;
use crate::cards::{self, ALL, Card, DECK, Set, bit, each};
use crate::chance::{Chance, Random};
use crate::games::kleftis::{Group, Options, State};
use crate::list::List;

#[derive(Clone)]
pub struct Memory {
    options: Options,
    seats: usize,
    seat: usize,
    starter: usize,
    /// What was secured; it lies face down.
    secured: Set,
}

impl Memory {
    /// Remembers that cards were secured.
    pub fn secured(&mut self, cards: Set) {
        self.secured |= cards;
    }
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, starter: usize) -> Self {
        Self { options: *options, seats, seat, starter, secured: 0 }
    }

    fn told(&mut self, event: &KleftisEvent) {
        if let Some(Kind::Secured(KleftisSecured { cards, .. })) = &event.kind
            && let Some(cards) = cards::read(cards)
        {
            self.secured |= cards::set(cards);
        }
    }

    fn sample(&mut self, seen: &KleftisObservation, random: &mut Random) -> Option<State> {
        if seen.dashboards.len() != self.seats || seen.hand_sizes.len() != self.seats {
            return None;
        }
        let mut groups = List::new();
        let mut lone = List::of(self.seats);
        let mut shown = self.secured;
        let mut touched = None;
        let mut group_count = 0;
        for (owner, board) in seen.dashboards.iter().enumerate() {
            for group in &board.groups {
                let number = u8::try_from(group.group).ok().filter(|number| *number < 52)?;
                let cards = cards::read(&group.cards)?;
                let made = Group::of(owner, number, &cards)?;
                if cards::set(cards.iter().copied()) & (shown | !ALL) != 0 {
                    return None;
                }
                shown |= cards::set(cards);
                groups.push(made);
                lone[owner] |= made.lone();
                group_count = group_count.max(number + 1);
                if group.touched {
                    touched = Some(number);
                }
            }
        }
        let mut secured = List::new();
        for board in &seen.dashboards {
            secured.push(u8::try_from(board.secured).ok().filter(|count| *count <= 52)?);
        }
        let hand = cards::set(cards::read(&seen.hand)?);
        let hidden = ALL & !(shown | hand);
        let sizes = || seen.hand_sizes.iter().map(|&size| size as usize);
        let elsewhere = sizes().sum::<usize>() + seen.stock as usize;
        let own = hand.count_ones() as usize;
        if sizes().nth(self.seat) != Some(own)
            || hand & (shown | !ALL) != 0
            || elsewhere != hidden.count_ones() as usize + own
            || usize::from(group_count) + elsewhere > 64
        {
            return None;
        }
        let mut hands: List<Set, _> = List::of(self.seats);
        hands[self.seat] = hand;
        let mut stock: List<Card, _> = each(hidden).collect();
        for (seat, size) in sizes().enumerate().filter(|(seat, _)| *seat != self.seat) {
            hands[seat] = (0..size).filter_map(|_| stock.pop()).fold(0, |hand, card| hand | bit(card));
        }
        let seats = self.seats;
        let closing = if !self.options.final_secure {
            0
        } else if hands.iter().all(|hand| *hand == 0) && stock.is_empty() && touched.is_none() {
            let first = (self.starter + DECK.count()) % seats; // each of the 52 turns spends a card
            seats - 1 - (self.seat + seats - first) % seats
        } else {
            seats
        };
        let state = State {
            options: self.options,
            hands,
            stock,
            groups,
            lone,
            secured,
            shown,
            group_count,
            touched,
            closing: closing as u8,
            securing: seen.phase() == KleftisPhase::Secure,
            seat: self.seat,
            over: false,
        };
        self.again(&state, seen, random)
    }

    fn again(&mut self, drawn: &State, _: &KleftisObservation, random: &mut Random) -> Option<State> {
        let mut world = *drawn;
        let mut hidden: List<Card, 52> = each(world.unseen(self.seat)).collect();
        random.shuffle(&mut hidden);
        for hand in world.hands.iter_mut().enumerate().filter(|(seat, _)| *seat != self.seat).map(|(_, hand)| hand) {
            let size = hand.count_ones();
            *hand = (0..size).filter_map(|_| hidden.pop()).fold(0, |hand, card| hand | bit(card));
        }
        world.stock = hidden;
        Some(world)
    }
}
