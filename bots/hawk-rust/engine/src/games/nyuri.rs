//! Nyuri: lay a pile, steal the piles of others, hold the most cards in the end.

use super::series::Plan;
use super::{Log, MOST_SEATS, Outcome, Rules, Told, in_order_of, in_range};
use crate::arena::nyuri_action::Kind;
use crate::arena::nyuri_event::Kind as Happened;
use crate::arena::*;
use crate::cards::{self, Card, DECK, Set, bit, each, of_suit, suit};
use crate::chance::{Chance, Event};

const HAND: usize = 7;
/// The highest total of a pile that no more than two cards may be shown for (N3).
pub const SMALL_PILE: u8 = 10;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub spend_cards: bool,
    pub instant: bool,
    pub placer_draws: bool,
    pub reuse_base: bool,
    pub stall: u32,
}

/// The options of a table; none where there is one of a later protocol.
pub fn options(message: &NyuriOptions) -> Option<Options> {
    let instant = match NyuriContest::try_from(message.contest).ok()? {
        NyuriContest::Unspecified => return None,
        contest => contest == NyuriContest::Instant,
    };
    let NyuriOptions { players, spend_cards, placer_draws, reuse_base, stall, series, replay, .. } = *message;
    if !in_range(&[(players, 2, 6), (stall, 1, 1000), (series, 1, 100), (replay, 0, 100)]) {
        return None;
    }
    Some(Options { spend_cards, instant, placer_draws, reuse_base, stall })
}

/// How deals of Nyuri follow one another (N18, N19, N25).
pub fn plan(message: &NyuriOptions) -> Plan {
    let NyuriOptions { players, series, replay, .. } = *message;
    Plan { most_seats: players as usize, deals: series, tie_breaks: replay, wins: true, winner_starts: false }
}

/// What a card is worth; the ace is the highest.
pub fn value(card: Card) -> u8 {
    const VALUES: [u8; 13] = [14, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
    VALUES[usize::from(card - 1) % 13]
}

/// What some cards are worth together.
pub fn worth(cards: Set) -> u8 {
    each(cards).map(value).sum()
}

/// Cards of one suit as a number: bit n for the card that is worth n.
pub type Values = u32;

pub fn values(cards: Set, suit: u8) -> Values {
    let by_rank = (cards >> (13 * suit)) as Values & 0x3ffe;
    by_rank & 0x3ffc | (by_rank & 2) << 13
}

/// The values of a set, the highest first.
pub fn falling(mut set: Values) -> impl Iterator<Item = i32> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let highest = 31 - set.leading_zeros();
            set &= !(1 << highest);
            highest as i32
        })
    })
}

/// A hand, in the order in which the cards came to it, for a blind pick is a place in that order.
#[derive(Clone, Copy)]
pub struct Hand {
    cards: [Card; 52],
    len: u8,
    pub set: Set,
}

impl Hand {
    pub fn of(cards: impl IntoIterator<Item = Card>) -> Self {
        let mut hand = Self { cards: [0; 52], len: 0, set: 0 };
        cards.into_iter().for_each(|card| hand.push(card));
        hand
    }

    pub fn len(&self) -> usize {
        self.len.into()
    }

    fn push(&mut self, card: Card) {
        self.cards[usize::from(self.len)] = card;
        self.len += 1;
        self.set |= bit(card);
    }

    fn pick(&mut self, place: usize) -> Card {
        let card = self.cards[place];
        self.cards.copy_within(place + 1..usize::from(self.len), place);
        self.len -= 1;
        self.set &= !bit(card);
        card
    }

    fn remove(&mut self, card: Card) {
        if let Some(place) = self.cards[..usize::from(self.len)].iter().position(|&held| held == card) {
            self.pick(place);
        }
    }
}

/// The pile in front of a seat: a base and perhaps a guard.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pile {
    pub base: Option<Card>,
    pub guard: Option<Card>,
}

impl Pile {
    pub fn cards(self) -> impl Iterator<Item = Card> {
        self.base.into_iter().chain(self.guard)
    }

    pub fn set(self) -> Set {
        cards::set(self.cards())
    }

    pub fn len(self) -> usize {
        usize::from(self.base.is_some()) + usize::from(self.guard.is_some())
    }

    pub fn worth(self) -> u8 {
        self.cards().map(value).sum()
    }
}

/// A claim on the pile of a seat, made by showing cards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    pub seat: usize,
    pub owner: usize,
    pub cards: Set,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Leave,
    Place(Pile),
    Draw,
    Steal(usize, Set),
}

