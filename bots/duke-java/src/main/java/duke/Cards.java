package duke;

import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Facts about cards, which are the protocol's numbers: 1 to 52, jokers 53 and 54. */
final class Cards {
  private static final int[] POINTS = {0, 11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10};

  /** 0 clubs, 1 diamonds, 2 hearts, 3 spades, 4 jokers. */
  static int suit(int card) {
    return (card - 1) / 13;
  }

  /** 1 for an ace to 13 for a king. */
  static int rank(int card) {
    return (card - 1) % 13 + 1;
  }

  /** How many of the 52 cards are of a kind and not among those seen. */
  static int unseen(IntPredicate kind, List<Integer> seen) {
    return (int) IntStream.range(1, 53).filter(c -> kind.test(c) && !seen.contains(c)).count();
  }

  /** Nyuri: whether a card beats another, of its suit; aces are high. */
  static boolean beats(int card, int other) {
    return suit(card) == suit(other) && rank(other) > 1 && (rank(card) == 1 || card > other);
  }

  /** Forty-one: the points of a card, less than nothing where it is not of a hand's best suit. */
  static int gain(int card, List<Integer> hand) {
    int[] points = new int[4];
    hand.forEach(c -> points[suit(c)] += POINTS[rank(c)]);
    boolean best = IntStream.of(points).allMatch(other -> points[suit(card)] >= other);
    return best ? POINTS[rank(card)] : -POINTS[rank(card)];
  }

  /** Nur Mut: whether a face, 10 for a joker, fits one of the piles. */
  static boolean fits(int face, List<Integer> piles) {
    return piles.stream().anyMatch(top -> face == 10 || top == 10 || Math.abs(face - top) == 1);
  }

  /** Kleftis: whether two cards make a group, by rank or as neighbours in a suit. */
  static boolean pair(int card, int other) {
    int apart = Math.abs(card - other);
    return apart % 13 == 0 || (suit(card) == suit(other) && (apart == 1 || apart == 12));
  }

  /** Hyrule: whether a card takes the trick from those played before it. */
  static boolean takes(int card, List<Integer> trick) {
    var all = Stream.concat(trick.stream(), Stream.of(card)).toList();
    boolean joker = Collections.max(all) > 52; // then only fives and jokers count
    int hearts = all.stream().anyMatch(c -> suit(c) == 1) ? 4 : 0; // above diamonds, else low
    int[] suits = joker ? new int[] {3, 2, 5, 4, 1} : new int[] {2, 3, hearts, 1};
    IntUnaryOperator power =
        c -> joker ? (rank(c) == 5 || c > 52 ? suits[suit(c)] : 0) : 13 * suits[suit(c)] + rank(c);
    return trick.stream().allMatch(c -> power.applyAsInt(c) < power.applyAsInt(card));
  }
}
