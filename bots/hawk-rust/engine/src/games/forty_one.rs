//! Forty-one: draw, discard, and collect four high cards of one suit.

use super::series::Plan;
use super::{Log, MOST_SEATS, Outcome, Rules, Told, in_order_of, in_range};
use crate::arena::forty_one_action::Kind;
use crate::arena::forty_one_event::Kind as Happened;
use crate::arena::*;
use crate::cards::{self, Card, DECK, Set, bit, each, of_suit, rank, suit};
use crate::chance::Chance;

/// The cards of a hand.
pub const HAND: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub min_stop_score: u32,
    pub stall: u32,
}

/// The options of a table.
pub fn options(message: &FortyOneOptions) -> Option<Options> {
    let FortyOneOptions { players, min_stop_score, stall, series, .. } = *message;
    in_range(&[(players, 2, 6), (min_stop_score, 0, 41), (stall, 1, 100), (series, 1, 100)])
        .then_some(Options { min_stop_score, stall })
}

/// How deals of Forty-one follow one another (F14, F15).
pub fn plan(message: &FortyOneOptions) -> Plan {
    let FortyOneOptions { players, series, cumulative, fixed_rotation, .. } = *message;
    let (wins, winner_starts) = (!cumulative, !fixed_rotation);
    Plan { most_seats: players as usize, deals: series, tie_breaks: 0, wins, winner_starts }
}

/// What a card counts: an ace 11, king, queen, jack and ten 10, others their rank.
pub fn value(card: Card) -> i32 {
    if rank(card) == 1 { 11 } else { rank(card).min(10).into() }
}

/// What the cards of each suit of a hand count together.
pub fn by_suit(hand: Set) -> [i32; 4] {
    std::array::from_fn(|suit| SUMS[(hand >> (13 * suit + 1)) as usize & ((1 << 13) - 1)].into())
}

/// What the cards of one suit count together, for every set of ranks.
const SUMS: [u8; 1 << 13] = {
    let mut sums = [0; 1 << 13];
    let mut ranks = 1;
    while ranks < sums.len() {
        let lowest = ranks.trailing_zeros() as u8;
        let counts = if lowest == 0 {
            11
        } else if lowest >= 9 {
            10
        } else {
            lowest + 1
        };
        sums[ranks] = sums[ranks & (ranks - 1)] + counts;
        ranks += 1;
    }
    sums
};

/// A hand's score, and what its cards count, lowest first: that of hands of one score the higher wins
/// (F10 to F12).
pub fn hand_values(hand: Set) -> (i32, Vec<i32>) {
    let suits = (0..4).filter(|&suit| hand & of_suit(suit) != 0);
    let values = |counted: u8| {
        let signed = |card| if suit(card) == counted { value(card) } else { -value(card) };
        let mut values: Vec<i32> = each(hand).map(signed).collect();
        values.sort_unstable();
        (values.iter().sum(), values)
    };
    suits.map(values).max().unwrap_or_default()
}

/// The score of a hand: its best suit less all other cards.
pub fn score(hand: Set) -> i32 {
    let sums = by_suit(hand);
    2 * sums.iter().max().unwrap_or(&0) - sums.iter().sum::<i32>()
}

/// Whether a hand may end play while there is a stock (F5).
pub fn may_stop(hand: Set, options: &Options) -> bool {
    let one_suit = hand & of_suit(suit(hand.trailing_zeros() as Card)) == hand;
    one_suit && each(hand).map(value).sum::<i32>() >= options.min_stop_score as i32
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Draw,
    Take,
    End,
    Discard(Card),
}

#[derive(Clone, Debug)]
pub struct State {
    pub options: Options,
    /// The hands without the card just drawn.
    pub hands: Vec<Set>,
    /// Drawn from its end.
    pub stock: Vec<Card>,
    pub discards: Vec<Card>,
    pub taken: Vec<bool>,
    /// The card that the seat to act has drawn, and whether it is the discard.
    pub drawn: Option<(Card, bool)>,
    pub shown: Shown,
    pub stalled: u32,
    pub starter: usize,
    pub seat: usize,
    pub over: bool,
}

