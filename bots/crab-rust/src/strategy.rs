//! How crab plays: cautiously. It weighs what each action leaves the others to gain, the next seat above all.
//!
//! This is the file to edit for a strategy of your own: a `Player` is made for every table, and its `choose` gets a
//! turn and returns the index of one of the legal actions.

use crate::arena::{
    FortyOneView, HyruleView, KleftisObservation, KleftisView, NurMutFace, NurMutObservation, NurMutView, NyuriView,
    TableStart, Turn, forty_one_action, hyrule_action, kleftis_action, kleftis_event, nur_mut_action, nyuri_action,
    nyuri_event, turn::Game,
};
use crate::cards::{DECK, JOKERS, best, bit, bits, each, suit};
use crate::odds::{Rival, chance_to_fit, none_of};
use crate::rules::{fits, joining, points, promise, winner, worth};

/// Forty-one: the score with which to end play.
const STOP_AT: i32 = 24;

/// A seat at one table, and what it remembers of the deal.
#[derive(Default)]
pub struct Player {
    held: [u64; 8], // Nyuri: the cards that each seat is known to hold
    secured: u64,   // Kleftis: the cards that were turned face down
}

impl Player {
    /// A player for a table that begins.
    pub fn new(_start: &TableStart) -> Self {
        Self::default()
    }

    /// The index of the legal action to play.
    pub fn choose(&mut self, turn: &Turn) -> usize {
        match &turn.game {
            Some(Game::Nyuri(view)) => self.nyuri(view).unwrap_or(0),
            Some(Game::FortyOne(view)) => forty_one(view).unwrap_or(0),
            Some(Game::NurMut(view)) => nur_mut(view).unwrap_or(0),
            Some(Game::Kleftis(view)) => self.kleftis(view).unwrap_or(0),
            Some(Game::Hyrule(view)) => hyrule(view).unwrap_or(0),
            None => 0,
        }
    }

    /// Nyuri: steal with as few cards as will do; lay the pile that the others can least steal.
    fn nyuri(&mut self, view: &NyuriView) -> Option<usize> {
        use nyuri_action::Kind;
        use nyuri_event::Kind as Event;
        for event in view.events.iter().filter_map(|event| event.kind.as_ref()) {
            match event {
                Event::Placed(placed) => self.hold(placed.seat, bits(&placed.taken_back)),
                Event::Claimed(claimed) => self.hold(claimed.seat, bits(&claimed.cards)),
                Event::Stole(stole) => self.hold(stole.seat, bits(&stole.pile) | bits(&stole.cards)),
                Event::Penalty(penalty) => self.hold(penalty.owner, penalty.card.map_or(0, bit)),
                Event::DealEnded(_) => self.held = [0; 8],
                _ => {}
            }
        }
        let seen = view.observation.as_ref()?;
        let me = seen.seat() as usize;
        let piles: Vec<u64> =
            seen.piles.iter().map(|pile| pile.base.map_or(0, bit) | pile.guard.map_or(0, bit)).collect();
        let pile_of = |seat: usize| piles.get(seat).copied().unwrap_or(0);
        let lying = piles.iter().fold(0, |all, pile| all | pile);
        if let Some(own) = self.held.get_mut(me) {
            *own = 0;
        }
        self.hold(seen.seat(), bits(&seen.hand));
        self.hold(u32::MAX, lying | bits(&seen.spent));
        let hidden = self.held.iter().fold(DECK & !lying & !bits(&seen.spent), |hidden, held| hidden & !held);
        let others = seen.hand_sizes.iter().zip(self.held).enumerate().filter(|(seat, _)| *seat != me);
        let rivals: Vec<Rival> = others
            .map(|(_, (&size, held))| {
                let unknown = size.saturating_sub(held.count_ones()).min(hidden.count_ones());
                Rival { held, hidden, chance: f64::from(unknown) / f64::from(hidden.count_ones().max(1)) }
            })
            .collect();
        let stolen = |pile, shown| 1.0 - rivals.iter().map(|rival| rival.falls_short(pile, shown)).product::<f64>();
        let loss = |pile: u64| {
            let (by_two, size) = (stolen(pile, 2), f64::from(pile.count_ones()));
            let by_three = if worth(pile) > 10 { stolen(pile, 3) - by_two } else { 0.0 };
            by_two * size + by_three * (size - 1.0) // three cards shown cost the thief one
        };
        // What is lost is a rival's gain; and high cards are of more use in the hand.
        let risk = |pile| 2.0 * loss(pile) + 0.04 * f64::from(worth(pile));
        Some(best(&view.legal_actions, |action| match &action.kind {
            Some(Kind::Leave(_)) => -risk(pile_of(me)),
            Some(Kind::Place(place)) => -risk(bit(place.base) | place.guard.map_or(0, bit)),
            Some(Kind::Steal(steal)) => {
                let shown = steal.cards.len() as f64;
                let net = f64::from(pile_of(steal.owner as usize).count_ones()) - f64::from(steal.cards.len() > 2);
                1.5 * net - 0.1 * shown - 0.001 * f64::from(worth(bits(&steal.cards)))
            }
            _ => 1.0, // draw
        }))
    }

