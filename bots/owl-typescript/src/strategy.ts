/**
 * How the owl plays: patiently. It waits for strong combinations, keeps what has many uses, and takes
 * a risk only when the odds are good, or late, when it is behind. To make a bot of your own, change
 * this file: give it a name, and return from `choose` the index of the action that you like best.
 */

import type { TableStart, Turn } from "../gen/arena/v1/bot.js";
import type { Card } from "../gen/arena/v1/cards.js";
import { FortyOnePhase, type FortyOneView } from "../gen/arena/v1/forty_one.js";
import { HyruleDoubleJoker, HyrulePhase, type HyruleView } from "../gen/arena/v1/hyrule.js";
import { type KleftisGroup, KleftisPhase, type KleftisView } from "../gen/arena/v1/kleftis.js";
import { NurMutFace, type NurMutView } from "../gen/arena/v1/nur_mut.js";
import type { NyuriView } from "../gen/arena/v1/nyuri.js";
import { suitOf } from "./cards.js";
import { KnownCards } from "./known_cards.js";
import { best, chanceAbove, chanceOfNone, chanceToFit, count, sum, unseenCards } from "./odds.js";
import { answers, fits, joined, joiners, nyuriValue, pileCards, suitScore, winner } from "./rules.js";

/** What the bot says of itself; the same as in bot.toml. */
export const ABOUT = { name: "owl", version: "1.0", author: "the arena" };

/** Plays one table: made when it begins, asked at each turn, so that its fields are the memory of the game. */
export class Strategy {
  private readonly known = new KnownCards();

  constructor(private readonly start: TableStart) {}

  /** Chooses one of the turn's legal actions, by its index. */
  choose({ game }: Turn): number {
    switch (game?.$case) {
      case "nyuri":
        return this.nyuri(game.value);
      case "fortyOne":
        return fortyOne(game.value);
      case "nurMut":
        return this.nurMut(game.value);
      case "kleftis":
        return this.kleftis(game.value);
      case "hyrule":
        return this.hyrule(game.value);
      default:
        return 0;
    }
  }

  /** Lays the pile that is least likely to be stolen, and steals wherever that beats a card from the stock. */
  private nyuri({ events, observation: seen, legalActions }: NyuriView): number {
    this.known.noteNyuri(events);
    if (seen?.seat === undefined) {
      return 0;
    }
    const { seat, hand, piles, handSizes, spent } = seen;
    const options = this.start.game?.$case === "nyuri" ? this.start.game.value : undefined;
    const swing = 1 + 1 / (handSizes.length - 1); // what one seat loses another wins
    const hidden = unseenCards(52, [hand, spent, ...piles.map(pileCards)]);
    const odds = this.known.odds(hidden, handSizes, seat);

    /** What a pile is likely to cost; of a theft by three cards, one card comes back. */
    const loss = (pile: readonly Card[]): number => {
      const worth = sum(pile, nyuriValue);
      const suit = hidden.filter((card) => suitOf(card) === suitOf(pile[0] ?? 0));
      suit.sort((a, b) => nyuriValue(b) - nyuriValue(a));
      const values = suit.map(nyuriValue);
      let [safeFromTwo, safe] = [1, 1];
      for (const held of odds) {
        const chances = suit.map((card) => held[card] ?? 0);
        safeFromTwo *= 1 - chanceAbove(values, chances, 2, worth);
        safe *= 1 - chanceAbove(values, chances, worth > 10 ? 3 : 2, worth);
      }
      return swing * ((1 - safe) * pile.length - (safeFromTwo - safe)) + 0.01 * worth;
    };
    return best(legalActions, ({ kind }) => {
      switch (kind?.$case) {
        case "leave":
          return -loss(pileCards(piles[seat]));
        case "place":
          return -loss(pileCards(kind.value));
        case "draw":
          return 1;
        case "steal": {
          const { owner, cards } = kind.value;
          const price = (cards.length === 3 ? 1 : 0) + (options?.spendCards ? cards.length : 0);
          const bid = 0.001 * sum(cards, nyuriValue); // high where others may overbid; else it only tells
          const shown = 0.1 * cards.length + (handSizes.length > 2 ? -bid : bid);
          return swing * (pileCards(piles[owner]).length - price) - shown;
        }
        default:
          return -Infinity;
      }
    });
  }