/// What the discards, and who took them, have shown to all.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The discards that were not taken.
    pub lying: Set,
    /// For each seat the cards that it took and has not discarded.
    pub held: [Set; MOST_SEATS],
    /// For each seat the suit of its last discard that the next seat took.
    pub wanted_next: [Option<u8>; MOST_SEATS],
    /// For each seat how much it seems to collect each suit: taking a card counts 1, less with every other that is
    /// taken later, and a discard half a card against it.
    pub leaning: [[f64; 4]; MOST_SEATS],
}

impl Shown {
    /// A seat takes the discard of the one before.
    pub fn took(&mut self, seat: usize, before: usize, card: Card) {
        self.lying &= !bit(card);
        self.held[seat] |= bit(card);
        self.wanted_next[before] = Some(suit(card));
        self.leaning[seat].iter_mut().for_each(|suit| *suit *= 0.7);
        self.leaning[seat][usize::from(suit(card))] += 1.0;
    }

    pub fn discarded(&mut self, seat: usize, card: Card) {
        self.lying |= bit(card);
        self.held[seat] &= !bit(card);
        self.leaning[seat][usize::from(suit(card))] -= 0.5;
    }
}

fn event(kind: Happened) -> FortyOneEvent {
    FortyOneEvent { kind: Some(kind) }
}

impl State {
    pub fn may_end(&self) -> bool {
        self.stock.is_empty() || may_stop(self.hands[self.seat], &self.options) // F7, F8; F17: with any hand
    }

    fn end_play(&mut self, seat: Option<usize>, log: &mut impl Log<FortyOneEvent>) {
        self.over = true;
        log.tell(|| Told::all(event(Happened::PlayEnded(FortyOnePlayEnded { seat: seat.map(|seat| seat as u32) }))));
        for (seat, &hand) in self.hands.iter().enumerate() {
            log.tell(|| {
                let (seat, cards, score) = (seat as u32, cards::write(each(hand)), score(hand));
                Told::all(event(Happened::Shown(FortyOneShown { seat, cards, score })))
            });
        }
    }
}

impl Rules for State {
    type Options = Options;
    type Action = Action;
    type Event = FortyOneEvent;
    type Observation = FortyOneObservation;
    type Message = FortyOneAction;

    fn usual() -> Options {
        Options { min_stop_score: 0, stall: 8 }
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
        log: &mut impl Log<FortyOneEvent>,
    ) -> Self {
        let dealt = seats * HAND;
        let mut hands = vec![0; seats];
        for (place, &card) in deck[..dealt].iter().enumerate() {
            hands[(starter + place) % seats] |= bit(card);
        }
        for (seat, &hand) in hands.iter().enumerate() {
            log.tell(|| {
                let dealt =
                    |cards| event(Happened::Dealt(FortyOneDealt { seat: seat as u32, cards, count: HAND as u32 }));
                Told::one(seat, dealt(vec![]), dealt(cards::write(each(hand))))
            });
        }
        Self {
            options: *options,
            hands,
            stock: deck[dealt..].iter().rev().copied().collect(),
            discards: vec![],
            taken: vec![],
            drawn: None,
            shown: Shown::default(),
            stalled: 0,
            starter,
            seat: starter,
            over: false,
        }
    }

    fn to_act(&self) -> Option<usize> {
        (!self.over).then_some(self.seat)
    }

    fn legal(&self, seat: usize) -> Vec<Action> {
        let own = each(self.hands[seat]).map(Action::Discard);
        match self.drawn {
            Some((_, true)) => own.collect(), // F4
            Some((card, false)) => std::iter::once(Action::Discard(card)).chain(own).collect(),
            None => {
                let draw = (!self.stock.is_empty()).then_some(Action::Draw);
                let take = (!self.discards.is_empty()).then_some(Action::Take); // F2
                let end = self.may_end().then_some(Action::End);
                [draw, take, end].into_iter().flatten().collect()
            }
        }
    }

