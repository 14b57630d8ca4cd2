//! Kleftis in rollouts: turn by turn, on a position that holds no more than that takes.

use super::kleftis::{Constants, JOINING, NONE};
use super::{Ends, MOST_SEATS};
use crate::cards::{ALL, Card, Set, bit, each};
use crate::games::kleftis::{Group, State, joining_pair, joining_single};
use crate::list::List;

/// The most groups of two and more cards that can lie open.
const GROUPS: usize = 26;
/// What a card is played on: 0 for nothing, a single card by its number, or this and the first card of a group.
pub const GROUP: u8 = 64;

/// Added to worths this makes them positive, so that their bits compare as they do.
const SHIFT: f64 = 1024.0;
/// The lowest bits say which action it is: the earlier in the documented order, the higher.
const LAST: u64 = 0xffff;

/// A position of which every seat secures all that it may.
#[derive(Clone, Copy)]
pub struct Rollout<'a> {
    state: &'a State,
    seats: usize,
    hands: [Set; MOST_SEATS],
    /// Of the stock, the cards that are still there.
    stock: usize,
    /// The cards of each seat that lie alone.
    lone: [Set; MOST_SEATS],
    /// The open groups of two and more cards.
    groups: List<Group, GROUPS>,
    secured: [i32; MOST_SEATS],
    /// The cards that have left the hands.
    shown: Set,
    /// By card of a hand, what the hand is worth without it.
    rest: [f64; 64],
}

impl<'a> Rollout<'a> {
    #[inline(always)]
    pub fn new(state: &'a State) -> Self {
        let mut rollout = Self {
            state,
            seats: state.hands.len(),
            hands: [0; MOST_SEATS],
            stock: state.stock.len(),
            lone: [0; MOST_SEATS],
            groups: List::new(),
            secured: [0; MOST_SEATS],
            shown: state.shown,
            rest: [0.0; 64],
        };
        for seat in 0..rollout.seats {
            rollout.hands[seat] = state.hands[seat];
            rollout.lone[seat] = state.lone[seat];
            rollout.secured[seat] = state.secured[seat].into();
        }
        state.groups.iter().filter(|group| group.len > 1).for_each(|group| rollout.groups.push(*group));
        rollout
    }

    /// The card to play, and what on.
    ///
    /// A card joins a single one if and only if that joins it, so sets of cards say what the hand joins. What
    /// counts the same in every action is left out.
    #[inline(always)]
    pub fn choose(&mut self, seat: usize, constants: &Constants) -> (Card, u8) {
        let hand = self.hands[seat];
        if self.stock == 0 && hand.is_power_of_two() {
            return (hand.trailing_zeros() as Card, 0); // what it would join could not be secured
        }
        let mine = self.lone[seat];
        let (mut lone, mut others) = (0, 0);
        for other in 0..self.seats {
            lone |= self.lone[other];
            others += self.hands[other].count_ones();
        }
        let unseen = ALL & !(self.shown | hand);
        let count = unseen.count_ones();
        let none: &[f64; JOINING + 1] = &NONE[count as usize][(others - hand.count_ones()).min(count) as usize];
        let safe = |joining: Set| none[(joining & unseen).count_ones() as usize];
        let (mut once, mut twice, mut thrice) = (0, 0, 0); // what one card of the hand joins, what two, and three
        for card in each(hand) {
            let joining = joining_single(card);
            thrice |= twice & joining;
            twice |= once & joining;
            once |= joining;
        }
        let now = constants.now(self.stock);
        let stays = [now.lone, constants.joined];
        let single = |joining, joins| constants.open(1, safe(joining), stays[usize::from(joins)]);
        let group = |size, joining: Set, card| constants.group(size, safe(joining), joining & hand & !bit(card) != 0);
        let by_card = 1.0 / f64::from(count.max(1));
        let (reach, reach_by_two) = (now.reach * by_card, constants.reach_by_two * by_card);
        let mut best = 0;
        // without a branch, which the processor could not foresee
        let mut weigh = |worth: f64, kind: u64, card: Card, on: u8| {
            let order = kind << 14 | u64::from(card) << 8 | u64::from(on);
            best = best.max((worth + SHIFT).to_bits() & !LAST | (LAST - order));
        };
        for card in each(hand) {
            let joining = joining_single(card);
            let only = joining & !twice; // what no other card of the hand joins
            let prey = (lone & !mine & only).count_ones();
            let (reached, by_two) = (once & !only & unseen, (twice & !joining | thrice) & unseen);
            let mut worth = reach * f64::from(reached.count_ones()) - now.prey * f64::from(prey)
                + reach_by_two * f64::from(by_two.count_ones());
            for own in each(mine & only) {
                let joining = joining_single(own);
                worth -= single(joining, true) - single(joining, false);
            }
            self.rest[usize::from(card)] = worth;
            weigh(worth + single(joining, joining & hand != 0), 0, card, 0);
        }
        for on in each(lone & once) {
            let joining = joining_single(on);
            let joins = twice >> on & 1 == 1; // also without the card that is played on it
            let (kind, before) = match mine >> on & 1 == 1 {
                true => (1, single(joining, joins)),
                false => (2, now.prey * f64::from(u8::from(joins))),
            };
            for card in each(joining & hand) {
                let made = group(2, joining_pair(on, card), card);
                weigh(self.rest[usize::from(card)] - before + made, kind, card, on);
            }
        }
        for lying in self.groups.iter() {
            let own = usize::from(lying.owner) == seat;
            let (kind, before) = (if own { 1 } else { 2 }, constants.lying(lying.len, own));
            for card in each(lying.joining & hand) {
                let made = lying.with(card);
                let after = group(made.len, made.joining, card);
                weigh(self.rest[usize::from(card)] - before + after, kind, card, GROUP + lying.first());
            }
        }
        let order = LAST - (best & LAST);
        ((order >> 8 & 63) as Card, order as u8)
    }

