//! Cards as the protocol numbers them, sets of cards as bits, and how the best action is found.

/// The 52 cards; bit n stands for card number n.
pub const DECK: u64 = (1 << 53) - 2;
/// The two jokers.
pub const JOKERS: u64 = 0b11 << 53;

pub const CLUBS: i32 = 0;
pub const DIAMONDS: i32 = 1;
pub const HEARTS: i32 = 2;
pub const SPADES: i32 = 3;

/// The suit of a card, 0 to 3; 4 for a joker.
pub fn suit(card: i32) -> i32 {
    card.saturating_sub(1) / 13
}

/// The rank of a card from 1, the ace, to 13, the king.
pub fn rank(card: i32) -> i32 {
    card.saturating_sub(1) % 13 + 1
}

/// The set of one card; empty for a number that is no card.
pub fn bit(card: i32) -> u64 {
    if (1..=54).contains(&card) { 1 << card } else { 0 }
}

/// The set of some cards.
pub fn bits(cards: &[i32]) -> u64 {
    cards.iter().fold(0, |set, &card| set | bit(card))
}

/// The cards of a set, by number.
pub fn each(set: u64) -> impl Iterator<Item = i32> {
    (1..=54).filter(move |&card| set & bit(card) != 0)
}

/// The index of the action that is worth most, of equal ones the first.
pub fn best<T>(actions: &[T], worth: impl Fn(&T) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, action) in actions.iter().enumerate() {
        let worth = worth(action);
        if worth > best.1 {
            best = (index, worth);
        }
    }
    best.0
}
