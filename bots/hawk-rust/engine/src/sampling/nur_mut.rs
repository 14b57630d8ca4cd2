//! Nur Mut: all ways in which the cards can lie, and can have been shuffled, that show the faces that were seen.
//!
//! A card goes from slot to slot: each place in a deck as it was dealt or shuffled is a slot, which the card keeps
//! until it is shuffled again. What was seen of a slot, its upper and lower face, holds for the card in it. So a
//! card has a path of slots, and all deals and shuffles that respect what was seen are as likely; the sampler walks
//! among them by exchanging what two slots of one shuffle hold, with all that follows.

use super::Mind;
use crate::arena::nur_mut_event::Kind;
use crate::arena::*;
use crate::chance::{Chance, Random};
use crate::games::MOST_SEATS;
use crate::games::nur_mut::{DECK_CARDS, Face, HIDDEN, JOKER, Known, Lying, Options, PILES, State, pair};

/// Steps of the walk before the first sample of a decision, and before each.
const FIRST_STEPS: usize = 3000;
const STEPS: usize = 120;
/// Steps towards a deal that shows what was just seen.
const REPAIR_STEPS: usize = 20_000;
/// The most slots that are looked at between two decisions to show what was seen, before the first sample, and
/// before each: where that is not enough, the deal shows a little less of what was seen, or is not so fresh.
const REPAIR_WORK: usize = 1_000_000;
const FIRST_WORK: usize = 400_000;
const WORK: usize = 6_000;

#[derive(Clone, Copy)]
struct Slot {
    /// The faces that were seen, as the card lies in it.
    up: Option<Face>,
    down: Option<Face>,
    /// The shuffle that put the card there.
    shuffle: usize,
    /// Where the card was before that shuffle, and where it went with the next.
    before: Option<usize>,
    after: Option<usize>,
    /// The card, as an index into the deck.
    card: usize,
}

#[derive(Clone)]
pub struct Memory {
    terms: Options,
    seat: usize,
    slots: Vec<Slot>,
    /// By shuffle its slots; the first is the deal.
    shuffles: Vec<Vec<usize>>,
    /// The top card last.
    decks: Vec<Vec<usize>>,
    piles: [Vec<usize>; PILES],
    /// Slots of cards that were not dealt yet, the next one last; and of jokers that were set aside.
    rest: Vec<usize>,
    aside: Vec<usize>,
    walked: bool,
    /// How many slots may still be looked at for what is seen before the next decision.
    work: usize,
    random: Random,
    /// As in a position: the cards on the piles of which both faces were seen.
    known: Known,
    flipped: Option<(Face, Face)>,
}

impl Memory {
    /// How many ways a card can lie in a slot.
    fn ways(&self, slot: usize, card: usize) -> u32 {
        let (front, back) = self.terms.cards[card];
        let way = |up: Face, down: Face| {
            let Slot { up: seen, down: under, .. } = self.slots[slot];
            u32::from(seen.is_none_or(|face| face == up) && under.is_none_or(|face| face == down))
        };
        way(front, back) + way(back, front)
    }