/// By seat, the cards that it was seen to hold, and nobody else since.
#[derive(Clone, Copy)]
pub struct Holdings([Set; MOST_SEATS]);

impl Holdings {
    pub fn none() -> Self {
        Self([0; MOST_SEATS])
    }

    pub fn put(&mut self, seat: usize, cards: Set) {
        for held in &mut self.0 {
            *held &= !cards;
        }
        self.0[seat] |= cards;
    }

    pub fn of(&self, seat: usize) -> Set {
        self.0[seat]
    }
}

#[derive(Clone)]
pub struct State {
    pub options: Options,
    pub hands: Vec<Hand>,
    /// Drawn from its end.
    pub stock: Vec<Card>,
    pub piles: Vec<Pile>,
    pub spent: Vec<Card>,
    pub claims: Vec<Claim>,
    pub stalled: u32,
    pub placer: usize,
    pub placing: bool,
    pub seat: usize,
    pub over: bool,
    /// By seat, what it has seen of who holds what.
    pub holdings: Vec<Holdings>,
}

fn event(kind: Happened) -> NyuriEvent {
    NyuriEvent { kind: Some(kind) }
}

/// Calls `visit` with every set of so many cards, one to three, and what it is worth; by their numbers.
fn subsets(held: Set, count: u8, mut visit: impl FnMut(Set, u8)) {
    let above = |card: Card| held & !((bit(card) << 1) - 1);
    for one in each(held) {
        let (cards, worth) = (bit(one), value(one));
        if count == 1 {
            visit(cards, worth);
            continue;
        }
        for two in each(above(one)) {
            let (cards, worth) = (cards | bit(two), worth + value(two));
            if count == 2 {
                visit(cards, worth);
            } else {
                each(above(two)).for_each(|three| visit(cards | bit(three), worth + value(three)));
            }
        }
    }
}

impl State {
    /// Calls `visit` with every steal from an owner that shows so many cards, and what they are worth; by their
    /// numbers.
    pub fn steals(&self, seat: usize, owner: usize, count: u8, mut visit: impl FnMut(Set, u8)) {
        let pile = self.piles[owner];
        let Some(base) = pile.base.filter(|_| owner != seat) else { return }; // N11
        let total = pile.worth(); // N5
        if count > if total <= SMALL_PILE { 2 } else { 3 } {
            return; // N3
        }
        // N7: each claim on a pile is higher than the one before
        let last = self.claims.iter().rev().find(|claim| claim.owner == owner);
        let bar = last.map_or(total, |claim| worth(claim.cards));
        let suited = self.hands[seat].set & of_suit(suit(base)); // N2
        let most: i32 = falling(values(suited, suit(base))).take(count.into()).sum();
        if most > bar.into() {
            subsets(suited, count, |cards, worth| {
                if worth > bar {
                    visit(cards, worth); // N4
                }
            });
        }
    }

    /// Calls `visit` with every pile that a seat may lay: by base and guard, no guard first.
    pub fn placements(&self, seat: usize, mut visit: impl FnMut(Pile)) {
        let old = self.piles[seat];
        let held = self.hands[seat].set | old.set();
        for base in each(held) {
            if Some(base) == old.base && !self.options.reuse_base {
                continue; // N12
            }
            let guards = each(held & of_suit(suit(base))).filter(|&guard| value(guard) > value(base));
            for guard in std::iter::once(None).chain(guards.map(Some)) {
                let pile = Pile { base: Some(base), guard };
                if pile != old {
                    visit(pile); // N20
                }
            }
        }
    }

    fn hold(&mut self, seat: usize, cards: Set) {
        for holdings in &mut self.holdings {
            holdings.put(seat, cards);
        }
    }

    fn draw(&mut self, seat: usize, log: &mut impl Log<NyuriEvent>) {
        let Some(card) = self.stock.pop() else { return };
        self.hands[seat].push(card);
        self.stalled = 0; // N24
        log.tell(|| {
            let drew = |card| event(Happened::Drew(NyuriDrew { seat: seat as u32, card }));
            Told::one(seat, drew(None), drew(Some(card.into())))
        });
    }

    fn after_placing(&mut self, log: &mut impl Log<NyuriEvent>) {
        self.placing = false;
        if self.options.placer_draws {
            self.draw(self.placer, log); // N10, N23
        }
    }

