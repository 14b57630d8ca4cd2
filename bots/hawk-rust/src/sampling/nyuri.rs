//! Nyuri: where penalties passed unseen between two others, hypotheses of which card moved; given one of them,
//! every permutation of the cards that nobody is known to hold is as likely.

use super::Mind;
use crate::arena::nyuri_event::Kind;
use crate::arena::*;
use crate::cards::{self, Card, DECK, Set, bit, each};
use crate::chance::{Chance, Random};
use crate::games::MOST_SEATS;
use crate::games::nyuri::{Claim, Hand, Holder, Options, Pile, State};

/// How many hypotheses are kept where penalties can be blind.
const HYPOTHESES: usize = 200;
/// Where a card is, in a hypothesis: unknown, in the hand of a seat (its number plus one), or lying open.
const UNKNOWN: u8 = 0;
const OPEN: u8 = u8::MAX;

#[derive(Clone)]
struct Hypothesis {
    weight: f64,
    places: [u8; 53],
    /// By seat, how many cards of its hand are unknown.
    unknown: [u32; MOST_SEATS],
}

impl Hypothesis {
    fn put(&mut self, place: u8, cards: &[Card]) {
        cards.iter().filter(|card| DECK.contains(card)).for_each(|&card| self.places[usize::from(card)] = place);
    }

    /// A seat shows that it holds some cards.
    fn reveal(&mut self, seat: usize, cards: &[Card]) {
        for &card in cards.iter().filter(|card| DECK.contains(card)) {
            let place = &mut self.places[usize::from(card)];
            if *place == seat as u8 + 1 {
                continue;
            }
            if *place != UNKNOWN {
                self.weight = 0.0;
            }
            *place = seat as u8 + 1;
            self.weight *= f64::from(self.unknown[seat]);
            self.unknown[seat] = self.unknown[seat].saturating_sub(1);
        }
    }

    /// A card went unseen from a hand to another, each card as likely.
    fn pass_blindly(&mut self, from: usize, to: usize, random: &mut Random) {
        let known: Vec<Card> = DECK.filter(|&card| self.places[usize::from(card)] == from as u8 + 1).collect();
        let which = random.below((known.len() + self.unknown[from] as usize).max(1));
        match known.get(which) {
            Some(&card) => self.places[usize::from(card)] = to as u8 + 1,
            None => {
                self.unknown[from] = self.unknown[from].saturating_sub(1);
                self.unknown[to] += 1;
            }
        }
    }
}

pub struct Memory {
    options: Options,
    seat: usize,
    hypotheses: Vec<Hypothesis>,
    random: Random,
    /// By seat, what it has seen of who holds what, as far as this seat can tell.
    holders: Vec<Holder>,
}

impl Memory {
    /// Drops what is contradicted, and draws anew where few hypotheses have all the weight.
    fn weigh(&mut self) {
        let sum: f64 = self.hypotheses.iter().map(|it| it.weight).sum();
        let squares: f64 = self.hypotheses.iter().map(|it| it.weight * it.weight).sum();
        let count = self.hypotheses.len() as f64;
        if sum <= 0.0 {
            return;
        }
        if sum * sum > squares * count / 2.0 {
            self.hypotheses.iter_mut().for_each(|it| it.weight *= count / sum);
            return;
        }
        let step = sum / count;
        let mut at = self.random.share() * step;
        let mut drawn = Vec::with_capacity(self.hypotheses.len());
        let mut passed = 0.0;
        for hypothesis in &self.hypotheses {
            passed += hypothesis.weight;
            while at < passed && drawn.len() < self.hypotheses.len() {
                drawn.push(Hypothesis { weight: 1.0, ..hypothesis.clone() });
                at += step;
            }
        }
        self.hypotheses = drawn;
    }

    fn each(&mut self, mut change: impl FnMut(&mut Hypothesis)) {
        self.hypotheses.iter_mut().for_each(&mut change);
    }

