//! Facts about cards; their numbers are those of `proto/arena/v1/cards.proto`.

/// The suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades, 4 for a joker.
pub fn suit(card: i32) -> i32 {
    (card.max(1) - 1) / 13
}

/// The rank from 1, the ace, to 13, the king.
pub fn rank(card: i32) -> i32 {
    (card.max(1) - 1) % 13 + 1
}

/// Nyuri: what a card is worth; the ace is the highest.
pub fn height(card: i32) -> i32 {
    if rank(card) == 1 { 14 } else { rank(card) }
}

/// Forty-one: the points of the best suit in a hand, one card left out.
pub fn best_suit(hand: &[i32], without: i32) -> i32 {
    let points = |card| if rank(card) == 1 { 11 } else { rank(card).min(10) };
    let of = |wanted| hand.iter().filter(move |&&card| suit(card) == wanted && card != without);
    (0..4).map(|wanted| of(wanted).map(|&card| points(card)).sum()).max().unwrap_or(0)
}

/// Nur Mut: whether a face may be laid on another; 10 is a joker.
pub fn fits(face: i32, pile: i32) -> bool {
    face == 10 || pile == 10 || face < 10 && face.abs_diff(pile) == 1
}

/// Kleftis: whether two cards make a group: a pair, or neighbours of one suit.
pub fn friends(one: i32, other: i32) -> bool {
    let apart = rank(one).abs_diff(rank(other)); // king and ace are 12 apart
    one != other && (apart == 0 || suit(one) == suit(other) && [1, 12].contains(&apart))
}

/// Hyrule: the card that takes a trick, of its cards in the order played.
pub fn winner(trick: &[i32]) -> i32 {
    if let Some(&joker) = trick.iter().find(|&&card| card > 52) {
        let mut fives = [31, 44, 5, 18].into_iter(); // they alone beat jokers
        return fives.find(|five| trick.contains(five)).unwrap_or(joker);
    }
    let top = |weakest_first: [i32; 4]| {
        let place = |card| weakest_first.iter().position(|&of| of == suit(card));
        trick.iter().copied().max_by_key(|&card| (place(card), rank(card))).unwrap_or(0)
    };
    let best = top([2, 3, 0, 1]);
    if suit(best) == 1 { top([3, 0, 1, 2]) } else { best } // hearts beat diamonds
}