    /// Goes on to the next steal turn, or ends the window and then opens the next or ends play.
    fn end_turn(&mut self, seat: usize, chance: &mut impl Chance, log: &mut impl Log<NyuriEvent>) {
        let seats = self.hands.len();
        let following = (seat + 1) % seats;
        if !self.stock.is_empty() && following != self.placer {
            self.seat = following;
            return;
        }
        self.resolve(chance, log); // N14: also where the stock ended within the window
        if self.stock.is_empty() || seats == 2 && self.stalled >= self.options.stall {
            self.over = true; // N14, N17
            log.tell(|| {
                let counts = self.counts().iter().map(|&count| count as u32).collect();
                Told::all(event(Happened::Counted(NyuriCounted { counts })))
            });
            return;
        }
        self.placer = (self.placer + 1) % seats;
        let placer = self.placer;
        if self.hands[placer].len() > 0 || self.piles[placer].len() > 0 {
            self.placing = true;
            self.seat = placer;
        } else {
            log.tell(|| Told::all(event(Happened::Skipped(NyuriSkipped { seat: placer as u32 })))); // N16
            self.after_placing(log);
            self.end_turn(placer, chance, log);
        }
    }

    /// Settles the claims of the window in their order (N7).
    fn resolve(&mut self, chance: &mut impl Chance, log: &mut impl Log<NyuriEvent>) {
        let mut claims = std::mem::take(&mut self.claims);
        for (place, claim) in claims.iter().enumerate() {
            // a later claim on a pile is always higher
            if claims[place + 1..].iter().all(|later| later.owner != claim.owner) {
                self.take(claim, chance, log);
            } else {
                let (seat, owner) = (claim.seat as u32, claim.owner as u32);
                log.tell(|| Told::all(event(Happened::Overbid(NyuriOverbid { seat, owner }))));
                self.draw(claim.seat, log); // N8, N14
            }
        }
        claims.clear();
        self.claims = claims; // its memory is used again
    }

    /// Hands over the pile of a winning claim, and the penalty card if there is one.
    fn take(&mut self, claim: &Claim, chance: &mut impl Chance, log: &mut impl Log<NyuriEvent>) {
        let Claim { seat, owner, cards } = *claim;
        if self.options.spend_cards {
            for card in each(cards) {
                self.hands[seat].remove(card); // N6, N21
                self.spent.push(card);
            }
        }
        let pile = std::mem::take(&mut self.piles[owner]);
        pile.cards().for_each(|card| self.hands[seat].push(card));
        self.hold(seat, pile.set() | cards);
        log.tell(|| {
            let (seat, owner) = (seat as u32, owner as u32);
            let (pile, cards) = (cards::write(pile.cards()), cards::write(each(cards)));
            Told::all(event(Happened::Stole(NyuriStole { seat, owner, pile, cards })))
        });
        if cards.count_ones() == 3 {
            // N13
            chance.begin(Event::Penalty, seat);
            let place = chance.below(self.hands[seat].len());
            let card = self.hands[seat].pick(place);
            self.hands[owner].push(card);
            for viewer in [seat, owner] {
                self.holdings[viewer].put(owner, bit(card));
            }
            log.tell(|| {
                let penalty =
                    |card| event(Happened::Penalty(NyuriPenalty { seat: seat as u32, owner: owner as u32, card }));
                Told { public: penalty(None), private: Some((penalty(Some(card.into())), [seat, owner])) }
            });
        }
    }

    /// The cards of each seat in hand and pile (N15).
    pub fn counts(&self) -> Vec<i32> {
        self.hands.iter().zip(&self.piles).map(|(hand, pile)| (hand.len() + pile.len()) as i32).collect()
    }
}

impl Rules for State {
    type Options = Options;
    type Action = Action;
    type Event = NyuriEvent;
    type Observation = NyuriObservation;
    type Message = NyuriAction;

    fn usual() -> Options {
        Options { spend_cards: false, instant: false, placer_draws: false, reuse_base: false, stall: 40 }
    }

    fn deck(_: &Options) -> Vec<u8> {
        DECK.collect()
    }

    fn new(
        options: &Options,
        seats: usize,
        starter: usize,
        deck: &[u8],
        _: &mut impl Chance,
        log: &mut impl Log<NyuriEvent>,
    ) -> Self {
        let dealt = seats * HAND;
        let hand = |seat: usize| deck[(seat + seats - starter) % seats..dealt].iter().step_by(seats).copied();
        let hands: Vec<Hand> = (0..seats).map(|seat| Hand::of(hand(seat))).collect();
        for step in 0..seats {
            let seat = (starter + step) % seats;
            log.tell(|| {
                let dealt = |cards| event(Happened::Dealt(NyuriDealt { seat: seat as u32, cards, count: HAND as u32 }));
                Told::one(seat, dealt(vec![]), dealt(cards::write(each(hands[seat].set))))
            });
        }
        Self {
            options: *options,
            hands,
            stock: deck[dealt..].iter().rev().copied().collect(),
            piles: vec![Pile::default(); seats],
            spent: vec![],
            claims: vec![],
            stalled: 0,
            placer: starter,
            placing: true,
            seat: starter,
            over: false,
            holdings: vec![Holdings::none(); seats],
        }
    }

