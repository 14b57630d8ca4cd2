//! Observations as rows of numbers and actions as numbers, for training: exactly those of `arena.rl` in Python,
//! whose modules say what each number means.
//!
//! They are made of the messages of the protocol, so they tell a seat nothing more.

use std::sync::LazyLock;

use prost::Message;

use crate::arena::*;
use crate::arena::{forty_one_action, hyrule_action, kleftis_action, nur_mut_action, nyuri_action};
use crate::cards::{Card, rank, suit};
use crate::games::nyuri::value;
use crate::games::{Rules, forty_one, hyrule, kleftis, nur_mut, nyuri};

/// The cards without jokers, and with them.
const DECK: usize = 52;
const ALL_CARDS: usize = 54;
const PILES: usize = 3;
/// The faces of Nur Mut: 1 to 9, joker, hidden.
const FACES: usize = 11;
/// A seat's score in a series is between its negative and itself.
const HIGHEST_SCORE: i64 = 100_000;
/// The ways in which a card joins a group of Kleftis.
const WAYS: usize = 5;
const FIRST_JOIN: usize = DECK;
const FIRST_SECURE: usize = FIRST_JOIN + WAYS * DECK;
/// The most groups of which all subsets are offered at a secure decision (K15).
const SUBSET_LIMIT: usize = 8;
/// The number of the action that secures all groups, if there are more.
const SECURE_ALL: usize = FIRST_SECURE + (1 << SUBSET_LIMIT);
const FIRST_STEAL: usize = 366;
/// The sets of one to three cards of a suit that can be shown for a steal of Nyuri.
const SETS: usize = 1508;

/// The sizes of a table's rows, and the highest values of what they count.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub seats: usize,
    /// How many actions have a number.
    pub actions: usize,
    /// The most deals of one game.
    pub deals: u32,
    stalled: u32,
    turns: u32,
    secure_single: bool,
}

/// A game as numbers.
pub trait Encoding: Rules {
    /// The shape of a table.
    ///
    /// Args: the encoded message of its options; none if it cannot be read.
    fn shape(options: &[u8], seats: usize) -> Option<Shape>;
    /// Writes an observation of a deal.
    fn write(shape: &Shape, seen: &Self::Observation, row: &mut Row);
    /// The number of a legal action of the seat with this observation.
    fn number(shape: &Shape, seen: &Self::Observation, action: &Self::Message) -> Option<usize>;
}

/// A row that is being written: one field after another, each as a part of zeros that is filled.
pub struct Row<'a> {
    values: &'a mut Vec<f32>,
    seats: usize,
    /// The seat whose row it is; other seats count from it.
    seat: usize,
}

impl<'a> Row<'a> {
    /// Begins a row at the end of `values`.
    pub fn new(values: &'a mut Vec<f32>, shape: &Shape, seat: usize) -> Self {
        Self { values, seats: shape.seats, seat }
    }

    /// So many zeros, to be filled.
    fn part(&mut self, length: usize) -> &mut [f32] {
        let start = self.values.len();
        self.values.resize(start + length, 0.0);
        &mut self.values[start..]
    }

    /// The place of a seat, counted from the row's own.
    fn place(&self, seat: u32) -> usize {
        (seat as usize + self.seats - self.seat) % self.seats
    }

    /// Ones at numbers that count from 1.
    fn marks(&mut self, length: usize, numbers: impl IntoIterator<Item = i32>) {
        let part = self.part(length);
        numbers.into_iter().for_each(|number| part[number as usize - 1] = 1.0);
    }

    fn marked_seats(&mut self, seats: impl IntoIterator<Item = u32>) {
        let places: Vec<usize> = seats.into_iter().map(|seat| self.place(seat)).collect();
        let part = self.part(self.seats);
        places.into_iter().for_each(|place| part[place] = 1.0);
    }

    fn number(&mut self, value: impl Into<i64>, highest: impl Into<i64>) {
        self.part(1)[0] = share(value.into(), highest.into());
    }

