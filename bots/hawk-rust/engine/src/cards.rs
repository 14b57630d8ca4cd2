//! Facts about cards; their numbers are those of `proto/arena/v1/cards.proto`.

/// A card by its number, 1 to 54.
pub type Card = u8;

/// The numbers of the 52 cards without jokers.
pub const DECK: std::ops::RangeInclusive<Card> = 1..=52;

/// The suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades, 4 for a joker.
pub fn suit(card: Card) -> u8 {
    (card - 1) / 13
}

/// The rank from 1, the ace, to 13, the king.
pub const fn rank(card: Card) -> u8 {
    (card - 1) % 13 + 1
}

/// A set of cards as a number: bit n for card number n.
pub type Set = u64;

/// The set of one card.
pub const fn bit(card: Card) -> Set {
    1 << card
}

/// The set of the 52 cards without jokers.
pub const ALL: Set = ((1 << 52) - 1) << 1;

/// The cards of a suit.
pub fn of_suit(suit: u8) -> Set {
    ((1 << 13) - 1) << (13 * suit + 1)
}

/// The cards of a set by their number.
pub fn each(mut set: Set) -> impl Iterator<Item = Card> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let card = set.trailing_zeros() as Card;
            set &= set - 1;
            card
        })
    })
}

/// The set of some cards.
pub fn set(cards: impl IntoIterator<Item = Card>) -> Set {
    cards.into_iter().fold(0, |set, card| set | bit(card))
}

/// The cards of a message; none where one is no card.
pub fn read(numbers: &[i32]) -> Option<Vec<Card>> {
    numbers.iter().map(|&number| read_one(number)).collect()
}

/// A card of a message.
pub fn read_one(number: i32) -> Option<Card> {
    Card::try_from(number).ok().filter(|card| (1..=54).contains(card))
}

/// Cards as a message has them.
pub fn write(cards: impl IntoIterator<Item = Card>) -> Vec<i32> {
    cards.into_iter().map(i32::from).collect()
}