  /** Lays cards as they fit; courage only where a flip is likely to fit, or late, when others are far ahead. */
  private nurMut({ observation: seen, legalActions }: NurMutView): number {
    if (seen?.seat === undefined) {
      return 0;
    }
    const { seat, piles, pileSizes, deckSizes, topFaces } = seen;
    const options = this.start.game?.$case === "nurMut" ? this.start.game.value : undefined;
    const next = (seat + 1) % deckSizes.length;
    const own = deckSizes[seat] ?? 0;
    const top = topFaces[seat] ?? NurMutFace.HIDDEN;
    const laid = own === 1 ? 10 : 1;
    const behind = own - Math.min(...deckSizes) > 3;

    /** How much piles help the next seat to lay its top card. */
    const help = (tops: readonly NurMutFace[]): number => {
      const face = topFaces[next] ?? NurMutFace.HIDDEN;
      const shown = face !== NurMutFace.HIDDEN && fits(face, tops) ? 1 : 0;
      const flip = chanceToFit(face, tops, options);
      return deckSizes[next] === 1 ? 10 * Math.max(shown, flip) : 0.3 * Math.max(shown, 0.3 * flip);
    };
    return best(legalActions, ({ kind }) => {
      switch (kind?.$case) {
        case "place":
        case "choosePile":
          return (
            laid - help(piles.map((face, pile) => (pile === kind.value.pile ? (seen.flipped ?? top) : face)))
          );
        case "courage": {
          const fit = chanceToFit(top, piles, options);
          const highest = Math.max(...piles);
          const cost = Math.max(...pileSizes.filter((_, pile) => piles[pile] === highest)) + 0.5;
          return fit * (laid + (own === 1 ? 0 : 0.6)) - (1 - fit) * cost * (behind ? 0.8 : 1);
        }
        case "tryTop":
          return laid * chanceToFit(top, piles, options);
        case "tuck":
          return 0.2 - help(piles);
        default:
          return -help(piles);
      }
    });
  }

  /** Keeps groups open that only it can build on, and plays cards that have friends in its hand. */
  private kleftis({ events, observation: seen, legalActions }: KleftisView): number {
    this.known.noteKleftis(events);
    if (seen?.seat === undefined) {
      return 0;
    }
    const { seat, hand, handSizes, stock } = seen;
    const groups = seen.dashboards.flatMap(({ groups }, owner) => groups.map((group) => ({ group, owner })));
    const unseen = unseenCards(52, [hand, this.known.cards(), ...groups.map(({ group }) => group.cards)]);
    const drawn = sum(handSizes, (size) => size) - hand.length + (stock > 0 ? handSizes.length - 1 : 0);
    const turnsLeft = hand.length + Math.floor(stock / handSizes.length);

    if (seen.phase === KleftisPhase.SECURE) {
      /** Whether a group is better built on than secured: nobody else can touch it, and there is time. */
      const waits = ({ cards }: KleftisGroup): boolean =>
        turnsLeft >= 2 && count(joiners(cards), hand) > 0 && count(joiners(cards), unseen) === 0;
      const waiting = groups.filter(({ group }) => waits(group)).map(({ group }) => group.group);
      return best(legalActions, ({ kind }) =>
        kind?.$case === "secure" ? sum(kind.value.groups, (group) => (waiting.includes(group) ? -1 : 1)) : 0,
      );
    }
    return best(legalActions, ({ kind }) => {
      if (kind === undefined || kind.$case === "secure") {
        return -Infinity;
      }
      const { card } = kind.value;
      const rest = hand.filter((other) => other !== card);
      /** What an own group is worth that lies open until the next turn. */
      const open = (cards: readonly Card[]): number => {
        if (turnsLeft === 1) {
          return -cards.length; // there is no next turn
        }
        const safe = chanceOfNone(count(joiners(cards), unseen), unseen.length, drawn);
        const single = count(joiners(cards), rest) > 0 ? 1 : -0.5;
        return safe * (cards.length === 1 ? single : cards.length) - (1 - safe) * (cards.length + 1);
      };
      let worth = kind.$case === "play" ? open([card]) : 0;
      for (const { group, owner } of groups) {
        const { cards } = group;
        if (kind.$case !== "play" && kind.value.group === group.group) {
          worth += open(joined(cards, card));
        } else if (owner === seat) {
          worth += cards.length > 1 ? cards.length : open(cards);
        } else {
          worth += cards.length > 1 ? -cards.length : count(joiners(cards), rest) > 0 ? 0.5 : 0;
        }
      }
      const prey = rest.flatMap((other) => joiners([other]));
      return worth + (3 * count(unseen, prey)) / Math.max(1, unseen.length);
    });
  }