    fn apply(&mut self, seat: usize, action: &Action, _: &mut impl Chance, log: &mut impl Log<FortyOneEvent>) {
        let number = seat as u32;
        let seats = self.hands.len();
        match *action {
            Action::Draw => {
                let Some(card) = self.stock.pop() else { return };
                self.drawn = Some((card, false));
                self.stalled = 0;
                log.tell(|| {
                    let drew = |card| event(Happened::DrewStock(FortyOneDrewStock { seat: number, card }));
                    Told::one(seat, drew(None), drew(Some(card.into())))
                });
            }
            Action::Take => {
                let (Some(&card), Some(taken)) = (self.discards.last(), self.taken.last_mut()) else { return };
                *taken = true;
                self.shown.took(seat, (seat + seats - 1) % seats, card);
                self.drawn = Some((card, true));
                self.stalled += 1;
                log.tell(|| {
                    Told::all(event(Happened::TookDiscard(FortyOneTookDiscard { seat: number, card: card.into() })))
                });
            }
            Action::End => self.end_play(Some(seat), log),
            Action::Discard(card) => {
                let Some((drawn, _)) = self.drawn.take() else { return };
                self.hands[seat] = (self.hands[seat] | bit(drawn)) & !bit(card);
                self.shown.discarded(seat, card);
                self.discards.push(card);
                self.taken.push(false);
                log.tell(|| {
                    Told::all(event(Happened::Discarded(FortyOneDiscarded { seat: number, card: card.into() })))
                });
                if self.stalled >= self.options.stall * seats as u32 {
                    self.end_play(None, log); // F9; F16: now that the turn is complete
                } else {
                    self.seat = (seat + 1) % seats;
                }
            }
        }
    }

    fn redraw(&mut self, deck: &[u8], _: &mut impl Chance) {
        self.stock = in_order_of(deck, &self.stock).collect();
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over.then(|| {
            let values: Vec<(i32, Vec<i32>)> = self.hands.iter().map(|&hand| hand_values(hand)).collect(); // F11
            let reason = if self.stalled >= self.options.stall * self.hands.len() as u32 {
                "stalled" // F9: a seat that ends play does so before
            } else if self.stock.is_empty() {
                "stock_empty"
            } else {
                "stopped"
            };
            Outcome::new(&values, values.iter().map(|(score, _)| *score).collect(), reason)
        })
    }

    fn observation(&self, seat: usize) -> FortyOneObservation {
        let mut hand = self.hands[seat];
        let mut hand_sizes: Vec<u32> = self.hands.iter().map(|hand| hand.count_ones()).collect();
        let mut drawn = None;
        if let Some((card, _)) = self.drawn {
            hand_sizes[self.seat] += 1;
            if seat == self.seat {
                drawn = Some(card.into());
                hand |= bit(card);
            }
        }
        let phase = match (self.over, self.drawn) {
            (true, _) => FortyOnePhase::Over,
            (_, Some(_)) => FortyOnePhase::Discard,
            _ => FortyOnePhase::Draw,
        };
        FortyOneObservation {
            phase: phase.into(),
            seat: Some(seat as u32),
            hand: cards::write(each(hand)),
            drawn,
            hand_sizes,
            discards: cards::write(self.discards.iter().copied()),
            taken: self.taken.clone(),
            stock: self.stock.len() as u32,
            starter: self.starter as u32,
            stalled: self.stalled,
        }
    }

    fn message(action: &Action) -> FortyOneAction {
        let kind = match *action {
            Action::Draw => Kind::DrawStock(FortyOneDrawStock {}),
            Action::Take => Kind::TakeDiscard(FortyOneTakeDiscard {}),
            Action::End => Kind::EndPlay(FortyOneEndPlay {}),
            Action::Discard(card) => Kind::Discard(FortyOneDiscard { card: card.into() }),
        };
        FortyOneAction { kind: Some(kind) }
    }
}