    /// Notes that a seat holds these cards, and no other seat.
    fn hold(&mut self, seat: u32, cards: u64) {
        for (other, held) in self.held.iter_mut().enumerate() {
            *held = if other == seat as usize { *held | cards } else { *held & !cards };
        }
    }

    /// Kleftis: leave open what nobody is likely to take; secure everything.
    fn kleftis(&mut self, view: &KleftisView) -> Option<usize> {
        use kleftis_action::Kind;
        for event in view.events.iter().filter_map(|event| event.kind.as_ref()) {
            match event {
                kleftis_event::Kind::Secured(secured) => self.secured |= bits(&secured.cards),
                kleftis_event::Kind::DealEnded(_) => self.secured = 0,
                _ => {}
            }
        }
        let seen = view.observation.as_ref()?;
        Some(best(&view.legal_actions, |action| match &action.kind {
            Some(Kind::Play(play)) => self.kleftis_worth(seen, play.card, None),
            Some(Kind::Build(build)) => self.kleftis_worth(seen, build.card, Some(build.group)),
            Some(Kind::Steal(steal)) => self.kleftis_worth(seen, steal.card, Some(steal.group)),
            Some(Kind::Secure(secure)) => secure.groups.len() as f64,
            None => f64::MIN,
        }))
    }

    /// What lies on the table is worth, in cards, once a card was played alone or added to a group.
    fn kleftis_worth(&self, seen: &KleftisObservation, card: i32, target: Option<u32>) -> f64 {
        let hand = bits(&seen.hand) & !bit(card);
        let boards = || seen.dashboards.iter().enumerate();
        let groups = || boards().flat_map(|(seat, board)| board.groups.iter().map(move |group| (seat, group)));
        let unseen =
            groups().fold(DECK & !hand & !bit(card) & !self.secured, |left, (_, group)| left & !bits(&group.cards));
        let others: u32 = seen
            .hand_sizes
            .iter()
            .fold(0, |all: u32, &size| all.saturating_add(size))
            .saturating_sub(seen.hand.len() as u32);
        let last_turn = hand == 0 && seen.stock == 0;
        let open = |cards: u64| {
            let (size, takers) = (f64::from(cards.count_ones()), joining(cards));
            let kept = none_of((takers & unseen).count_ones(), unseen.count_ones(), others);
            match size {
                _ if last_turn => -size,
                1.0 => kept * if takers & hand != 0 { 1.0 } else { -0.5 } - (1.0 - kept) * 2.0,
                _ => kept * size - (1.0 - kept) * (size + 1.0),
            }
        };
        let mut touched = bit(card);
        let mut worth = 0.0;
        for (seat, group) in groups() {
            let cards = bits(&group.cards);
            worth += match cards.count_ones() {
                _ if target == Some(group.group) => {
                    touched |= cards;
                    continue;
                }
                1 if seat == seen.seat() as usize => open(cards),
                1 => 0.5 * f64::from(joining(cards) & hand != 0), // to be stolen next turn, perhaps
                size if seat == seen.seat() as usize => f64::from(size), // to be secured at once
                size => -f64::from(size),
            };
        }
        worth + open(touched)
    }
}

/// Forty-one: collect one suit, stop early, and discard what the next seat does not collect.
fn forty_one(view: &FortyOneView) -> Option<usize> {
    use forty_one_action::Kind;
    let seen = view.observation.as_ref()?;
    let hand = bits(&seen.hand);
    let seats = seen.hand_sizes.len().max(1) as u32;
    let mut wanted = [1.0, 1.0, 1.0, 1.0]; // how much the next seat wants each suit
    for (number, (&card, &taken)) in seen.discards.iter().zip(&seen.taken).enumerate() {
        let seat = seen.starter.wrapping_add(number as u32) % seats;
        if let Some(wanted) = wanted.get_mut(suit(card) as usize) {
            *wanted = match seat {
                _ if seat == seen.seat() && taken => 3.0,
                _ if seat == seen.seat().wrapping_add(1) % seats => 0.3,
                _ => *wanted,
            };
        }
    }
    let gift = |card| wanted.get(suit(card) as usize).unwrap_or(&1.0) * f64::from(points(card));
    let top = *seen.discards.last().unwrap_or(&0);
    Some(best(&view.legal_actions, |action| match &action.kind {
        Some(Kind::Discard(discard)) => f64::from(promise(hand & !bit(discard.card))) - 0.1 * gift(discard.card),
        Some(Kind::EndPlay(_)) if seen.stock == 0 || promise(hand) >= STOP_AT => 3.0,
        Some(Kind::TakeDiscard(_)) if each(hand).any(|card| promise(hand & !bit(card) | bit(top)) > promise(hand)) => {
            2.0
        }
        Some(Kind::DrawStock(_)) => 1.0,
        _ => 0.0,
    }))
}