    /// Takes a group out of a place; the others need no order.
    fn take(&mut self, place: usize) -> Group {
        let group = self.groups[place];
        let last = self.groups.pop();
        if let Some(last) = last.filter(|_| place < self.groups.len()) {
            self.groups[place] = last;
        }
        group
    }

    /// Secures all groups of a seat, and its single cards if they may be secured, but the card that was played.
    #[inline(always)]
    fn secure(&mut self, seat: usize, played: Set) {
        for place in (0..self.groups.len()).rev() {
            if usize::from(self.groups[place].owner) == seat {
                self.secured[seat] += i32::from(self.take(place).len);
            }
        }
        if self.state.options.secure_single {
            self.secured[seat] += (self.lone[seat] & !played).count_ones() as i32;
            self.lone[seat] &= played;
        }
    }

    /// Plays a card, and ends the turn.
    #[inline(always)]
    fn play(&mut self, seat: usize, card: Card, on: u8) {
        self.hands[seat] &= !bit(card);
        self.shown |= bit(card);
        let mut touched = match on {
            0 => {
                self.lone[seat] |= bit(card);
                return self.secure(seat, bit(card));
            }
            GROUP.. => {
                let place = self.groups.iter().position(|group| group.first() == on - GROUP);
                self.take(place.expect("a group that lies there")).with(card)
            }
            _ => {
                for lone in &mut self.lone {
                    *lone &= !bit(on);
                }
                Group::single(seat, 0, on).with(card)
            }
        };
        self.secure(seat, 0);
        touched.owner = seat as u8;
        self.groups.push(touched);
    }

    /// Ends the turn of a seat that may now secure.
    fn end_turn(&mut self, seat: usize) {
        let touched = self.state.groups.iter().find(|group| Some(group.number) == self.state.touched);
        let place = self.groups.iter().position(|group| Some(group.number) == self.state.touched);
        let kept = place.map(|place| self.take(place));
        self.secure(seat, touched.map_or(0, |group| group.lone()));
        kept.into_iter().for_each(|group| self.groups.push(group));
    }