    fn by_seat<T: Copy + Into<i64>>(&mut self, values: &[T], highest: impl Into<i64>) {
        let highest = highest.into();
        let seat = self.seat;
        let part = self.part(self.seats);
        for (place, &value) in
            values[seat.min(values.len())..].iter().chain(&values[..seat.min(values.len())]).enumerate()
        {
            part[place] = share(value.into(), highest);
        }
    }

    /// The fields of a series, which come after those of the deal.
    pub fn series(&mut self, shape: &Shape, seen: &SeriesObservation) {
        self.number(seen.deal, shape.deals);
        self.by_seat(&seen.scores, HIGHEST_SCORE);
        self.marked_seats(seen.level.iter().copied());
        self.by_seat(&seen.tie_scores, HIGHEST_SCORE);
    }
}

fn share(value: i64, highest: i64) -> f32 {
    (value as f64 / highest as f64) as f32
}

fn mark(part: &mut [f32], card: i32) {
    part[card as usize - 1] = 1.0;
}

impl Encoding for nyuri::State {
    fn shape(options: &[u8], seats: usize) -> Option<Shape> {
        let options = NyuriOptions::decode(options).ok()?;
        Some(Shape {
            seats,
            actions: FIRST_STEAL + SETS * (seats - 1),
            deals: options.series + options.replay,
            stalled: options.stall + 2 * seats as u32,
            ..Default::default()
        })
    }

    fn write(shape: &Shape, seen: &NyuriObservation, row: &mut Row) {
        let (count, own) = (shape.seats, row.seat);
        row.marks(3, [seen.phase]);
        row.marks(DECK, seen.hand.iter().copied());
        for of in [|pile: &NyuriPile| pile.base, |pile: &NyuriPile| pile.guard] {
            let part = row.part(count * DECK);
            for place in 0..count {
                if let Some(card) = of(&seen.piles[(own + place) % count]) {
                    mark(&mut part[place * DECK..], card);
                }
            }
        }
        let from_own = |seat: u32| (seat as usize + count - own) % count;
        let part = row.part(count * count);
        for claim in &seen.claims {
            part[from_own(claim.seat) * count + from_own(claim.owner)] = 1.0;
        }
        let part = row.part(count * DECK);
        for claim in &seen.claims {
            claim.cards.iter().for_each(|&card| mark(&mut part[from_own(claim.seat) * DECK..], card));
        }
        row.marks(DECK, seen.spent.iter().copied());
        row.by_seat(&seen.hand_sizes, 52);
        row.marked_seats([seen.placer]);
        row.marked_seats(seen.to_act);
        row.number(seen.stock, 52);
        row.number(seen.stalled, shape.stalled);
    }

    fn number(shape: &Shape, seen: &NyuriObservation, action: &NyuriAction) -> Option<usize> {
        use nyuri_action::Kind;
        Some(match action.kind.as_ref()? {
            Kind::Leave(_) => 0,
            Kind::Draw(_) => 1,
            Kind::Place(pile) => {
                let base = pile.base as Card;
                let (suit, rank_of) = (usize::from(suit(base)), |card: Card| usize::from(rank(card)));
                // of each suit: the ace alone, then each card alone, with the ace, and with every higher one
                let before: usize = (2..rank_of(base)).map(|rank| 15 - rank).sum();
                let guarded = match pile.guard.map(|card| rank_of(card as Card)) {
                    None => 0,
                    Some(1) => 1,
                    Some(guard) => 1 + guard - rank_of(base),
                };
                2 + 91 * suit + if value(base) == 14 { 0 } else { 1 + before + guarded }
            }
            Kind::Steal(steal) => {
                let distance = (steal.owner as usize + shape.seats - seen.seat? as usize) % shape.seats;
                FIRST_STEAL + SETS * (distance - 1) + shown_number(&steal.cards)
            }
        })
    }
}

