//! What the rules of the games say about cards.

use crate::arena::NurMutFace;
use crate::cards::{CLUBS, DIAMONDS, HEARTS, SPADES, bit, each, rank, suit};

/// Nyuri: what a card is worth; the ace is the highest.
pub fn high(card: i32) -> i32 {
    if rank(card) == 1 { 14 } else { rank(card) }
}

/// Nyuri: what cards are worth together.
pub fn worth(cards: u64) -> i32 {
    each(cards).map(high).sum()
}

/// Forty-one: what a card counts.
pub fn points(card: i32) -> i32 {
    if rank(card) == 1 { 11 } else { rank(card).min(10) }
}

/// Forty-one: what the best suit of a hand counts, the other cards left out.
pub fn promise(hand: u64) -> i32 {
    let mut sums = [0; 4];
    for card in each(hand) {
        if let Some(sum) = sums.get_mut(suit(card) as usize) {
            *sum += points(card);
        }
    }
    sums.into_iter().max().unwrap_or(0)
}

/// Nur Mut: whether a face may be laid on another.
pub fn fits(face: i32, pile: i32) -> bool {
    let joker = NurMutFace::Joker as i32;
    face == joker || pile == joker || face.abs_diff(pile) == 1 && face < joker && pile < joker
}

/// Kleftis: the cards that may join a group.
pub fn joining(group: u64) -> u64 {
    let Some(first) = each(group).next() else { return 0 };
    let of_rank = (0..4).fold(0, |set, suit| set | bit(13 * suit + rank(first)));
    if group.count_ones() > 1 && group & !of_rank == 0 {
        return of_rank & !group;
    }
    // A run: bit n for rank n, the ace bit 1 and, at the high end, bit 14.
    const ACE: u64 = 1 << 1;
    const TWO: u64 = 1 << 2;
    const KING: u64 = 1 << 13;
    const HIGH_ACE: u64 = 1 << 14;
    let below_ace = first - rank(first);
    let mut run = group >> below_ace & 0x3ffe;
    if run & ACE != 0 && run & TWO == 0 && run & KING != 0 {
        run ^= ACE | HIGH_ACE;
    }
    let mut beside = (run << 1 | run >> 1) & !run;
    if beside & HIGH_ACE != 0 && run & ACE == 0 {
        beside |= ACE;
    }
    if run == ACE {
        beside |= KING;
    }
    let of_run = (beside & 0x3ffe) << below_ace;
    if group.count_ones() == 1 { of_run | of_rank & !group } else { of_run }
}

/// Hyrule: the card that wins a trick, by the cards in the order played; of two jokers the first (ruling H7).
pub fn winner(trick: &[i32]) -> i32 {
    let best_of = |suits: &[i32]| {
        let found = suits.iter().find_map(|&wanted| {
            let cards = trick.iter().copied().filter(|&card| suit(card) == wanted);
            cards.max()
        });
        found.unwrap_or(0)
    };
    if let Some(&joker) = trick.iter().find(|&&card| card >= 53) {
        let fives = [HEARTS, SPADES, CLUBS, DIAMONDS].map(|suit| 13 * suit + 5);
        return fives.into_iter().find(|five| trick.contains(five)).unwrap_or(joker);
    }
    match best_of(&[DIAMONDS, CLUBS, SPADES, HEARTS]) {
        diamond if suit(diamond) == DIAMONDS => best_of(&[HEARTS, DIAMONDS]),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::bits;

    #[test]
    fn groups_of_kleftis_grow_at_both_ends_and_never_round_the_corner() {
        assert_eq!(joining(bits(&[5])), bits(&[4, 6, 18, 31, 44])); // 5♣
        assert_eq!(joining(bits(&[5, 18])), bits(&[31, 44]));
        assert_eq!(joining(bits(&[14])), bits(&[1, 15, 26, 27, 40])); // A♦
        assert_eq!(joining(bits(&[14, 15])), bits(&[16])); // A♦ 2♦
        assert_eq!(joining(bits(&[14, 26])), bits(&[25])); // K♦ A♦
        assert_eq!(joining(bits(&[25, 26])), bits(&[24, 14])); // Q♦ K♦
        assert_eq!(joining(DIAMONDS_FROM_TWO), bits(&[14]));
        assert_eq!(joining(DIAMONDS_FROM_TWO | bit(14)), 0);
    }

    const DIAMONDS_FROM_TWO: u64 = 0xfff << 15;

    #[test]
    fn tricks_of_hyrule_are_won_by_the_ring_of_suits_and_by_fives_against_jokers() {
        assert_eq!(winner(&[26, 27, 13]), 27); // K♦ A♥ K♣
        assert_eq!(winner(&[26, 14, 13]), 26);
        assert_eq!(winner(&[39, 40, 1]), 1); // K♥ A♠ A♣
        assert_eq!(winner(&[54, 53, 26]), 54);
        assert_eq!(winner(&[5, 53, 44]), 44); // 5♣ JK1 5♠
    }
}
