//! Hyrule: seven tricks, whose best card takes them all.

use super::series::Plan;
use super::{Log, MOST_SEATS, Outcome, Rules, Told, in_order_of, in_range};
use crate::arena::hyrule_action::Kind;
use crate::arena::hyrule_event::Kind as Happened;
use crate::arena::*;
use crate::cards::{self, ALL, Card, Set, bit, each, rank, suit};
use crate::chance::Chance;

const HAND: usize = 7;
const JOKERS: [Card; 2] = [53, 54];
/// The 54 cards.
pub const WHOLE: Set = ALL | 1 << JOKERS[0] | 1 << JOKERS[1];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Whether all seal their cards at once (H2).
    pub chance_rules: bool,
    /// Whether the last of two jokers wins (H7).
    pub last_joker: bool,
    /// Whether of some seats that tie the last trick's winner leads (H12).
    pub last_winner: bool,
    /// Whether nobody may swap in the trick after one with a swap (H10).
    pub no_swap_after_swap: bool,
}

/// The options of a table; none where there is one of a later protocol.
pub fn options(message: &HyruleOptions) -> Option<Options> {
    if !in_range(&[(message.series, 1, 100), (message.runoff, 0, 100)]) {
        return None;
    }
    let chance_rules = match HyruleMode::try_from(message.mode).ok()? {
        HyruleMode::Unspecified => return None,
        mode => mode == HyruleMode::Chance,
    };
    let last_joker = match HyruleDoubleJoker::try_from(message.double_joker).ok()? {
        HyruleDoubleJoker::Unspecified => return None,
        which => which == HyruleDoubleJoker::Last,
    };
    let no_swap_after_swap = message.no_swap_after_swap.unwrap_or(false);
    Some(Options { chance_rules, last_joker, last_winner: message.last_winner, no_swap_after_swap })
}

/// How deals of Hyrule follow one another (H13, H16, H17).
pub fn plan(message: &HyruleOptions) -> Plan {
    let HyruleOptions { series, runoff, .. } = *message;
    Plan { most_seats: MOST_SEATS, deals: series, tie_breaks: runoff, wins: true, winner_starts: false }
}