/// The number of a set of one to three cards of one suit.
fn shown_number(cards: &[i32]) -> usize {
    /// By the ranks of the cards, bit 0 for the ace.
    static NUMBERS: LazyLock<Vec<u16>> = LazyLock::new(|| {
        let mut numbers = vec![0; 1 << 13];
        let mut number = 0;
        let mut next = |set: usize| {
            numbers[set] = number;
            number += 1;
        };
        (0..13).for_each(|one| next(1 << one));
        for one in 0..13 {
            (one + 1..13).for_each(|two| next(1 << one | 1 << two));
        }
        for one in 0..13 {
            for two in one + 1..13 {
                (two + 1..13).for_each(|three| next(1 << one | 1 << two | 1 << three));
            }
        }
        numbers
    });
    let set = cards.iter().fold(0, |set, &card| set | 1 << (rank(card as Card) - 1));
    SETS / 4 * usize::from(suit(cards[0] as Card)) + usize::from(NUMBERS[set as usize])
}

impl Encoding for forty_one::State {
    fn shape(options: &[u8], seats: usize) -> Option<Shape> {
        let options = FortyOneOptions::decode(options).ok()?;
        let stalled = options.stall * seats as u32;
        Some(Shape { seats, actions: 55, deals: options.series, stalled, ..Default::default() })
    }

    fn write(shape: &Shape, seen: &FortyOneObservation, row: &mut Row) {
        let count = shape.seats;
        row.marks(3, [seen.phase]);
        row.marks(DECK, seen.hand.iter().copied());
        row.marks(DECK, seen.drawn);
        let taken = seen.taken.last() == Some(&true);
        row.marks(DECK, seen.discards.last().copied().filter(|_| !taken));
        let mut by = row.place(seen.starter);
        let part = row.part(DECK + 2 * count * DECK);
        let (lying, rest) = part.split_at_mut(DECK);
        let (thrown, took) = rest.split_at_mut(count * DECK);
        for (&card, &taken) in seen.discards.iter().zip(&seen.taken) {
            let place = card as usize - 1; // each turn ends with a discard
            let following = (by + 1) % count;
            thrown[by * DECK + place] = 1.0;
            took[by * DECK + place] = 0.0;
            lying[place] = f32::from(u8::from(!taken));
            took[following * DECK + place] = f32::from(u8::from(taken));
            by = following;
        }
        row.by_seat(&seen.hand_sizes, 5);
        row.number(seen.stock, 52);
        row.number(seen.discards.len() as i64, 52 * shape.stalled + 1);
        row.number(seen.stalled, shape.stalled);
        row.marked_seats([seen.starter]);
    }

    fn number(_: &Shape, _: &FortyOneObservation, action: &FortyOneAction) -> Option<usize> {
        use forty_one_action::Kind;
        Some(match action.kind.as_ref()? {
            Kind::DrawStock(_) => 0,
            Kind::TakeDiscard(_) => 1,
            Kind::EndPlay(_) => 2,
            Kind::Discard(discard) => 2 + discard.card as usize,
        })
    }
}

impl Encoding for nur_mut::State {
    fn shape(options: &[u8], seats: usize) -> Option<Shape> {
        let options = NurMutOptions::decode(options).ok()?;
        let [stalled, turns] = [options.stall, options.max_turns].map(|each| each * seats as u32);
        Some(Shape { seats, actions: 10, deals: options.rounds, stalled, turns, ..Default::default() })
    }

    fn write(shape: &Shape, seen: &NurMutObservation, row: &mut Row) {
        let (count, own) = (shape.seats, row.seat);
        let most = 10 * count as i64 + PILES as i64;
        row.marks(3, [seen.phase]);
        row.marked_seats(seen.to_act);
        let part = row.part(PILES * FACES);
        seen.piles.iter().enumerate().for_each(|(pile, &face)| mark(&mut part[pile * FACES..], face));
        let part = row.part(count * FACES);
        for place in 0..count {
            mark(&mut part[place * FACES..], seen.top_faces[(own + place) % count]);
        }
        row.marks(FACES, seen.flipped);
        let part = row.part(PILES);
        seen.pile_sizes.iter().enumerate().for_each(|(pile, &size)| part[pile] = share(size.into(), most));
        row.by_seat(&seen.deck_sizes, most);
        row.number(seen.passes, count as i64);
        row.number(seen.stalled, shape.stalled);
        row.number(seen.turns, shape.turns);
        row.number(seen.again, 1);
        row.number(seen.by_courage, 1);
    }

