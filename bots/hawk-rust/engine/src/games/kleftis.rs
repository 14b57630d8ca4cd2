//! Kleftis: gather sets and runs, steal those of others, and secure your own in time.

use super::series::Plan;
use super::{Log, MOST_SEATS, Outcome, Rules, Told, in_order_of, in_range};
use crate::arena::kleftis_action::Kind;
use crate::arena::kleftis_event::Kind as Happened;
use crate::arena::*;
use crate::cards::{self, ALL, Card, DECK, Set, bit, each, rank};
use crate::chance::Chance;
use crate::list::List;

const HAND: usize = 7;
/// The most groups of which all subsets are offered at a secure decision (K15).
const SUBSETS: usize = 8;
const KING: u8 = 13;
/// The cards of the deck, so the most groups that can lie open.
const CARDS: usize = 52;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub secure_single: bool,
    pub auto_secure: bool,
    pub final_secure: bool,
    /// Whether more secured cards break a tie (K14).
    pub by_secured: bool,
}

/// The options of a table; none where there is one of a later protocol.
pub fn options(message: &KleftisOptions) -> Option<Options> {
    if !in_range(&[(message.series, 1, 100)]) {
        return None;
    }
    let by_secured = match KleftisTiebreak::try_from(message.tiebreak).ok()? {
        KleftisTiebreak::Unspecified => return None,
        KleftisTiebreak::None => false,
        KleftisTiebreak::Secured => true,
    };
    let KleftisOptions { secure_single, auto_secure, final_secure, .. } = *message;
    Some(Options { secure_single, auto_secure, final_secure, by_secured })
}

/// How deals of Kleftis follow one another (K16).
pub fn plan(message: &KleftisOptions) -> Plan {
    Plan { most_seats: 4, deals: message.series, tie_breaks: 0, wins: false, winner_starts: false }
}

/// An unsecured group: a single card, a set as it grew, or a run from low to high.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Group {
    pub owner: u8,
    pub number: u8,
    pub len: u8,
    is_set: bool,
    /// The cards of a set or single; of a run only the first.
    cards: [Card; 4],
    /// The cards that may join it.
    pub joining: Set,
}

impl Group {
    pub fn single(owner: usize, number: u8, card: Card) -> Self {
        let cards = [card, 0, 0, 0];
        Self { owner: owner as u8, number, len: 1, is_set: false, cards, joining: joining_single(card) }
    }

    /// The group of these cards; none where they are no group.
    pub fn of(owner: usize, number: u8, cards: &[Card]) -> Option<Self> {
        fn grown(mut group: Group, rest: impl Iterator<Item = Card>) -> Option<Group> {
            for card in rest {
                if group.joining & bit(card) == 0 {
                    return None;
                }
                group = group.with(card);
            }
            Some(group)
        }
        let alone = |card: &Card| Self::single(owner, number, *card);
        let group = match cards {
            [first, second, ..] if rank(*first) == rank(*second) => {
                grown(alone(first), cards[1..].iter().copied())? // a set, as it grew
            }
            // A run, downwards: upwards the ace would join 2 to king as the lowest.
            [rest @ .., last] => grown(alone(last), rest.iter().rev().copied())?,
            [] => return None,
        };
        group.cards().eq(cards.iter().copied()).then_some(group)
    }

    /// The group that a card makes of it which may join it (K3, K4).
    #[inline(always)]
    pub fn with(mut self, card: Card) -> Self {
        let first = self.cards[0];
        let mates = MATES[usize::from(first)];
        if mates >> card & 1 == 1 {
            self.is_set = true;
            self.cards[usize::from(self.len)] = card;
            self.joining &= mates & !bit(card);
        } else {
            if card + 1 == first || self.len == 1 && card == first + 12 {
                self.cards[0] = card; // K17: an ace joins 2 to king as the lowest
            }
            self.joining = RUN_ENDS[usize::from(self.cards[0])][usize::from(self.len) + 1];
        }
        self.len += 1;
        self
    }

    /// Whether it is this card alone.
    pub fn is_single(&self, card: Card) -> bool {
        self.len == 1 && self.cards[0] == card
    }

    /// A card of it, the lowest of a run: no other group has the same.
    pub fn first(&self) -> Card {
        self.cards[0]
    }

    /// The card of a group of one; of others nothing.
    pub fn lone(&self) -> Set {
        if self.len == 1 { bit(self.cards[0]) } else { 0 }
    }

    /// Its cards in the order in which they are shown.
    pub fn cards(&self) -> impl Iterator<Item = Card> + use<> {
        let Self { cards, is_set, len, .. } = *self;
        let base = cards[0] - rank(cards[0]);
        (0..len).map(
            move |place| {
                if is_set { cards[usize::from(place)] } else { base + (rank(cards[0]) - 1 + place) % KING + 1 }
            },
        )
    }
}