  /** Swaps to play last, wins as cheaply as it can, and keeps a hand with an answer to everything. */
  private hyrule({ observation: seen, legalActions }: HyruleView): number {
    if (seen?.seat === undefined) {
      return 0;
    }
    const { hand, handSizes } = seen;
    const options = this.start.game?.$case === "hyrule" ? this.start.game.value : undefined;
    const lastJoker = options?.doubleJoker === HyruleDoubleJoker.LAST;
    const trick = seen.trick.map(({ card }) => card);
    const unseen = unseenCards(54, [hand, seen.played, seen.discards, trick]);
    const toCome = handSizes.length - 1 - trick.length;
    const sealed = seen.phase === HyrulePhase.SEAL;
    const toBeat = toCome * (sealed ? 1 : hand.length); // of cards played blindly, or chosen
    const patience = toCome > 0 ? 0.02 : 0.3;

    /** To what share of the unseen cards the hand has an answer without a card; a second one counts less. */
    const readiness = (card: Card): number => {
      const answered = sum(unseen, (led) => {
        const ready = sum(hand, (own) => (own !== card && answers(own, led, lastJoker) ? 1 : 0));
        return 1 - 0.3 ** ready;
      });
      return answered / Math.max(1, unseen.length);
    };
    return best(legalActions, ({ kind }) => {
      if (kind === undefined) {
        return -Infinity;
      }
      const { card } = kind.value;
      if (kind.$case === "swap") {
        return 1 + readiness(card); // always: it means to play last
      }
      const played = [...trick, card];
      const takes = winner(played, lastJoker) === card;
      const beaters = takes ? sum(unseen, (other) => +(winner([...played, other], lastJoker) !== card)) : 0;
      const chance = takes ? chanceOfNone(beaters, unseen.length, toBeat) : 0;
      const waits = sealed && hand.length > 3; // while the others spend their best
      return waits ? -chance : chance + patience * readiness(card);
    });
  }
}

/** Collects one suit, whatever the other cards cost, and wants a higher score the longer all had time to collect. */
function fortyOne({ observation: seen, legalActions }: FortyOneView): number {
  if (seen?.seat === undefined) {
    return 0;
  }
  const { seat, hand, handSizes, discards, stock } = seen;
  if (seen.phase === FortyOnePhase.DISCARD) {
    // The last of its own discards that was taken tells what the next seat collects.
    const gift = discards.findLast(
      (_, number) => seen.taken[number] && (seen.starter + number) % handSizes.length === seat,
    );
    return best(legalActions, ({ kind }) => {
      const card = kind?.$case === "discard" ? kind.value.card : 0;
      const given = gift !== undefined && suitOf(card) === suitOf(gift) ? suitScore([card]) : 0;
      return suitScore(hand.filter((other) => other !== card)) - 0.3 * given;
    });
  }
  const offered = discards.at(-1);
  const five = offered === undefined ? hand : [...hand, offered];
  const taken = Math.max(...hand.map((card) => suitScore(five.filter((other) => other !== card))));
  const now = suitScore(hand);
  const enough = 26 - 5 * Math.min(1, stock / (52 - 4 * handSizes.length));
  return best(legalActions, ({ kind }) => {
    switch (kind?.$case) {
      case "endPlay":
        return stock === 0 || now >= enough ? 2 : -2;
      case "takeDiscard":
        return taken > now ? 1 : -1;
      default:
        return 0;
    }
  });
}