/// Nur Mut: leave the next seat no pile for its top card; courage only where it is likely to be rewarded.
fn nur_mut(view: &NurMutView) -> Option<usize> {
    use nur_mut_action::Kind;
    let seen = view.observation.as_ref()?;
    let me = seen.seat() as usize;
    let (top, own) = (seen.top_faces.get(me).copied().unwrap_or(0), seen.deck_sizes.get(me).copied().unwrap_or(2));
    let laid = if own == 1 { 10.0 } else { 1.0 };
    let lucky = chance_to_fit(top, &seen.piles);
    let lay = |pile: u32| {
        let mut piles = seen.piles.clone();
        if let Some(place) = piles.get_mut(pile as usize) {
            *place = seen.flipped.unwrap_or(top);
        }
        laid - gain_of_next(seen, &piles)
    };
    Some(best(&view.legal_actions, |action| match &action.kind {
        Some(Kind::Place(place)) => lay(place.pile),
        Some(Kind::ChoosePile(choice)) => lay(choice.pile),
        Some(Kind::TryTop(_)) => laid * lucky,
        Some(Kind::Courage(_)) => {
            let highest = seen.piles.iter().max();
            let sizes = seen.piles.iter().zip(&seen.pile_sizes);
            let taken = sizes.filter(|(face, _)| Some(*face) == highest).map(|(_, &size)| size).max().unwrap_or(1);
            let lost = f64::from(taken) + if next(seen).1 == 1 { 10.0 } else { 0.5 }; // the next seat fills the gap
            lucky * (laid + if own == 1 { 0.0 } else { 0.6 }) - (1.0 - lucky) * lost
        }
        Some(Kind::Tuck(_)) => 0.2 - gain_of_next(seen, &seen.piles),
        _ => -gain_of_next(seen, &seen.piles),
    }))
}

/// Hyrule: play last; win with the weakest card that does; lead what is least likely to be beaten.
fn hyrule(view: &HyruleView) -> Option<usize> {
    use hyrule_action::Kind;
    let seen = view.observation.as_ref()?;
    let trick: Vec<i32> = seen.trick.iter().map(|played| played.card).collect();
    let gone = bits(&seen.hand) | bits(&seen.played) | bits(&seen.discards) | bits(&trick);
    let unseen = (DECK | JOKERS) & !gone;
    let share = |cards: usize| cards as f64 / f64::from(unseen.count_ones().max(1));
    let strength = |card| share(each(unseen).filter(|&led| winner(&[led, card]) == card).count());
    let to_come = seen.hand_sizes.len().saturating_sub(1 + trick.len()) as u32;
    let thrift = if to_come == 0 { 0.5 } else { 0.1 };
    Some(best(&view.legal_actions, |action| match &action.kind {
        Some(Kind::Swap(swap)) => 2.0 - strength(swap.card),
        Some(Kind::Play(play)) => {
            let mut after = trick.clone();
            after.extend([play.card, play.card]);
            let last = after.len() - 1;
            let wins = if winner(&after[..last]) == play.card {
                let beaten = each(unseen).filter(|&card| {
                    after[last] = card;
                    winner(&after) != play.card
                });
                none_of(beaten.count() as u32, unseen.count_ones(), to_come * seen.hand.len() as u32)
            } else {
                0.0
            };
            wins - thrift * strength(play.card)
        }
        None => f64::MIN,
    }))
}

/// The upper face and the number of cards of the next seat's deck.
fn next(seen: &NurMutObservation) -> (i32, u32) {
    let seat = (seen.seat() as usize + 1) % seen.deck_sizes.len().max(1);
    (seen.top_faces.get(seat).copied().unwrap_or(0), seen.deck_sizes.get(seat).copied().unwrap_or(0))
}

/// What piles are worth to the next seat, in cards.
fn gain_of_next(seen: &NurMutObservation, piles: &[i32]) -> f64 {
    let (top, size) = next(seen);
    let shown = top != NurMutFace::Hidden as i32 && piles.iter().any(|&pile| fits(top, pile));
    let chance = if shown { 1.0 } else { 0.5 * chance_to_fit(top, piles) };
    chance * if size == 1 { 10.0 } else { 0.4 }
}