/// The other cards of the rank of each card.
static MATES: [Set; 53] = {
    let mut table = [0; 53];
    let mut card: Card = 1;
    while card <= 52 {
        table[card as usize] = (1 | 1 << 13 | 1 << 26 | 1 << 39) << rank(card) & !bit(card);
        card += 1;
    }
    table
};

/// The cards that continue the run which begins with a card and has so many.
static RUN_ENDS: [[Set; 14]; 53] = {
    let mut table = [[0; 14]; 53];
    let mut first: Card = 1;
    while first <= 52 {
        let mut len = 1;
        while len < KING {
            let high = rank(first) + len - 1; // 14 with a high ace
            let above = if high <= KING { bit(first - rank(first) + high % KING + 1) } else { 0 };
            let below = match (rank(first), len) {
                (1, 1) => bit(first + 12), // an ace alone goes on a king
                (1, _) => 0,
                _ => bit(first - 1),
            };
            table[first as usize][len as usize] = above | below;
            len += 1;
        }
        first += 1;
    }
    table
};

/// The cards that may join a single one.
#[inline(always)]
pub fn joining_single(card: Card) -> Set {
    RUN_ENDS[usize::from(card)][1] | MATES[usize::from(card)]
}

/// The cards that may join two, of which each may join the other.
#[inline(always)]
pub fn joining_pair(one: Card, other: Card) -> Set {
    let mates = MATES[usize::from(one)];
    if mates >> other & 1 == 1 {
        return mates & !bit(other);
    }
    let first = if one.abs_diff(other) == 1 { one.min(other) } else { one.max(other) }; // or a king and an ace
    RUN_ENDS[usize::from(first)][2]
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Play(Card),
    Build(Card, u8),
    Steal(Card, u8, u8),
    /// The groups to secure, bit n for group n.
    Secure(u64),
}

#[derive(Clone, Copy, Debug)]
pub struct State {
    pub options: Options,
    pub hands: List<Set, MOST_SEATS>,
    /// Drawn from its end.
    pub stock: List<Card, CARDS>,
    /// The open groups of all seats, each seat's in their order on its dashboard.
    pub groups: List<Group, CARDS>,
    /// The cards of each seat that lie alone.
    pub lone: List<Set, MOST_SEATS>,
    /// How many cards each seat has secured.
    pub secured: List<u8, MOST_SEATS>,
    /// The cards that have left the hands: they lie open or are secured.
    pub shown: Set,
    pub group_count: u8,
    pub touched: Option<u8>,
    /// The closing turns to come (K9).
    pub closing: u8,
    pub securing: bool,
    pub seat: usize,
    pub over: bool,
}

fn event(kind: Happened) -> KleftisEvent {
    KleftisEvent { kind: Some(kind) }
}

impl State {
    fn start_turn(&mut self, seat: usize, log: &mut impl Log<KleftisEvent>) {
        self.seat = seat;
        self.securing = false;
        if let Some(card) = self.stock.pop() {
            // K8
            self.hands[seat] |= bit(card);
            log.tell(|| {
                let drew = |card| event(Happened::Drew(KleftisDrew { seat: seat as u32, card }));
                Told::one(seat, drew(None), drew(Some(card.into())))
            });
        }
    }

    fn offer_secure(&mut self, log: &mut impl Log<KleftisEvent>) {
        let groups = self.securable();
        if groups == 0 {
            self.end_turn(log);
        } else if self.options.auto_secure {
            // K7
            self.secure(groups, log);
            self.end_turn(log);
        } else {
            self.securing = true;
        }
    }

    /// The groups that the seat to act may secure.
    pub fn securable(&self) -> u64 {
        let least = if self.options.secure_single { 1 } else { 2 }; // K2
        let own = self.of(self.seat);
        own.filter(|group| group.len >= least && Some(group.number) != self.touched) // K5, K6
            .fold(0, |groups, group| groups | 1 << group.number)
    }

    fn secure(&mut self, numbers: u64, log: &mut impl Log<KleftisEvent>) {
        let seat = self.seat;
        for number in each(numbers) {
            let group = self.groups.remove(self.group(number));
            self.secured[seat] += group.len;
            self.lone[seat] &= !group.lone();
            log.tell(|| {
                let cards = cards::write(group.cards());
                let group = group.number.into();
                Told::all(event(Happened::Secured(KleftisSecured { seat: seat as u32, group, cards })))
            });
        }
    }