/// The place in a trick of its winning card, of the cards in the order played.
pub fn winning(trick: &[Card], last_joker: bool) -> usize {
    let by = |strength: &dyn Fn(Card) -> i32, last: bool| {
        let better = |one: i32, other: i32| if last { one >= other } else { one > other };
        let mut best = 0;
        for place in 1..trick.len() {
            if better(strength(trick[place]), strength(trick[best])) {
                best = place;
            }
        }
        best
    };
    if trick.iter().any(|&card| card >= JOKERS[0]) {
        // The best five wins, whatever else was played (H5), else a joker (H7).
        let fives = |card: Card| match card {
            53.. => 1,
            18 => 2,
            5 => 3,
            44 => 4,
            31 => 5,
            _ => 0,
        };
        return by(&fives, last_joker);
    }
    // Without a joker a five is an ordinary card (H6).
    let ordered = |order: [i32; 4]| move |card: Card| 20 * order[usize::from(suit(card))] + i32::from(rank(card));
    let best = by(&ordered([2, 3, 0, 1]), false);
    if suit(trick[best]) == 1 {
        by(&ordered([1, 2, 3, 0]), false) // hearts beat diamonds, and decide the trick (H3, H4)
    } else {
        best
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Play(Card),
    Swap(Card),
}

#[derive(Clone, Debug)]
pub struct State {
    pub options: Options,
    pub hands: Vec<Set>,
    /// Drawn from its end.
    pub stock: Vec<Card>,
    pub captured: Vec<u32>,
    pub played: Vec<Card>,
    pub discards: Vec<Card>,
    pub tallest: usize,
    pub leader: usize,
    /// The seat that plays the trick's first card, and the cards played.
    pub first: usize,
    pub trick: Vec<Card>,
    pub swapped: bool,
    /// Whether nobody may swap in this trick, because the trick before had a swap (H10).
    pub no_swap: bool,
    /// Under chance rules what each seat has sealed; the card is still in its hand.
    pub sealed: Vec<Option<Card>>,
    pub over: bool,
}

fn event(kind: Happened) -> HyruleEvent {
    HyruleEvent { kind: Some(kind) }
}

impl State {
    fn next_leader(&self, winner: usize) -> usize {
        let most = *self.captured.iter().max().expect("seats");
        let tied = self.captured.iter().filter(|&&count| count == most).count();
        let seats = self.captured.len();
        if self.options.last_winner && tied < seats && self.captured[winner] == most {
            return winner;
        }
        // H12: nearest to the tallest in play order, the tallest first
        (0..seats).map(|step| (self.tallest + step) % seats).find(|&seat| self.captured[seat] == most).expect("a seat")
    }

    fn capture(&mut self, log: &mut impl Log<HyruleEvent>) {
        let place = winning(&self.trick, self.options.last_joker);
        let winner = (self.first + place) % self.hands.len();
        let count = self.trick.len() as u32;
        let card = self.trick[place];
        self.captured[winner] += count;
        self.played.append(&mut self.trick);
        log.tell(|| {
            let (seat, card) = (winner as u32, card.into());
            Told::all(event(Happened::TrickWon(HyruleTrickWon { seat, card, count })))
        });
        if self.hands.iter().any(|hand| *hand != 0) {
            self.leader = self.next_leader(winner);
        } else {
            self.over = true;
        }
        self.first = self.leader;
        self.no_swap = self.swapped && self.options.no_swap_after_swap;
        self.swapped = false;
    }

    /// Whether the seat to act opens the trick and may swap (H8, H10, H11).
    pub fn may_swap(&self) -> bool {
        let swapped = self.swapped || self.no_swap;
        !self.options.chance_rules && self.trick.is_empty() && !swapped && !self.stock.is_empty()
    }

    /// The seats that have not sealed a card, in the order in which their cards count as played (H7).
    fn sealing(&self) -> impl Iterator<Item = usize> {
        let seats = self.hands.len();
        (0..seats).map(move |step| (self.leader + step) % seats).filter(|&seat| self.sealed[seat].is_none())
    }

    fn show(&mut self, log: &mut impl Log<HyruleEvent>) {
        let seats = self.hands.len();
        self.first = self.leader;
        for step in 0..seats {
            let seat = (self.leader + step) % seats;
            let card = self.sealed[seat].take().expect("a sealed card");
            self.hands[seat] &= !bit(card);
            self.trick.push(card);
            log.tell(|| Told::all(event(Happened::Played(HyrulePlayed { seat: seat as u32, card: card.into() }))));
        }
        self.capture(log);
    }
}

impl Rules for State {
    type Options = Options;
    type Action = Action;
    type Event = HyruleEvent;
    type Observation = HyruleObservation;
    type Message = HyruleAction;

    fn usual() -> Options {
        Options { chance_rules: false, last_joker: false, last_winner: false, no_swap_after_swap: false }
    }

    fn deck(_: &Options) -> Vec<u8> {
        (1..=54).collect()
    }

    fn new(
        options: &Options,
        seats: usize,
        starter: usize,
        deck: &[u8],
        _: &mut impl Chance,
        log: &mut impl Log<HyruleEvent>,
    ) -> Self {
        let dealt = seats * HAND;
        let mut hands = vec![0; seats];
        for (place, &card) in deck[..dealt].iter().enumerate() {
            hands[(starter + place) % seats] |= bit(card);
        }
        for step in 0..seats {
            let seat = (starter + step) % seats;
            log.tell(|| {
                let dealt =
                    |cards| event(Happened::Dealt(HyruleDealt { seat: seat as u32, cards, count: HAND as u32 }));
                Told::one(seat, dealt(vec![]), dealt(cards::write(each(hands[seat]))))
            });
        }
        Self {
            options: *options,
            hands,
            stock: deck[dealt..].iter().rev().copied().collect(),
            captured: vec![0; seats],
            played: vec![],
            discards: vec![],
            tallest: starter,
            leader: starter,
            first: starter,
            trick: vec![],
            swapped: false,
            no_swap: false,
            sealed: vec![None; seats],
            over: false,
        }
    }

    fn to_act(&self) -> Option<usize> {
        if self.over {
            None
        } else if self.options.chance_rules {
            self.sealing().next()
        } else {
            Some((self.first + self.trick.len()) % self.hands.len())
        }
    }

    fn acting(&self) -> Vec<usize> {
        if self.options.chance_rules && !self.over {
            self.sealing().collect()
        } else {
            self.to_act().into_iter().collect()
        }
    }

    fn legal(&self, seat: usize) -> Vec<Action> {
        let hand = self.hands[seat];
        let swaps = if self.may_swap() { hand } else { 0 };
        each(hand).map(Action::Play).chain(each(swaps).map(Action::Swap)).collect() // H14: any card
    }

    fn apply(&mut self, seat: usize, action: &Action, _: &mut impl Chance, log: &mut impl Log<HyruleEvent>) {
        let number = seat as u32;
        match *action {
            Action::Swap(card) => {
                let Some(drawn) = self.stock.pop() else { return };
                self.hands[seat] = self.hands[seat] & !bit(card) | bit(drawn); // H11: hands stay equal
                self.discards.push(card);
                self.swapped = true;
                self.first = (seat + 1) % self.hands.len(); // H9: the next seat must lead, the swapper plays last
                log.tell(|| {
                    let swapped =
                        |drawn| event(Happened::Swapped(HyruleSwapped { seat: number, discarded: card.into(), drawn }));
                    Told::one(seat, swapped(None), swapped(Some(drawn.into())))
                });
            }
            Action::Play(card) if self.options.chance_rules => {
                self.sealed[seat] = Some(card); // H18: nobody is told
                if self.sealed.iter().all(Option::is_some) {
                    self.show(log);
                }
            }
            Action::Play(card) => {
                self.hands[seat] &= !bit(card);
                self.trick.push(card);
                log.tell(|| Told::all(event(Happened::Played(HyrulePlayed { seat: number, card: card.into() }))));
                if self.trick.len() == self.hands.len() {
                    self.capture(log);
                }
            }
        }
    }

    fn redraw(&mut self, deck: &[u8], _: &mut impl Chance) {
        self.stock = in_order_of(deck, &self.stock).rev().collect();
    }

    fn outcome(&self) -> Option<Outcome> {
        // H16: ties share
        self.over.then(|| {
            let points = self.captured.iter().map(|&count| count as i32).collect();
            Outcome::new(&self.captured, points, "tricks_played")
        })
    }

    fn observation(&self, seat: usize) -> HyruleObservation {
        let seats = self.hands.len();
        let phase = if self.over {
            HyrulePhase::Over
        } else if self.options.chance_rules {
            HyrulePhase::Seal // H18: the same whoever has sealed
        } else if !self.trick.is_empty() || self.swapped {
            HyrulePhase::Follow
        } else {
            HyrulePhase::Open
        };
        let played = |(turn, &card): (usize, &Card)| HyrulePlayedCard {
            seat: ((self.first + turn) % seats) as u32,
            card: card.into(),
        };
        HyruleObservation {
            phase: phase.into(),
            seat: Some(seat as u32),
            hand: cards::write(each(self.hands[seat])),
            hand_sizes: self.hands.iter().map(|hand| hand.count_ones()).collect(),
            trick: self.trick.iter().enumerate().map(played).collect(),
            leader: self.leader as u32,
            tallest: self.tallest as u32,
            swapped: self.swapped,
            captured: self.captured.clone(),
            played: cards::write(self.played.iter().copied()),
            discards: cards::write(self.discards.iter().copied()),
            stock: self.stock.len() as u32,
            to_act: if self.options.chance_rules { None } else { self.to_act().map(|seat| seat as u32) },
            must_lead: self.swapped && self.trick.is_empty(),
            no_swap: self.no_swap && !self.over,
        }
    }

    fn message(action: &Action) -> HyruleAction {
        let kind = match *action {
            Action::Play(card) => Kind::Play(HyrulePlay { card: card.into() }),
            Action::Swap(card) => Kind::Swap(HyruleSwap { card: card.into() }),
        };
        HyruleAction { kind: Some(kind) }
    }
}
