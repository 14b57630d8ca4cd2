package duke;

import arena.v1.FortyOneAction;
import arena.v1.HyruleAction;
import arena.v1.KleftisAction;
import arena.v1.NurMutAction;
import arena.v1.NyuriAction;
import arena.v1.Turn;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Actions in words, for logs and tests. */
public final class Text {
  private static final List<String> RANKS =
      List.of("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K");

  private Text() {}

  /** The legal actions of a turn in words, in their order. */
  public static List<String> actions(Turn turn) {
    return switch (turn.getGameCase()) {
      case NYURI -> all(turn.getNyuri().getLegalActionsList(), Text::nyuri);
      case FORTY_ONE -> all(turn.getFortyOne().getLegalActionsList(), Text::fortyOne);
      case NUR_MUT -> all(turn.getNurMut().getLegalActionsList(), Text::nurMut);
      case KLEFTIS -> all(turn.getKleftis().getLegalActionsList(), Text::kleftis);
      case HYRULE -> all(turn.getHyrule().getLegalActionsList(), Text::hyrule);
      case GAME_NOT_SET -> List.of();
    };
  }

  private static <A> List<String> all(List<A> actions, Function<A, String> text) {
    return actions.stream().map(text).toList();
  }

  static String nyuri(NyuriAction action) {
    return switch (action.getKindCase()) {
      case LEAVE -> "leave";
      case PLACE -> {
        var place = action.getPlace();
        String base = "place " + card(place.getBaseValue());
        yield place.hasGuard() ? base + " guarded by " + card(place.getGuardValue()) : base;
      }
      case DRAW -> "draw";
      case STEAL ->
          "steal from seat %d with %s"
              .formatted(
                  action.getSteal().getOwner(), cards(action.getSteal().getCardsValueList()));
      case KIND_NOT_SET -> "?";
    };
  }

  static String fortyOne(FortyOneAction action) {
    return switch (action.getKindCase()) {
      case DRAW_STOCK -> "draw from the stock";
      case TAKE_DISCARD -> "take the discard";
      case END_PLAY -> "end play";
      case DISCARD -> "discard " + card(action.getDiscard().getCardValue());
      case KIND_NOT_SET -> "?";
    };
  }

  static String nurMut(NurMutAction action) {
    return switch (action.getKindCase()) {
      case PASS_TURN -> "pass";
      case TUCK -> "tuck the top card";
      case PLACE -> "place the top card on pile " + action.getPlace().getPile();
      case TRY_TOP -> "try the top card";
      case COURAGE -> "courage";
      case CHOOSE_PILE -> "lay the flipped card on pile " + action.getChoosePile().getPile();
      case KIND_NOT_SET -> "?";
    };
  }

  static String kleftis(KleftisAction action) {
    return switch (action.getKindCase()) {
      case PLAY -> "play " + card(action.getPlay().getCardValue());
      case BUILD ->
          "build %s on group %d"
              .formatted(card(action.getBuild().getCardValue()), action.getBuild().getGroup());
      case STEAL -> {
        var steal = action.getSteal();
        yield "steal group %d from seat %d with %s"
            .formatted(steal.getGroup(), steal.getOwner(), card(steal.getCardValue()));
      }
      case SECURE -> {
        List<Integer> groups = action.getSecure().getGroupsList();
        yield switch (groups.size()) {
          case 0 -> "secure nothing";
          case 1 -> "secure group " + groups.get(0);
          default ->
              "secure groups "
                  + groups.stream().map(String::valueOf).collect(Collectors.joining(" "));
        };
      }
      case KIND_NOT_SET -> "?";
    };
  }

  static String hyrule(HyruleAction action) {
    return switch (action.getKindCase()) {
      case PLAY -> "play " + card(action.getPlay().getCardValue());
      case SWAP -> "swap " + card(action.getSwap().getCardValue());
      case KIND_NOT_SET -> "?";
    };
  }

  private static String cards(List<Integer> cards) {
    return cards.stream().map(Text::card).collect(Collectors.joining(" "));
  }

  /** A card as people write it: A♣, 10♦, JK1. */
  private static String card(int card) {
    if (card < 1 || card > 54) {
      return "?";
    }
    return card > 52
        ? "JK" + (card - 52)
        : RANKS.get(Cards.rank(card) - 1) + "♣♦♥♠".charAt(Cards.suit(card));
  }
}
