package duke;

import static duke.Strategy.best;

import arena.v1.NurMut.NurMutAction;
import arena.v1.NurMut.NurMutEvent;
import arena.v1.NurMut.NurMutModel;
import arena.v1.NurMut.NurMutObservation;
import arena.v1.NurMut.NurMutOptions;
import arena.v1.NurMut.NurMutView;
import java.util.Arrays;

/**
 * Nur Mut: courage by the odds of the hidden face. The book has all cards by both faces, less those
 * that are known to lie on the piles. Faces are numbers as in the protocol; the blank back of a
 * card of model one is HIDDEN.
 */
final class NurMutBook {
  private static final int JOKER = 10;
  private static final int HIDDEN = 11;
  private static final int FACES = 12;
  private static final double WIN = 10;
  private static final double GOING_ON = 0.6; // a further turn after courage, in cards
  private static final double FRESH_TOP = 0.2; // a new top card after a tuck
  private static final double HELP = 0.3; // the next seat can lay its top card

  private final boolean oneFace;

  /** How many cards there are with these two faces, in either order. */
  private final int[][] deck = new int[FACES][FACES];

  /** Cards known to lie on each pile, as pairs of faces: low * FACES + high. */
  private final int[][] piles = new int[3][FACES * FACES];

  /** The last upper face seen on each deck. */
  private final int[] tops = new int[8];

  /** The card flipped last, as a pair; -1 if there is none. */
  private int flipped = -1;

  NurMutBook(NurMutOptions options) {
    oneFace = options.getModel() == NurMutModel.NUR_MUT_MODEL_ONE;
    if (options.getDeckCount() > 0) {
      for (String card : options.getDeckList()) {
        String[] faces = card.split("/");
        add(face(faces[0]), faces.length > 1 ? face(faces[1]) : HIDDEN, 1);
      }
    } else {
      for (int face = Math.max(1, options.getMinValue()); face <= 9; face++) {
        add(face, oneFace ? HIDDEN : JOKER, oneFace ? 8 : 1);
        for (int other = face + 1; other <= 9 && !oneFace; other++) {
          add(face, other, 2);
        }
        if (oneFace) {
          add(JOKER, HIDDEN, 1);
        }
      }
    }
    Arrays.fill(tops, HIDDEN);
  }

  private void add(int face, int other, int count) {
    deck[face][other] += count;
    if (face != other) {
      deck[other][face] += count;
    }
  }

  private static int face(String text) {
    boolean number = text.length() == 1 && text.charAt(0) >= '1' && text.charAt(0) <= '9';
    return number ? text.charAt(0) - '0' : JOKER;
  }

  int choose(NurMutView view) {
    view.getEventsList().forEach(this::note);
    NurMutObservation seen = view.getObservation();
    int seats = seen.getDeckSizesCount();
    int next = (seen.getSeat() + 1) % seats;
    int[] piles = new int[seen.getPilesCount()];
    for (int i = 0; i < piles.length; i++) {
      piles[i] = seen.getPilesValue(i);
    }
    int own = seen.getDeckSizes(seen.getSeat());
    int top = seen.getTopFacesValue(seen.getSeat());
    int card = seen.hasFlipped() ? seen.getFlippedValue() : top;
    double laid = own == 1 ? WIN : 1;
    return best(
        view.getLegalActionsList(),
        (NurMutAction action) ->
            switch (action.getKindCase()) {
              case PLACE -> laid - help(seen, next, with(piles, action.getPlace().getPile(), card));
              case CHOOSE_PILE ->
                  laid - help(seen, next, with(piles, action.getChoosePile().getPile(), card));
              case COURAGE -> {
                double fits = chanceToFit(top, piles);
                yield fits * (own == 1 ? laid : laid + GOING_ON)
                    - (1 - fits) * price(seen, next, piles);
              }
              case TRY_TOP -> laid * chanceToFit(top, piles);
              case TUCK -> FRESH_TOP - help(seen, next, piles);
              default -> -help(seen, next, piles);
            });
  }

  private void note(NurMutEvent event) {
    switch (event.getKindCase()) {
      case TOP_SHOWN ->
          tops[event.getTopShown().getSeat() % tops.length] = event.getTopShown().getFaceValue();
      case FLIPPED ->
          flipped =
              pair(
                  oneFace ? HIDDEN : tops[event.getFlipped().getSeat() % tops.length],
                  event.getFlipped().getFaceValue());
      case TUCKED -> flipped = -1;
      case PILE_STARTED ->
          lay(event.getPileStarted().getPile(), event.getPileStarted().getFaceValue());
      case LAID -> lay(event.getLaid().getPile(), event.getLaid().getFaceValue());
      case TOOK_PILE -> {
        Arrays.fill(piles[event.getTookPile().getPile() % 3], 0);
        flipped = -1;
      }
      case DEAL_ENDED -> {
        for (int[] pile : piles) {
          Arrays.fill(pile, 0);
        }
        flipped = -1;
      }
      default -> {}
    }
  }

  /** Notes a card on a pile if both its faces are known. */
  private void lay(int pile, int face) {
    if (oneFace || flipped >= 0) {
      piles[pile % 3][oneFace ? pair(face, HIDDEN) : flipped]++;
    }
    flipped = -1;
  }

  private static int pair(int face, int other) {
    return Math.min(face, other) * FACES + Math.max(face, other);
  }

  private static int[] with(int[] piles, int pile, int face) {
    int[] changed = piles.clone();
    changed[pile] = face;
    return changed;
  }

  /** What failed courage costs: the highest pile, and a card that the next seat gets rid of. */
  private static double price(NurMutObservation seen, int next, int[] piles) {
    int highest = 0;
    int size = 0;
    for (int i = 0; i < piles.length; i++) {
      if (piles[i] > highest || (piles[i] == highest && seen.getPileSizes(i) > size)) {
        highest = piles[i];
        size = seen.getPileSizes(i);
      }
    }
    int others = seen.getDeckSizesCount() - 1;
    return size + (seen.getDeckSizes(next) == 1 ? WIN : others > 1 ? 1.0 / others : 0);
  }

  /** How much piles help the next seat to lay its top card. */
  private double help(NurMutObservation seen, int next, int[] piles) {
    int top = seen.getTopFacesValue(next);
    double chance = top != HIDDEN && fits(top, piles) ? 1 : chanceToFit(top, piles);
    if (seen.getDeckSizes(next) == 1) {
      return WIN * chance;
    }
    return HELP * (chance == 1 ? 1 : 0.3 * chance);
  }

  /** The chance that the hidden face of a card fits, by the face that it shows. */
  private double chanceToFit(int top, int[] tops) {
    int all = 0;
    int fitting = 0;
    for (int face = 1; face <= JOKER; face++) {
      int pair = pair(top, face);
      int left = Math.max(0, deck[top][face] - piles[0][pair] - piles[1][pair] - piles[2][pair]);
      all += left;
      fitting += fits(face, tops) ? left : 0;
    }
    return fitting / (double) Math.max(1, all);
  }

  private static boolean fits(int face, int[] piles) {
    for (int top : piles) {
      if (face == JOKER || top == JOKER || Math.abs(face - top) == 1) {
        return true;
      }
    }
    return false;
  }
}