    fn end_turn(&mut self, log: &mut impl Log<KleftisEvent>) {
        self.touched = None;
        let seat = (self.seat + 1) % self.hands.len();
        if !self.stock.is_empty() || self.hands[seat] != 0 {
            self.start_turn(seat, log);
        } else if self.closing > 0 {
            self.closing -= 1; // K9: no hand holds a card any more
            self.seat = seat;
            self.offer_secure(log);
        } else {
            self.over = true;
            self.securing = false;
            for seat in 0..self.hands.len() {
                log.tell(|| {
                    let (secured, unsecured) = self.count(seat);
                    Told::all(event(Happened::Counted(KleftisCounted { seat: seat as u32, secured, unsecured })))
                });
            }
        }
    }

    /// The open groups of a seat.
    pub fn of(&self, seat: usize) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| usize::from(group.owner) == seat)
    }

    fn count(&self, seat: usize) -> (u32, u32) {
        let open = self.of(seat).map(|group| u32::from(group.len)).sum(); // K10
        (u32::from(self.secured[seat]), open)
    }

    fn group(&self, number: u8) -> usize {
        self.groups.iter().position(|group| group.number == number).expect("a group that lies there")
    }

    /// Adds a card to a group of any seat, which the seat that acts has then.
    fn join(&mut self, card: Card, number: u8) -> Group {
        let place = self.group(number);
        let before = self.groups[place];
        self.lone[usize::from(before.owner)] &= !before.lone();
        let mut made = before.with(card);
        if usize::from(made.owner) == self.seat {
            self.groups[place] = made;
        } else {
            made.owner = self.seat as u8;
            self.groups.remove(place);
            self.groups.push(made);
        }
        made
    }
}

