/** The legal actions of a turn in words, for logs and tests. */

import type { Turn } from "../gen/arena/v1/bot.js";
import { Card } from "../gen/arena/v1/cards.js";
import type { FortyOneAction } from "../gen/arena/v1/forty_one.js";
import type { HyruleAction } from "../gen/arena/v1/hyrule.js";
import type { KleftisAction } from "../gen/arena/v1/kleftis.js";
import type { NurMutAction } from "../gen/arena/v1/nur_mut.js";
import type { NyuriAction } from "../gen/arena/v1/nyuri.js";
import { rankOf, suitOf } from "./cards.js";

const UNKNOWN = "an unknown action";
const SUIT_SYMBOLS = ["♣", "♦", "♥", "♠"];
const RANK_SYMBOLS = ["?", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/** Every legal action of a turn in words, in order. */
export function actionTexts({ game }: Turn): string[] {
  switch (game?.$case) {
    case "nyuri":
      return game.value.legalActions.map(nyuriText);
    case "fortyOne":
      return game.value.legalActions.map(fortyOneText);
    case "nurMut":
      return game.value.legalActions.map(nurMutText);
    case "kleftis":
      return game.value.legalActions.map(kleftisText);
    case "hyrule":
      return game.value.legalActions.map(hyruleText);
    default:
      return [];
  }
}

function nyuriText({ kind }: NyuriAction): string {
  switch (kind?.$case) {
    case "leave":
    case "draw":
      return kind.$case;
    case "place": {
      const { base, guard } = kind.value;
      return `place ${cardText(base)}${guard === undefined ? "" : ` guarded by ${cardText(guard)}`}`;
    }
    case "steal":
      return `steal from seat ${kind.value.owner} with ${cardTexts(kind.value.cards)}`;
    default:
      return UNKNOWN;
  }
}

function fortyOneText({ kind }: FortyOneAction): string {
  switch (kind?.$case) {
    case "drawStock":
      return "draw from the stock";
    case "takeDiscard":
      return "take the discard";
    case "endPlay":
      return "end play";
    case "discard":
      return `discard ${cardText(kind.value.card)}`;
    default:
      return UNKNOWN;
  }
}

function nurMutText({ kind }: NurMutAction): string {
  switch (kind?.$case) {
    case "passTurn":
      return "pass";
    case "tuck":
      return "tuck the top card";
    case "place":
      return `place the top card on pile ${kind.value.pile}`;
    case "tryTop":
      return "try the top card";
    case "courage":
      return "courage";
    case "choosePile":
      return `lay the flipped card on pile ${kind.value.pile}`;
    default:
      return UNKNOWN;
  }
}

function kleftisText({ kind }: KleftisAction): string {
  switch (kind?.$case) {
    case "play":
      return `play ${cardText(kind.value.card)}`;
    case "build":
      return `build ${cardText(kind.value.card)} on group ${kind.value.group}`;
    case "steal": {
      const { card, owner, group } = kind.value;
      return `steal group ${group} from seat ${owner} with ${cardText(card)}`;
    }
    case "secure": {
      const { groups } = kind.value;
      return groups.length === 0
        ? "secure nothing"
        : `secure group${groups.length > 1 ? "s" : ""} ${groups.join(" ")}`;
    }
    default:
      return UNKNOWN;
  }
}

function hyruleText({ kind }: HyruleAction): string {
  switch (kind?.$case) {
    case "play":
    case "swap":
      return `${kind.$case} ${cardText(kind.value.card)}`;
    default:
      return UNKNOWN;
  }
}

function cardTexts(cards: readonly Card[]): string {
  return cards.map(cardText).join(" ");
}

/** A card as printed, such as 10♥ or JK1; "?" for none of the 54. */
function cardText(card: Card): string {
  if (!(card >= Card.ACE_OF_CLUBS && card <= Card.JOKER_TWO)) {
    return "?";
  }
  if (card >= Card.JOKER_ONE) {
    return `JK${card - 52}`;
  }
  return `${RANK_SYMBOLS[rankOf(card)]}${SUIT_SYMBOLS[suitOf(card)]}`;
}