    /// The slots that a card goes through from one on.
    fn tail(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(slot), |&slot| self.slots[slot].after)
    }

    /// In how many slots from one on a card cannot lie, how many ways it has in the others, and how many slots
    /// there are.
    fn trouble(&self, slot: usize, card: usize) -> (u32, f64, usize) {
        self.tail(slot).map(|slot| self.ways(slot, card)).fold((0, 1.0, 0), |(wrong, ways, count), now| {
            if now == 0 { (wrong + 1, ways, count + 1) } else { (wrong, ways * f64::from(now), count + 1) }
        })
    }

    /// Tries to exchange what two slots of a shuffle hold; says how many slots were looked at.
    fn step(&mut self, one: usize, other: usize) -> usize {
        let (first, second) = (self.slots[one].card, self.slots[other].card);
        let cards = &self.terms.cards;
        if one == other || cards[first] == cards[second] && self.slots[one].before.is_none() {
            return 1;
        }
        let was = (self.trouble(one, first), self.trouble(other, second));
        let new = (self.trouble(one, second), self.trouble(other, first));
        let (wrong, wrong_then) = (was.0.0 + was.1.0, new.0.0 + new.1.0);
        let (ways, ways_then) = (was.0.1 * was.1.1, new.0.1 * new.1.1);
        let accepted =
            wrong_then < wrong || wrong_then == wrong && (ways_then >= ways || self.random.share() * ways < ways_then);
        let looked_at = 2 * (was.0.2 + was.1.2);
        if !accepted {
            return looked_at;
        }
        for (from, card) in [(one, second), (other, first)] {
            let mut at = Some(from);
            while let Some(slot) = at {
                self.slots[slot].card = card;
                at = self.slots[slot].after;
            }
        }
        let (before_one, before_other) = (self.slots[one].before, self.slots[other].before);
        self.slots[one].before = before_other;
        self.slots[other].before = before_one;
        for (before, after) in [(before_one, other), (before_other, one)] {
            if let Some(before) = before {
                self.slots[before].after = Some(after);
            }
        }
        looked_at
    }

    /// Takes steps anywhere, as long as they look at no more than so many slots.
    fn walk(&mut self, steps: usize, work: usize) {
        let mut looked_at = 0;
        for _ in 0..steps {
            if looked_at > work {
                break;
            }
            looked_at += self.step_anywhere();
        }
    }

    fn step_anywhere(&mut self) -> usize {
        let one = self.random.below(self.slots.len());
        self.step_from(one)
    }

    fn step_from(&mut self, one: usize) -> usize {
        let shuffle = self.slots[one].shuffle;
        let place = self.random.below(self.shuffles[shuffle].len());
        self.step(one, self.shuffles[shuffle][place])
    }

    /// Notes what was seen of a slot, and walks until the deal shows it.
    fn see(&mut self, slot: usize, up: Option<Face>, down: Option<Face>) {
        self.slots[slot].up = up.or(self.slots[slot].up);
        self.slots[slot].down = down.or(self.slots[slot].down);
        self.walked = false;
        for _ in 0..REPAIR_STEPS {
            if self.work == 0 || self.ways(slot, self.slots[slot].card) > 0 {
                return;
            }
            let mut from = slot;
            while let Some(before) = self.slots[from].before.filter(|_| self.random.below(2) == 1) {
                from = before;
            }
            let mut looked_at = self.step_from(from);
            if self.random.below(4) == 0 {
                looked_at += self.step_anywhere();
            }
            self.work = self.work.saturating_sub(looked_at);
        }
    }

    /// A seat lays its top card, showing a face.
    fn lay(&mut self, seat: usize, pile: usize, face: Face) {
        if let Some(slot) = self.decks[seat].pop() {
            self.piles[pile].push(slot);
            self.see(slot, Some(face), None);
        }
        self.note_laid(pile, face);
    }

    fn note_laid(&mut self, pile: usize, face: Face) {
        if self.terms.hidden {
            self.known.add(pile, (face, HIDDEN));
        } else if let Some(card) = self.flipped {
            self.known.add(pile, card);
        }
        self.flipped = None;
    }

    fn take_pile(&mut self, seat: usize, pile: usize) {
        let taken = std::mem::take(&mut self.piles[pile]);
        let mut cards: Vec<usize> = std::mem::take(&mut self.decks[seat]).into_iter().chain(taken).collect();
        self.random.shuffle(&mut cards);
        let shuffle = self.shuffles.len();
        let first = self.slots.len();
        for (place, &before) in cards.iter().enumerate() {
            self.slots[before].after = Some(first + place);
            let card = self.slots[before].card;
            self.slots.push(Slot { up: None, down: None, shuffle, before: Some(before), after: None, card });
        }
        let slots: Vec<usize> = (first..self.slots.len()).collect();
        self.decks[seat] = slots.clone();
        self.shuffles.push(slots);
        self.known.clear(pile);
        self.flipped = None;
        self.walked = false;
    }

    /// The card in a slot, as it lies: either way up where that is not known.
    fn lying(&self, slot: usize, random: &mut Random) -> Lying {
        let Slot { up, down, card, .. } = self.slots[slot];
        let (front, back) = self.terms.cards[card];
        let shows = |up_now: Face, down_now: Face| {
            up.is_none_or(|face| face == up_now) && down.is_none_or(|face| face == down_now)
        };
        match (shows(front, back), shows(back, front)) {
            (true, true) => Lying { front, back, turned: random.below(2) == 1 },
            (true, false) => Lying { front, back, turned: false },
            (false, true) => Lying { front, back, turned: true },
            // No deal was found that shows what was seen: a card that does.
            (false, false) => Lying { front: up.unwrap_or(front), back: down.unwrap_or(back), turned: false },
        }
    }

    /// A card of a deck as it lies there.
    fn in_deck(&self, slot: usize, random: &mut Random) -> Lying {
        let card = self.lying(slot, random);
        if !self.terms.hidden {
            return card;
        }
        let face = if card.front == HIDDEN { card.back } else { card.front };
        Lying { front: face, back: HIDDEN, turned: true }
    }
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, _: usize) -> Self {
        let count = options.cards.len();
        let mut random = Random::new(seat as u64 + 1);
        let mut cards: Vec<usize> = (0..count).collect();
        random.shuffle(&mut cards);
        let blank = Slot { up: None, down: None, shuffle: 0, before: None, after: None, card: 0 };
        let dealt = (seats * DECK_CARDS).min(count);
        Self {
            terms: options.clone(),
            seat,
            slots: cards.into_iter().map(|card| Slot { card, ..blank }).collect(),
            shuffles: vec![(0..count).collect()],
            decks: (0..dealt).collect::<Vec<_>>().chunks(DECK_CARDS).map(<[usize]>::to_vec).collect(),
            piles: [const { vec![] }; PILES],
            rest: (dealt..count).rev().collect(),
            aside: vec![],
            walked: false,
            work: REPAIR_WORK,
            random,
            known: Known::none(),
            flipped: None,
        }
    }

    fn told(&mut self, event: &NurMutEvent) {
        let seats = self.decks.len();
        let sits = |seat: u32| usize::try_from(seat).ok().filter(|seat| *seat < seats);
        let lies = |pile: u32| usize::try_from(pile).ok().filter(|pile| *pile < PILES);
        let face = |number: i32| Face::try_from(number).ok().filter(|face| (1..=JOKER).contains(face));
        match event.kind {
            Some(Kind::PileStarted(NurMutPileStarted { pile, face: number })) => {
                let (Some(pile), Some(face)) = (lies(pile), face(number)) else { return };
                let reused = face == JOKER && !self.aside.is_empty();
                let slot = if reused { Some(self.aside.remove(0)) } else { self.rest.pop() };
                if let Some(slot) = slot {
                    self.piles[pile].push(slot);
                    self.see(slot, Some(face), None);
                }
                self.note_laid(pile, face);
            }
            Some(Kind::JokerSetAside(_)) => {
                if let Some(slot) = self.rest.pop() {
                    self.aside.push(slot);
                    self.see(slot, Some(JOKER), None);
                }
            }
            Some(Kind::TopShown(NurMutTopShown { seat, face: number })) => {
                let (Some(seat), Some(face)) = (sits(seat), face(number)) else { return };
                if let Some(&slot) = self.decks[seat].last() {
                    self.see(slot, Some(face), None);
                }
            }
            Some(Kind::Tucked(NurMutTucked { seat, .. })) => {
                let Some(seat) = sits(seat) else { return };
                if !self.decks[seat].is_empty() {
                    self.decks[seat].rotate_right(1);
                }
            }
            Some(Kind::Flipped(NurMutFlipped { seat, face: number })) => {
                let (Some(seat), Some(face)) = (sits(seat), face(number)) else { return };
                let Some(&slot) = self.decks[seat].last() else { return };
                let before = if self.terms.hidden { None } else { self.slots[slot].up };
                self.slots[slot].down = before.or(self.slots[slot].down);
                self.slots[slot].up = None;
                self.flipped = Some(pair(before.unwrap_or(HIDDEN), face));
                self.see(slot, Some(face), None);
            }
            Some(Kind::Laid(NurMutLaid { seat, pile, face: number, .. })) => {
                let (Some(seat), Some(pile), Some(face)) = (sits(seat), lies(pile), face(number)) else { return };
                self.lay(seat, pile, face);
            }
            Some(Kind::TookPile(NurMutTookPile { seat, pile, .. })) => {
                let (Some(seat), Some(pile)) = (sits(seat), lies(pile)) else { return };
                self.take_pile(seat, pile);
            }
            _ => {}
        }
    }

    fn sample(&mut self, seen: &NurMutObservation, random: &mut Random) -> Option<State> {
        let same = |sizes: &[u32], slots: &[Vec<usize>]| {
            sizes.len() == slots.len() && sizes.iter().zip(slots).all(|(&size, slots)| size as usize == slots.len())
        };
        if !same(&seen.deck_sizes, &self.decks) || !same(&seen.pile_sizes, &self.piles) {
            return None; // without the events of the deal
        }
        if self.walked {
            self.walk(STEPS, WORK);
        } else {
            self.walk(FIRST_STEPS, FIRST_WORK);
        }
        self.walked = true;
        self.work = REPAIR_WORK;
        let mut decks: Vec<Vec<Lying>> = Vec::with_capacity(self.decks.len());
        for slots in &self.decks {
            decks.push(slots.iter().map(|&slot| self.in_deck(slot, random)).collect());
        }
        let choosing = (seen.phase() == NurMutPhase::ChoosePile).then_some(if seen.by_courage {
            NurMutLaidReason::Courage
        } else {
            NurMutLaidReason::Place
        });
        if self.terms.hidden && choosing.is_some() {
            decks[self.seat].last_mut()?.turned = false;
        }
        Some(State {
            terms: self.terms.clone(),
            decks,
            piles: std::array::from_fn(|pile| {
                let slots = self.piles[pile].iter();
                slots.map(|&slot| self.lying(slot, random)).collect()
            }),
            tucked: [0; MOST_SEATS], // the number is not visible, nor needed to play on
            choosing,
            again: seen.again,
            passes: seen.passes,
            stalled: seen.stalled,
            turns: seen.turns,
            seat: self.seat,
            over: false,
            known: self.known.clone(),
            flipped: self.flipped,
        })
    }
}