/// The choices of a secure decision: subsets by their size, then by their numbers, nothing first.
fn secure_choices<'a>(groups: impl Iterator<Item = &'a Group>, securable: u64) -> Vec<Action> {
    let mut all: Vec<(u8, u8)> =
        groups.filter(|group| securable >> group.number & 1 == 1).map(|group| (group.number, group.len)).collect();
    all.sort_unstable();
    let more = all.len() > SUBSETS;
    if more {
        all.sort_by_key(|&(_, len)| std::cmp::Reverse(len)); // K15; stable: the lowest number first
        all.truncate(SUBSETS);
        all.sort_unstable();
    }
    let mut subsets: Vec<Vec<u8>> = (0..1u32 << all.len())
        .map(|mask| (0..all.len()).filter(|place| mask >> place & 1 == 1).map(|place| all[place].0).collect())
        .collect();
    subsets.sort_by(|one: &Vec<u8>, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    let bits = |subset: &Vec<u8>| subset.iter().fold(0, |bits, number| bits | 1 << number);
    let mut choices: Vec<Action> = subsets.iter().map(|subset| Action::Secure(bits(subset))).collect();
    if more {
        choices.push(Action::Secure(securable));
    }
    choices
}

impl Rules for State {
    type Options = Options;
    type Action = Action;
    type Event = KleftisEvent;
    type Observation = KleftisObservation;
    type Message = KleftisAction;

    fn usual() -> Options {
        Options { secure_single: false, auto_secure: false, final_secure: false, by_secured: false }
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
        log: &mut impl Log<KleftisEvent>,
    ) -> Self {
        let dealt = seats * HAND;
        let mut hands = List::of(seats);
        for (place, &card) in deck[..dealt].iter().enumerate() {
            hands[(starter + place) % seats] |= bit(card);
        }
        for (seat, &hand) in hands.iter().enumerate() {
            log.tell(|| {
                let dealt =
                    |cards| event(Happened::Dealt(KleftisDealt { seat: seat as u32, cards, count: HAND as u32 }));
                Told::one(seat, dealt(vec![]), dealt(cards::write(each(hand))))
            });
        }
        let mut state = Self {
            options: *options,
            hands,
            stock: deck[dealt..].iter().rev().copied().collect(),
            groups: List::new(),
            lone: List::of(seats),
            secured: List::of(seats),
            shown: 0,
            group_count: 0,
            touched: None,
            closing: if options.final_secure { seats as u8 } else { 0 },
            securing: false,
            seat: starter,
            over: false,
        };
        state.start_turn(starter, log);
        state
    }

    fn to_act(&self) -> Option<usize> {
        (!self.over).then_some(self.seat)
    }

    fn legal(&self, seat: usize) -> Vec<Action> {
        if self.securing {
            return secure_choices(self.of(seat), self.securable());
        }
        let hand = self.hands[seat];
        let mut builds = Vec::new();
        let mut steals = Vec::new();
        for group in self.groups.iter() {
            for card in each(group.joining & hand) {
                let joined = (card, group.number, group.owner);
                if usize::from(group.owner) == seat { builds.push(joined) } else { steals.push(joined) }
            }
        }
        builds.sort_unstable();
        steals.sort_unstable();
        let plays = each(hand).map(Action::Play);
        let builds = builds.into_iter().map(|(card, group, _)| Action::Build(card, group));
        plays
            .chain(builds)
            .chain(steals.into_iter().map(|(card, group, owner)| Action::Steal(card, owner, group)))
            .collect()
    }

    fn apply(&mut self, seat: usize, action: &Action, _: &mut impl Chance, log: &mut impl Log<KleftisEvent>) {
        let number = seat as u32;
        let (card, touched) = match *action {
            Action::Secure(groups) => {
                self.secure(groups, log);
                return self.end_turn(log);
            }
            Action::Play(card) => (card, self.group_count),
            Action::Build(card, group) | Action::Steal(card, _, group) => (card, group),
        };
        self.hands[seat] &= !bit(card);
        self.shown |= bit(card);
        self.touched = Some(touched);
        let made = if touched == self.group_count {
            self.group_count += 1;
            let made = Group::single(seat, touched, card);
            self.groups.push(made);
            self.lone[seat] |= bit(card);
            made
        } else {
            self.join(card, touched)
        };
        log.tell(|| {
            let (card, group) = (card.into(), touched.into());
            let cards = || cards::write(made.cards());
            Told::all(event(match *action {
                Action::Steal(_, owner, _) => {
                    let owner = owner.into();
                    Happened::Stole(KleftisStole { seat: number, card, owner, group, cards: cards() })
                }
                Action::Build(..) => Happened::Built(KleftisBuilt { seat: number, card, group, cards: cards() }),
                _ => Happened::Played(KleftisPlayed { seat: number, card, group }),
            }))
        });
        self.offer_secure(log);
    }

    fn redraw(&mut self, deck: &[u8], _: &mut impl Chance) {
        self.stock = in_order_of(deck, &self.stock).collect();
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over.then(|| {
            let keys: Vec<(i32, u32)> = (0..self.hands.len())
                .map(|seat| {
                    let (secured, open) = self.count(seat);
                    (secured as i32 - open as i32, if self.options.by_secured { secured } else { 0 })
                })
                .collect();
            Outcome::new(&keys, keys.iter().map(|key| key.0).collect(), "cards_played")
        })
    }

    fn observation(&self, seat: usize) -> KleftisObservation {
        let phase = match (self.over, self.securing) {
            (true, _) => KleftisPhase::Over,
            (_, true) => KleftisPhase::Secure,
            _ => KleftisPhase::Main,
        };
        let group = |group: &Group| KleftisGroup {
            group: group.number.into(),
            cards: cards::write(group.cards()),
            touched: Some(group.number) == self.touched,
        };
        KleftisObservation {
            phase: phase.into(),
            seat: Some(seat as u32),
            to_act: self.to_act().map(|seat| seat as u32),
            hand: cards::write(each(self.hands[seat])),
            hand_sizes: self.hands.iter().map(|hand| hand.count_ones()).collect(),
            dashboards: (0..self.hands.len())
                .map(|seat| KleftisDashboard {
                    groups: self.of(seat).map(group).collect(),
                    secured: self.secured[seat].into(),
                })
                .collect(),
            stock: self.stock.len() as u32,
        }
    }

    fn message(action: &Action) -> KleftisAction {
        let kind = match *action {
            Action::Play(card) => Kind::Play(KleftisPlay { card: card.into() }),
            Action::Build(card, group) => Kind::Build(KleftisBuild { card: card.into(), group: group.into() }),
            Action::Steal(card, owner, group) => {
                Kind::Steal(KleftisSteal { card: card.into(), owner: owner.into(), group: group.into() })
            }
            Action::Secure(groups) => {
                let groups = (0..u64::BITS).filter(|number| groups >> number & 1 == 1).collect();
                Kind::Secure(KleftisSecure { groups })
            }
        };
        KleftisAction { kind: Some(kind) }
    }
}

impl State {
    /// The cards that a seat has not seen.
    pub fn unseen(&self, seat: usize) -> Set {
        ALL & !(self.shown | self.hands[seat])
    }

    /// The points of a seat as they stand.
    pub fn points(&self, seat: usize) -> i32 {
        let (secured, open) = self.count(seat);
        secured as i32 - open as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_grew_in_any_way_is_read_from_its_cards() {
        let mut random = crate::chance::Random::new(1);
        let mut whole_suits = 0;
        for number in 0..400 {
            let mut deck: Vec<Card> = DECK.collect();
            random.shuffle(&mut deck);
            let mut group = Group::single(number % 4, 7, deck[number % 52]);
            while let Some(card) = deck.iter().copied().find(|card| group.joining & bit(*card) != 0) {
                group = group.with(card);
                let cards: Vec<Card> = group.cards().collect();
                assert_eq!(Group::of(number % 4, 7, &cards), Some(group), "{cards:?}");
            }
            whole_suits += usize::from(group.len == KING);
        }
        assert!(whole_suits > 100, "{whole_suits} runs of a whole suit");
    }
}