    fn to_act(&self) -> Option<usize> {
        (!self.over).then_some(self.seat)
    }

    fn legal(&self, seat: usize) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.placing {
            if self.piles[seat].len() > 0 {
                actions.push(Action::Leave);
            }
            self.placements(seat, |pile| actions.push(Action::Place(pile)));
        } else {
            actions.push(Action::Draw); // N9
            for owner in 0..self.hands.len() {
                for count in 1..=3 {
                    self.steals(seat, owner, count, |cards, _| actions.push(Action::Steal(owner, cards)));
                }
            }
        }
        actions
    }

    fn apply(&mut self, seat: usize, action: &Action, chance: &mut impl Chance, log: &mut impl Log<NyuriEvent>) {
        let number = seat as u32;
        match *action {
            Action::Draw => self.draw(seat, log),
            Action::Steal(owner, cards) => {
                self.stalled += 1;
                let claim = Claim { seat, owner, cards };
                if self.options.instant {
                    self.take(&claim, chance, log); // N7, N22
                } else {
                    self.claims.push(claim);
                    self.hold(seat, cards);
                    log.tell(|| {
                        let cards = cards::write(each(cards));
                        Told::all(event(Happened::Claimed(NyuriClaimed { seat: number, owner: owner as u32, cards })))
                    });
                }
            }
            Action::Leave => {
                log.tell(|| Told::all(event(Happened::Left(NyuriLeft { seat: number }))));
                self.after_placing(log);
            }
            Action::Place(pile) => {
                let old = std::mem::replace(&mut self.piles[seat], pile);
                old.cards().for_each(|card| self.hands[seat].push(card));
                pile.cards().for_each(|card| self.hands[seat].remove(card));
                self.hold(seat, old.set());
                log.tell(|| {
                    Told::all(event(Happened::Placed(NyuriPlaced {
                        seat: number,
                        base: pile.base.map_or(0, i32::from),
                        guard: pile.guard.map(i32::from),
                        taken_back: cards::write(old.cards()),
                    })))
                });
                self.after_placing(log);
            }
        }
        self.end_turn(seat, chance, log);
    }

    fn redraw(&mut self, deck: &[u8], _: &mut impl Chance) {
        self.stock = in_order_of(deck, &self.stock).collect();
    }

    fn outcome(&self) -> Option<Outcome> {
        let counts = self.over.then(|| self.counts())?;
        let reason = if self.stock.is_empty() { "stock_empty" } else { "stalled" }; // N14, N17
        Some(Outcome::new(&counts, counts.clone(), reason)) // N18
    }

    fn observation(&self, seat: usize) -> NyuriObservation {
        let phase = match (self.over, self.placing) {
            (true, _) => NyuriPhase::Over,
            (_, true) => NyuriPhase::Place,
            _ => NyuriPhase::Steal,
        };
        let pile = |pile: &Pile| NyuriPile { base: pile.base.map(i32::from), guard: pile.guard.map(i32::from) };
        let claim = |claim: &Claim| NyuriClaim {
            seat: claim.seat as u32,
            owner: claim.owner as u32,
            cards: cards::write(each(claim.cards)),
        };
        NyuriObservation {
            phase: phase.into(),
            seat: Some(seat as u32),
            hand: cards::write(each(self.hands[seat].set)),
            hand_sizes: self.hands.iter().map(|hand| hand.len() as u32).collect(),
            piles: self.piles.iter().map(pile).collect(),
            stock: self.stock.len() as u32,
            placer: self.placer as u32,
            claims: self.claims.iter().map(claim).collect(),
            stalled: self.stalled,
            spent: cards::write(self.spent.iter().copied()),
            to_act: self.to_act().map(|seat| seat as u32),
        }
    }

    fn message(action: &Action) -> NyuriAction {
        let kind = match *action {
            Action::Leave => Kind::Leave(NyuriLeave {}),
            Action::Draw => Kind::Draw(NyuriDraw {}),
            Action::Place(pile) => {
                Kind::Place(NyuriPlace { base: pile.base.map_or(0, i32::from), guard: pile.guard.map(i32::from) })
            }
            Action::Steal(owner, cards) => {
                Kind::Steal(NyuriSteal { owner: owner as u32, cards: cards::write(each(cards)) })
            }
        };
        NyuriAction { kind: Some(kind) }
    }
}
