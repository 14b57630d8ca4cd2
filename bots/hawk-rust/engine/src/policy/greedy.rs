//! The greedy policies of `arena/policies`, choice for choice.

use std::sync::LazyLock;

use crate::cards::{Card, bit, each};
use crate::games::hyrule::{WHOLE, winning};
use crate::games::kleftis::joining_single;
use crate::games::nur_mut::PILES;
use crate::games::nyuri::{Pile, value};
use crate::games::{Rules, forty_one, hyrule, kleftis, nur_mut, nyuri};

/// A game with a greedy policy.
pub trait Greedy: Rules {
    /// The action that looks best to a seat right now, by one simple idea for each game.
    fn greedy(&self, seat: usize) -> Self::Action;
}

/// The first of some items with the highest key.
fn first_highest<T, K: PartialOrd>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> K) -> Option<T> {
    items.map(|item| (key(&item), item)).reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|it| it.1)
}

impl Greedy for forty_one::State {
    /// Ends play with a high score; else takes the discard if it helps, and drops the worst card.
    fn greedy(&self, seat: usize) -> forty_one::Action {
        use forty_one::{Action, score};
        const STOP_AT: i32 = 30;
        let hand = self.hands[seat];
        if let Some((drawn, _)) = self.drawn {
            let held = hand | bit(drawn);
            let dropped = |action: &Action| match action {
                Action::Discard(card) => score(held & !bit(*card)),
                _ => i32::MIN,
            };
            return first_highest(self.legal(seat).into_iter(), dropped).expect("a card to discard");
        }
        let now = score(hand);
        if self.may_end() && (now >= STOP_AT || self.stock.is_empty()) {
            return Action::End;
        }
        if let Some(&top) = self.discards.last() {
            let five = hand | bit(top);
            if self.stock.is_empty() || each(hand).any(|card| score(five & !bit(card)) > now) {
                return Action::Take;
            }
        }
        Action::Draw
    }
}

/// How many of the other cards each card beats if it is played first.
static STRENGTH: LazyLock<[u32; 55]> = LazyLock::new(|| {
    let beats = |card: Card, other: &Card| winning(&[card, *other], false) == 0;
    std::array::from_fn(|card| {
        each(WHOLE & !(1 << card)).filter(|other| card > 0 && beats(card as Card, other)).count()
    })
    .map(|count| count as u32)
});

fn strength(card: &Card) -> u32 {
    STRENGTH[usize::from(*card)]
}

impl Greedy for hyrule::State {
    /// Swaps the weakest card to play last; wins cheaply if it can; leads its strongest card.
    fn greedy(&self, seat: usize) -> hyrule::Action {
        use hyrule::Action;
        let hand = || each(self.hands[seat]);
        let weakest = |cards: &mut dyn Iterator<Item = Card>| first_highest(cards, |card| u32::MAX - strength(card));
        if self.may_swap() {
            return Action::Swap(weakest(&mut hand()).expect("a card"));
        }
        if self.trick.is_empty() {
            return Action::Play(first_highest(hand(), strength).expect("a card"));
        }
        let mut trick = [0; 8];
        let count = self.trick.len();
        trick[..count].copy_from_slice(&self.trick);
        let mut wins = hand().filter(|&card| {
            trick[count] = card;
            winning(&trick[..=count], false) == count
        });
        Action::Play(weakest(&mut wins).or_else(|| weakest(&mut hand())).expect("a card"))
    }
}

impl Greedy for kleftis::State {
    /// Steals to the biggest group, else builds the biggest, else plays; secures all groups.
    fn greedy(&self, seat: usize) -> kleftis::Action {
        use kleftis::Action;
        if self.securing {
            return Action::Secure(self.securable());
        }
        let hand = self.hands[seat];
        let joined = |own: bool| {
            let groups = self
                .groups
                .iter()
                .filter(move |group| (usize::from(group.owner) == seat) == own && group.joining & hand != 0);
            let lowest = groups.map(move |group| ((group.joining & hand).trailing_zeros() as Card, group));
            // of the biggest groups the lowest card, and for it the lowest group
            first_highest(lowest, |(card, group)| (group.len, u8::MAX - card, u8::MAX - group.number))
        };
        if let Some((card, group)) = joined(false) {
            return Action::Steal(card, group.owner, group.number);
        }
        if let Some((card, group)) = joined(true) {
            return Action::Build(card, group.number);
        }
        let matches = |card: &Card| (joining_single(*card) & hand).count_ones();
        Action::Play(first_highest(each(hand), matches).expect("a card"))
    }
}

impl Greedy for nur_mut::State {
    /// Lays the card that fits; else shows courage if it is likely to work and cheap, or tucks.
    fn greedy(&self, seat: usize) -> nur_mut::Action {
        use nur_mut::Action;
        const CHEAP: usize = 2;
        const NINE: u8 = 9;
        let tops = self.tops();
        let mut fitting: u16 = 0;
        for top in tops {
            fitting |= 1 << (top - 1) | 1 << (top + 1);
        }
        let likely = 2 * (fitting & ((1 << NINE) - 1) << 1).count_ones() >= u32::from(NINE);
        let highest = tops.iter().max();
        let cost = || (0..PILES).filter(|&pile| Some(&tops[pile]) == highest).map(|pile| self.piles[pile].len()).max();
        let brave = likely && cost() <= Some(CHEAP);
        let rank = |action: &Action| match action {
            Action::Choose(_) => 5,
            Action::Place(_) => 4,
            Action::Courage if brave => 3,
            Action::Try => 2,
            Action::Tuck => 1,
            _ => 0,
        };
        let mut best: Option<Action> = None;
        self.each_legal(seat, |action| {
            if best.is_none_or(|before| rank(&action) > rank(&before)) {
                best = Some(action);
            }
        });
        best.expect("a legal action")
    }
}

impl Greedy for nyuri::State {
    /// Steals the biggest pile with the fewest cards; lays the highest single card.
    fn greedy(&self, seat: usize) -> nyuri::Action {
        use nyuri::Action;
        /// The value of a card that the seat gains. A stolen card counts twice: the other seat loses it.
        const CARD: i32 = 1000;
        /// The cost of a shown card besides its worth, which is less.
        const SHOWN: i32 = 100;
        if self.placing {
            let mut best: Option<Pile> = None;
            let worth = |pile: Pile| pile.base.map_or(0, value);
            self.placements(seat, |pile| {
                if pile.guard.is_none() && best.is_none_or(|before| worth(pile) > worth(before)) {
                    best = Some(pile);
                }
            });
            return best.map_or_else(|| self.legal(seat)[0], Action::Place);
        }
        let mut best = (CARD, Action::Draw);
        for owner in 0..self.hands.len() {
            let size = 2 * CARD * self.piles[owner].len() as i32;
            for count in 1..=3u8 {
                let lost = if count == 3 { 2 * CARD } else { 0 }; // N13
                let gain = size - lost - SHOWN * i32::from(count);
                let mut found = false;
                if gain <= best.0 {
                    continue;
                }
                self.steals(seat, owner, count, |cards, worth| {
                    found = true;
                    if gain - i32::from(worth) > best.0 {
                        best = (gain - i32::from(worth), Action::Steal(owner, cards));
                    }
                });
                if found {
                    break; // more cards cost more
                }
            }
        }
        best.1
    }
}