    fn number(_: &Shape, _: &NurMutObservation, action: &NurMutAction) -> Option<usize> {
        use nur_mut_action::Kind;
        Some(match action.kind.as_ref()? {
            Kind::PassTurn(_) => 0,
            Kind::Tuck(_) => 1,
            Kind::Place(place) => 2 + place.pile as usize,
            Kind::TryTop(_) => 5,
            Kind::Courage(_) => 6,
            Kind::ChoosePile(choice) => 7 + choice.pile as usize,
        })
    }
}

/// By a group's running number, its slot at a secure decision of the seat: 1 and up, `SUBSET_LIMIT` + 1 for groups
/// that only the action for all secures.
fn slots(shape: &Shape, seen: &KleftisObservation) -> Vec<(u32, usize)> {
    let own = seen.seat.filter(|_| seen.phase == KleftisPhase::Secure as i32 && seen.to_act == seen.seat);
    let Some(own) = own else { return vec![] };
    let least = if shape.secure_single { 1 } else { 2 }; // K2
    let groups = seen.dashboards[own as usize].groups.iter();
    let mut groups: Vec<(u32, usize)> = groups
        .filter(|group| group.cards.len() >= least && !group.touched)
        .map(|group| (group.group, group.cards.len()))
        .collect();
    groups.sort_unstable();
    groups.sort_by_key(|&(_, length)| std::cmp::Reverse(length)); // stable: the lowest number first
    let beyond = groups.split_off(groups.len().min(SUBSET_LIMIT));
    groups.sort_unstable();
    let with_bits = groups.into_iter().enumerate().map(|(slot, (number, _))| (number, slot + 1));
    with_bits.chain(beyond.into_iter().map(|(number, _)| (number, SUBSET_LIMIT + 1))).collect()
}

/// The number of the way in which a card joins a group that it may join.
fn way_of(card: Card, group: &[i32]) -> usize {
    let (first, last) = (rank(group[0] as Card), rank(group[group.len() - 1] as Card));
    if first == rank(card) {
        let lowest = group.iter().min().map_or(0, |&card| suit(card as Card));
        return 2 + usize::from(lowest) - usize::from(lowest > suit(card));
    }
    debug_assert!(last + 1 == rank(card) || first == rank(card) + 1 || [first, last].contains(&13) || first == 1);
    // K17: to 2-...-K the ace joins low; a single ace is below a two and above a king
    usize::from(first == rank(card) + 1 || rank(card) == 13 && first == 1 && group.len() == 1)
}

impl Encoding for kleftis::State {
    fn shape(options: &[u8], seats: usize) -> Option<Shape> {
        let KleftisOptions { series, secure_single, .. } = KleftisOptions::decode(options).ok()?;
        Some(Shape { seats, actions: SECURE_ALL + 1, deals: series, secure_single, ..Default::default() })
    }

