/** What the events of a game told about cards that cannot be seen any more. */

import type { Card } from "../gen/arena/v1/cards.js";
import type { KleftisEvent } from "../gen/arena/v1/kleftis.js";
import type { NyuriEvent } from "../gen/arena/v1/nyuri.js";

/** The seat that was last known to have a card, by card, for one deal. */
export class KnownCards {
  private readonly holders = new Map<Card, number>();

  cards(): Card[] {
    return [...this.holders.keys()];
  }

  /** Nyuri: whoever shows, wins or takes back a card holds it. */
  noteNyuri(events: readonly NyuriEvent[]): void {
    for (const { kind } of events) {
      switch (kind?.$case) {
        case "dealt":
          this.holders.clear();
          break;
        case "placed":
          this.hold(kind.value.seat, kind.value.takenBack);
          break;
        case "claimed":
          this.hold(kind.value.seat, kind.value.cards);
          break;
        case "stole":
          this.hold(kind.value.seat, kind.value.cards);
          this.hold(kind.value.seat, kind.value.pile);
          break;
        case "penalty":
          this.hold(kind.value.owner, kind.value.card === undefined ? [] : [kind.value.card]);
          break;
      }
    }
  }

  /** Kleftis: a secured card is out of play. */
  noteKleftis(events: readonly KleftisEvent[]): void {
    for (const { kind } of events) {
      if (kind?.$case === "dealt") {
        this.holders.clear();
      } else if (kind?.$case === "secured") {
        this.hold(kind.value.seat, kind.value.cards);
      }
    }
  }

  /** For each seat but one, how likely it is to hold each of the hidden cards, by card number. */
  odds(hidden: readonly Card[], handSizes: readonly number[], viewer: number): number[][] {
    const open = handSizes.map(() => 0);
    let anywhere = hidden.length;
    for (const card of hidden) {
      const holder = this.holders.get(card);
      if (holder !== undefined && holder !== viewer) {
        open[holder] = (open[holder] ?? 0) + 1;
        anywhere--;
      }
    }
    const all: number[][] = [];
    handSizes.forEach((size, seat) => {
      if (seat !== viewer) {
        const chance = Math.min(1, Math.max(0, size - (open[seat] ?? 0)) / Math.max(1, anywhere));
        const odds: number[] = [];
        for (const card of hidden) {
          const holder = this.holders.get(card) ?? viewer;
          odds[card] = holder === viewer ? chance : holder === seat ? 1 : 0;
        }
        all.push(odds);
      }
    });
    return all;
  }

  private hold(seat: number, cards: readonly Card[]): void {
    for (const card of cards) {
      this.holders.set(card, seat);
    }
  }
}