    /// Plays to the end, each seat by its own constants.
    #[inline(always)]
    pub fn play_on(mut self, by: &[&Constants; MOST_SEATS]) -> Ends {
        let mut seat = self.state.seat;
        let mut acts = !self.state.securing && !self.state.over;
        if self.state.securing {
            self.end_turn(seat);
        }
        while !self.state.over {
            if !acts {
                seat = if seat + 1 == self.seats { 0 } else { seat + 1 };
                if self.stock > 0 {
                    self.stock -= 1;
                    self.hands[seat] |= bit(self.state.stock[self.stock]); // K8
                }
            }
            acts = false;
            let hand = self.hands[seat];
            if hand == 0 {
                break;
            }
            let (card, on) = self.choose(seat, by[seat]);
            self.play(seat, card, on);
        }
        for turn in 0..usize::from(self.state.closing) {
            self.secure((seat + turn) % self.seats, 0); // K9
        }
        let ends = (0..self.seats).map(|seat| {
            let open = self.groups.iter().filter(|group| usize::from(group.owner) == seat);
            let open = open.map(|group| i32::from(group.len)).sum::<i32>() + self.lone[seat].count_ones() as i32;
            let secured = self.secured[seat];
            (secured - open, if self.state.options.by_secured { secured } else { 0 }) // K10, K14
        });
        ends.collect()
    }
}

/// How the deal ends that all seats play on, each by its own constants.
pub fn finish(state: &State, by: &[&Constants; MOST_SEATS]) -> Ends {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
        fn counting(state: &State, by: &[&Constants; MOST_SEATS]) -> Ends {
            Rollout::new(state).play_on(by)
        }
        let has = is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("lzcnt");
        if has && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has these instructions.
            return unsafe { counting(state, by) };
        }
    }
    Rollout::new(state).play_on(by)
}

#[cfg(test)]
mod tests {
    use crate::cards::{Card, each, set};
    use crate::chance::{Chance, Random};
    use crate::games::kleftis::{Options, State};
    use crate::games::{MOST_SEATS, Outcome, Rules, Silent};
    use crate::policy::Policy;

    #[test]
    fn a_deal_ends_as_it_does_when_the_quick_choices_are_applied() {
        for number in 0..400u64 {
            let mut random = Random::new(number);
            let mut option = |_: usize| random.below(4) == 0;
            let options = Options {
                secure_single: option(0),
                auto_secure: option(1),
                final_secure: option(2),
                by_secured: option(3),
            };
            let mut deck = State::deck(&options);
            random.shuffle(&mut deck);
            let mut state = State::new(&options, 2 + number as usize % 3, 0, &deck, &mut random, &mut Silent);
            let by = std::array::from_fn::<_, MOST_SEATS, _>(|_| &state.styles()[random.below(2)]);
            for _ in 0..random.below(100) {
                if let Some(seat) = state.to_act() {
                    let legal = state.legal(seat);
                    state.apply(seat, &legal[random.below(legal.len())], &mut random, &mut Silent);
                }
            }
            let ends = state.finish(&by).expect("a quicker way");
            while let Some(seat) = state.to_act() {
                let action = state.quick(seat, by[seat]);
                assert!(state.legal(seat).contains(&action), "{action:?} in {state:?}");
                state.apply(seat, &action, &mut random, &mut Silent);
            }
            let points = ends.iter().map(|end| end.0).collect();
            assert_eq!(state.outcome(), Some(Outcome::new(&ends, points, "cards_played")), "board {number}");
        }
    }

    #[test]
    fn a_choice_does_not_change_with_cards_that_the_seat_has_not_seen() {
        for number in 0..100u64 {
            let mut random = Random::new(number);
            let mut deck = State::deck(&State::usual());
            random.shuffle(&mut deck);
            let mut state = State::new(&State::usual(), 2 + number as usize % 3, 0, &deck, &mut random, &mut Silent);
            while let Some(seat) = state.to_act() {
                let mut other = state;
                let mut hidden: Vec<Card> = each(state.unseen(seat)).collect();
                random.shuffle(&mut hidden);
                for holder in (0..state.hands.len()).filter(|holder| *holder != seat) {
                    let size = state.hands[holder].count_ones() as usize;
                    other.hands[holder] = set(hidden.drain(..size));
                }
                other.stock.copy_from_slice(&hidden);
                let constants = &state.styles()[random.below(2)];
                let action = state.quick(seat, constants);
                assert_eq!(action, other.quick(seat, constants));
                state.apply(seat, &action, &mut random, &mut Silent);
            }
        }
    }
}