    fn write(shape: &Shape, seen: &KleftisObservation, row: &mut Row) {
        let (count, own) = (shape.seats, row.seat);
        row.marks(3, [seen.phase]);
        row.marked_seats(seen.to_act);
        row.marks(DECK, seen.hand.iter().copied());
        let slots = slots(shape, seen);
        let part = row.part((count + 5) * DECK);
        let (lying, rest) = part.split_at_mut(count * DECK);
        for place in 0..count {
            for group in &seen.dashboards[(own + place) % count].groups {
                let lowest = group.cards.iter().min().map_or(0, |&card| i64::from(card));
                let slot = slots.iter().find(|(number, _)| place == 0 && *number == group.group);
                let is_set = group.cards.len() > 1 && rank(group.cards[0] as Card) == rank(group.cards[1] as Card);
                for &card in &group.cards {
                    let at = card as usize - 1;
                    lying[place * DECK + at] = 1.0;
                    rest[at] = share(lowest, 52);
                    if group.cards.len() > 1 {
                        rest[if is_set { 2 } else { 1 } * DECK + at] = 1.0;
                    }
                    rest[3 * DECK + at] = f32::from(u8::from(group.touched));
                    let slot = slot.map_or(0, |&(_, slot)| slot as i64);
                    rest[4 * DECK + at] = share(slot, SUBSET_LIMIT as i64 + 1);
                }
            }
        }
        row.by_seat(&seen.hand_sizes, 52);
        let secured: Vec<u32> = seen.dashboards.iter().map(|dashboard| dashboard.secured).collect();
        row.by_seat(&secured, 52);
        row.number(seen.stock, 52);
    }

    fn number(shape: &Shape, seen: &KleftisObservation, action: &KleftisAction) -> Option<usize> {
        use kleftis_action::Kind;
        let join = |card: i32, owner: u32, number: u32| {
            let groups = &seen.dashboards[owner as usize].groups;
            let group = groups.iter().find(|group| group.group == number)?;
            Some(FIRST_JOIN + WAYS * (card as usize - 1) + way_of(card as Card, &group.cards))
        };
        match action.kind.as_ref()? {
            Kind::Play(play) => Some(play.card as usize - 1),
            Kind::Build(build) => join(build.card, seen.seat?, build.group),
            Kind::Steal(steal) => join(steal.card, steal.owner, steal.group),
            Kind::Secure(secure) => {
                let slots = slots(shape, seen);
                let slot = |number: &u32| slots.iter().find(|(of, _)| of == number).map(|&(_, slot)| slot);
                let chosen: Option<Vec<usize>> = secure.groups.iter().map(slot).collect();
                let chosen = chosen?;
                if chosen.contains(&(SUBSET_LIMIT + 1)) {
                    return Some(SECURE_ALL);
                }
                Some(FIRST_SECURE + chosen.into_iter().map(|slot| 1 << (slot - 1)).sum::<usize>())
            }
        }
    }
}

impl Encoding for hyrule::State {
    fn shape(options: &[u8], seats: usize) -> Option<Shape> {
        let options = HyruleOptions::decode(options).ok()?;
        let actions = if options.mode() == HyruleMode::Strategy { 2 * ALL_CARDS } else { ALL_CARDS };
        Some(Shape { seats, actions, deals: options.series + options.runoff, ..Default::default() })
    }

    fn write(shape: &Shape, seen: &HyruleObservation, row: &mut Row) {
        let count = shape.seats;
        row.marks(4, [seen.phase]);
        row.marks(ALL_CARDS, seen.hand.iter().copied());
        let places: Vec<(usize, i32)> = seen.trick.iter().map(|played| (row.place(played.seat), played.card)).collect();
        let part = row.part(count * ALL_CARDS);
        places.into_iter().for_each(|(place, card)| mark(&mut part[place * ALL_CARDS..], card));
        row.marks(ALL_CARDS, seen.played.iter().copied());
        row.marks(ALL_CARDS, seen.discards.iter().copied());
        row.by_seat(&seen.hand_sizes, 7);
        row.by_seat(&seen.captured, 7 * count as i64);
        row.number(seen.stock, ALL_CARDS as i64);
        row.marked_seats([seen.leader]);
        row.marked_seats([seen.tallest]);
        row.marked_seats(seen.to_act);
        row.number(seen.swapped, 1);
        row.number(seen.must_lead, 1);
    }

    fn number(_: &Shape, _: &HyruleObservation, action: &HyruleAction) -> Option<usize> {
        use hyrule_action::Kind;
        Some(match action.kind.as_ref()? {
            Kind::Play(play) => play.card as usize - 1,
            Kind::Swap(swap) => ALL_CARDS + swap.card as usize - 1,
        })
    }
}