    fn hold(&mut self, seat: usize, cards: &[Card]) {
        for holder in &mut self.holders {
            for &card in cards.iter().filter(|card| DECK.contains(card)) {
                holder[usize::from(card)] = seat as u8 + 1;
            }
        }
    }
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, _: usize) -> Self {
        let hypothesis = Hypothesis { weight: 1.0, places: [UNKNOWN; 53], unknown: [0; MOST_SEATS] };
        let count = if seats > 2 { HYPOTHESES } else { 1 };
        Self {
            options: *options,
            seat,
            hypotheses: vec![hypothesis; count],
            random: Random::new(seat as u64),
            holders: vec![[0; 53]; seats],
        }
    }

    fn told(&mut self, event: &NyuriEvent) {
        let read = |numbers: &[i32]| cards::read(numbers).unwrap_or_default();
        let seats = self.holders.len();
        let sits = |seat: u32| usize::try_from(seat).ok().filter(|seat| *seat < seats);
        let spent = self.options.spend_cards;
        match &event.kind {
            Some(Kind::Dealt(NyuriDealt { seat, cards, count })) => {
                let (Some(seat), cards) = (sits(*seat), read(cards)) else { return };
                self.each(|it| {
                    it.put(seat as u8 + 1, &cards);
                    it.unknown[seat] = count - (cards.len() as u32).min(*count);
                });
            }
            Some(Kind::Drew(NyuriDrew { seat, card })) => {
                let Some(seat) = sits(*seat) else { return };
                match card.and_then(cards::read_one) {
                    None => self.each(|it| it.unknown[seat] += 1),
                    Some(card) => self.each(|it| {
                        it.unknown[seat] += 1; // for a moment: it is shown at once
                        it.reveal(seat, &[card]);
                    }),
                }
            }
            Some(Kind::Placed(NyuriPlaced { seat, base, guard, taken_back })) => {
                let Some(seat) = sits(*seat) else { return };
                let pile = read(&std::iter::once(*base).chain(*guard).collect::<Vec<_>>());
                let back = read(taken_back);
                self.hold(seat, &back);
                self.each(|it| {
                    it.put(seat as u8 + 1, &back);
                    it.reveal(seat, &pile);
                    it.put(OPEN, &pile);
                });
            }
            Some(Kind::Claimed(NyuriClaimed { seat, cards, .. })) => {
                let (Some(seat), cards) = (sits(*seat), read(cards)) else { return };
                self.hold(seat, &cards);
                self.each(|it| it.reveal(seat, &cards));
            }
            Some(Kind::Stole(NyuriStole { seat, pile, cards, .. })) => {
                let (Some(seat), pile, cards) = (sits(*seat), read(pile), read(cards)) else { return };
                self.hold(seat, &pile);
                self.hold(seat, &cards);
                self.each(|it| {
                    it.reveal(seat, &cards);
                    it.put(if spent { OPEN } else { seat as u8 + 1 }, &cards);
                    it.put(seat as u8 + 1, &pile);
                });
            }
            Some(Kind::Penalty(NyuriPenalty { seat, owner, card })) => {
                let (Some(seat), Some(owner)) = (sits(*seat), sits(*owner)) else { return };
                match card.and_then(cards::read_one).filter(|card| DECK.contains(card)) {
                    Some(card) => {
                        for viewer in [seat, owner] {
                            self.holders[viewer][usize::from(card)] = owner as u8 + 1;
                        }
                        self.each(|it| {
                            it.reveal(seat, &[card]);
                            it.put(owner as u8 + 1, &[card]);
                        });
                    }
                    None => {
                        let mut random = self.random.clone();
                        self.each(|it| it.pass_blindly(seat, owner, &mut random));
                        self.random = random;
                    }
                }
            }
            _ => return,
        }
        self.weigh();
    }

    fn sample(&mut self, seen: &NyuriObservation, random: &mut Random) -> Option<State> {
        let seats = self.holders.len();
        if seen.hand_sizes.len() != seats || seen.piles.len() != seats || seen.placer as usize >= seats {
            return None;
        }
        let hand = cards::read(&seen.hand)?;
        let card = |number: Option<i32>| match number {
            None => Some(None),
            Some(number) => cards::read_one(number).filter(|card| DECK.contains(card)).map(Some),
        };
        let mut piles = Vec::with_capacity(seats);
        for pile in &seen.piles {
            piles.push(Pile { base: card(pile.base)?, guard: card(pile.guard)? });
        }
        let spent = cards::read(&seen.spent)?;
        let mut claims = Vec::new();
        for claim in &seen.claims {
            let (seat, owner) = (claim.seat as usize, claim.owner as usize);
            if seat >= seats || owner >= seats {
                return None;
            }
            claims.push(Claim { seat, owner, cards: cards::set(cards::read(&claim.cards)?) });
        }
        let sum: f64 = self.hypotheses.iter().map(|it| it.weight).sum();
        let mut at = random.share() * sum;
        let drawn = self.hypotheses.iter().find(|it| {
            at -= it.weight;
            at < 0.0
        });
        let open: Set = piles.iter().fold(cards::set(spent.iter().chain(&hand).copied()), |set, pile| set | pile.set());
        let sizes = seen.hand_sizes.iter().map(|&size| size as usize);
        // Without events, or where none of the hypotheses held, nothing but what lies open is known.
        let known = |seat: usize| -> Set {
            let holds = |card: &Card| drawn.is_some_and(|it| it.places[usize::from(*card)] == seat as u8 + 1);
            cards::set(DECK.filter(|card| open & bit(*card) == 0 && holds(card)))
        };
        let mut knowns: Vec<Set> = (0..seats).map(|seat| if seat == self.seat { 0 } else { known(seat) }).collect();
        if knowns.iter().zip(sizes.clone()).any(|(known, size)| known.count_ones() as usize > size) {
            knowns.iter_mut().for_each(|known| *known = 0);
        }
        let all_known = knowns.iter().fold(open, |all, known| all | known);
        let mut hidden: Vec<Card> = each(cards::ALL & !all_known).collect();
        random.shuffle(&mut hidden);
        let mut hands = Vec::with_capacity(seats);
        for (seat, size) in sizes.enumerate() {
            if seat == self.seat {
                hands.push(Hand::of(hand.iter().copied()));
                continue;
            }
            let missing = size - knowns[seat].count_ones() as usize;
            let left = hidden.len().checked_sub(missing)?;
            hands.push(Hand::of(each(knowns[seat]).chain(hidden.drain(left..))));
        }
        let consistent = hidden.len() == seen.stock as usize && hand.len() == seen.hand_sizes[self.seat] as usize;
        consistent.then(|| State {
            options: self.options,
            hands,
            stock: hidden,
            piles,
            spent,
            claims,
            stalled: seen.stalled,
            placer: seen.placer as usize,
            placing: seen.phase() == NyuriPhase::Place,
            seat: self.seat,
            over: false,
            holders: self.holders.clone(),
        })
    }
}
