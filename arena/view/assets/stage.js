// Draws a table with its cards from a picture of it. It knows no rules.

import { back, face, numberFace, suited } from "./cards.js";
import { get, make, mayMove } from "./dom.js";
import { emblemOf } from "./emblem.js";
import { counted, ordinal } from "./words.js";

/** @import { Picture, Step, Table, Words } from "../data" */

/**
 * A thing that `lay` puts into a place.
 * @typedef {{ key: string, make: () => HTMLElement, classes?: string }} Thing
 */

/** @typedef {(place: string) => any} Its The part of a picture that is a seat's, by the place. */

const TRAVEL = 420;
const EASE = "cubic-bezier(.2,.7,.2,1)";

/** For how many ms cards travel, at a speed; 0 if nothing may move. */
export function travelTime(speed = 1) { return mayMove() ? TRAVEL / Math.max(1, speed) : 0; }

// A thing that `lay` puts into a place keeps its element while its key is the same, also in another place.
export class Stage {
  /** @param {HTMLElement} root @param {Table} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    /** The things that lie on the table, by key. @type {Map<string, HTMLElement>} */
    this.cards = new Map();
    /** The keys that the present picture uses. @type {Set<string>} */
    this.used = new Set();
    /** The cards and places that are new. @type {Set<string | number>} */
    this.fresh = new Set();
    /** What the numbers mean, by kind. @type {Record<string, string>} */
    this.abouts = {};
    root.replaceChildren();
    /** @type {{ box: HTMLElement, acts: HTMLElement, what: HTMLElement, name: string }[]} */
    this.seats = [];
    this.deal = make("div", "deal", root);
  }

  /** Draws the table of a game. @param {Picture} _picture */
  draw(_picture) {}

  get count() { return this.data.seats; }

  // A panel for each seat.
  panels(columns = this.count <= 4 ? this.count : Math.ceil(this.count / 2), parent = this.root) {
    const grid = make("div", "panels", parent);
    grid.style.setProperty("--columns", String(columns));
    for (let seat = 0; seat < this.count; seat++) {
      const box = make("section", "seatbox", grid);
      box.setAttribute("role", "group");
      const head = make("div", "seathead", box);
      if (this.data.emblems) head.append(emblemOf(this.data.emblems[seat]));
      const name = make("span", "name", head);
      make("bdi", "", name, this.data.names[seat]);
      const acts = make("span", "acttag", head);
      const what = make("span", "what", head);
      this.seats.push({ box, acts, what, name: this.data.names[seat] });
    }
    return grid;
  }

  /**
   * Explains a number, as the picture does: as a tooltip, and beside it while the page explains.
   * @param {HTMLElement} place @param {string} kind
   */
  about(place, kind) {
    const text = place.textContent && this.abouts[kind];
    if (text) { place.title = text; place.dataset.about = text; } else { place.removeAttribute("title"); delete place.dataset.about; }
  }

  /** @param {number} seat */
  nameOf(seat) { return this.data.names[seat]; }

  /** Puts things into an element, in order; their classes are set again. @param {Element} place @param {Thing[]} specs */
  lay(place, specs) {
    const wanted = specs.map((spec) => {
      let card = this.cards.get(spec.key);
      if (!card) {
        card = spec.make();
        card.dataset.base = card.className;
        this.cards.set(spec.key, card);
      }
      card.className = `${card.dataset.base} ${spec.classes || ""}`;
      this.used.add(spec.key);
      return card;
    });
    wanted.forEach((card, at) => { if (place.children[at] !== card) place.insertBefore(card, place.children[at] || null); });
    while (place.children.length > wanted.length) place.lastElementChild?.remove();
  }

  /** @param {number[]} numbers @param {(number: number) => string} [classes] @returns {Thing[]} */
  known(numbers, classes = (number) => this.ring(number)) {
    return numbers.map((number) => ({ key: `c${number}`, make: () => face(number), classes: classes(number) }));
  }

  /** @param {string} where @param {number} count @returns {Thing[]} */
  backs(where, count, most = 5) {
    return Array.from({ length: Math.min(count, most) }, (_, at) => ({ key: `${where}#${at}`, make: () => back() }));
  }

  /**
   * A hand: a fan, by suit if it is long; backs and a number if it is hidden.
   * @param {HTMLElement} place @param {number} seat @param {Its} its @param {(number: number) => string} [classes]
   */
  hand(place, seat, its, classes) {
    /** @type {[number[] | null, number]} */
    const [cards, count] = [its("hand"), its("count")];
    place.setAttribute("aria-label", cards ? `hand, ${counted(count, "card")}` : `${counted(count, "card")} in hand, not seen`);
    place.setAttribute("role", "group");
    const suits = cards && cards.length > 12 ? [0, 1, 2, 3].map((suit) => cards.filter((card) => Math.floor((card - 1) / 13) === suit)).filter((part) => part.length) : null;
    place.className = suits ? "hand fans" : `hand fan ${fanned(cards ? count : 1)}`;
    if (!suits) {
      if (place.querySelector(".fan")) place.replaceChildren();
      this.lay(place, cards ? this.known(cards, classes) : this.backs(`hand${seat}`, count));
      return;
    }
    if (!place.querySelector(".fan")) place.replaceChildren();
    while (place.children.length < suits.length) make("div", "fan", place);
    while (place.children.length > suits.length) place.lastElementChild?.remove();
    suits.forEach((part, at) => {
      place.children[at].className = `fan ${fanned(part.length)}`;
      this.lay(place.children[at], this.known(part, classes));
    });
  }

  /** A seat's cards that nobody can take. @param {HTMLElement} parent */
  safe(parent) {
    const box = make("div", "safe", parent);
    return { safeCards: make("div", "fan", box), safeText: make("span", "", box) };
  }

  /** @param {HTMLElement} place @param {number} count */
  stock(place, count) {
    if (!place.firstChild) { make("div", "stock", place).dataset.place = "stock"; make("div", "stocktext", place); }
    this.lay(get(HTMLElement, ".stock", place), this.backs("stock", count, 3));
    const text = get(HTMLElement, ".stocktext", place);
    text.textContent = count ? `${counted(count, "card")} in the stock` : "the stock is empty";
    this.about(text, "stock");
  }

  /**
   * Shows a picture. `move`: the milliseconds that cards travel. `tone`: the moment's. `places`: the places of the
   * seats, at the end.
   * @param {Picture} picture
   * @param {{ move?: number, fresh?: Set<string | number>, tone?: string, places?: number[] | null }} [options]
   */
  show(picture, { move = 0, fresh = new Set(), tone = "", places = null } = {}) {
    const before = new Map();
    if (move) for (const [key, card] of this.cards) if (card.isConnected) before.set(key, card.getBoundingClientRect());
    this.used = new Set();
    this.fresh = fresh;
    this.abouts = picture.about || {};
    this.deal.textContent = picture.deal ? `${picture.deal} · ${picture.scores?.map((score, seat) => `${this.nameOf(seat)} ${score}`).join(", ")}` : "";
    this.about(this.deal, "deal");
    this.root.dataset.tone = tone;
    this.root.className = `stage${tone ? ` tone-${tone}` : ""}`;
    this.seats.forEach((seat, number) => {
      const acts = picture.act === number;
      seat.box.classList.toggle("acts", acts);
      const place = places?.[number];
      seat.box.classList.toggle("won", place === 1);
      seat.acts.textContent = place === 1 && places?.filter((each) => each === 1).length === 1 ? "wins" : place ? ordinal(place) : acts ? "to act" : "";
    });
    this.draw(picture);
    for (const key of [...this.cards.keys()]) if (!this.used.has(key)) this.cards.delete(key);
    if (!move) return;
    for (const [key, card] of this.cards) {
      const from = before.get(key);
      if (!from || !card.isConnected) continue;
      const to = card.getBoundingClientRect();
      const x = from.left - to.left, y = from.top - to.top;
      if (Math.abs(x) + Math.abs(y) > 2) {
        card.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 5 }, { transform: "none", zIndex: 5 }], { duration: move, easing: EASE });
      }
    }
  }

  /**
   * Draws each seat, with its part of the picture.
   * @template Seat
   * @param {Seat[]} seats @param {Picture} picture @param {(seat: Seat, number: number, its: Its) => void} draw
   */
  eachSeat(seats, picture, draw) {
    seats.forEach((seat, number) => draw(seat, number, (place) => picture[`${place}.${number}`]));
  }

  /** The class of a card or a place that is new. @param {string | number} fresh */
  ring(fresh) { return this.fresh.has(fresh) ? "ring" : ""; }
}

/** @param {number} count */
function fanned(count) { return count > 13 ? "most" : count > 8 ? "many" : ""; }

class Nyuri extends Stage {
  /** @param {HTMLElement} root @param {Table} data */
  constructor(root, data) {
    super(root, data);
    const onScreen = document.documentElement.classList.contains("screen"); // wide, and nothing scrolls
    const columns = this.count > 4 ? 3 : onScreen ? this.count : 2;
    const top = make("div", "row", this.root);
    this.middle = make("div", "middle", top);
    this.claims = make("div", "claims", this.root);
    this.panels(columns);
    this.places = this.seats.map((seat, number) => {
      const line = make("div", "line", seat.box), pile = make("div", "pilecards", line);
      pile.setAttribute("role", "group");
      pile.dataset.place = `pile.${number}`;
      return { ...seat, pile, worth: make("span", "value", line), hand: make("div", "hand fan", seat.box) };
    });
  }

  /** @override @param {Picture} picture */
  draw(picture) {
    this.stock(this.middle, picture.stock);
    this.claims.replaceChildren();
    for (const claim of picture.claims) {
      const row = make("div", `claim${claim.out ? " out" : ""}`, this.claims);
      make("span", "", row, `${this.nameOf(claim.seat)} claims ${this.nameOf(claim.owner)}'s pile${claim.out ? ", outbid" : ""}`);
      this.about(make("span", "sum", row, claim.sum), "claim");
      const fan = make("div", "fan", row);
      for (const card of claim.cards) fan.append(face(card));
    }
    const claimed = new Set(picture.claims.flatMap((/** @type {{ cards: number[] }} */ claim) => claim.cards));
    this.eachSeat(this.places, picture, (seat, number, its) => {
      const pile = its("pile");
      seat.what.textContent = `${counted(its("total"), "card")}${picture.placer === number ? " · places" : ""}`;
      this.about(seat.what, "total");
      seat.pile.setAttribute("aria-label", pile.length ? `pile worth ${its("worth")}` : "no pile");
      this.lay(seat.pile, pile.length ? this.known(pile) : [nothing(number)]);
      seat.worth.textContent = pile.length ? its("worth") : "";
      this.about(seat.worth, "worth");
      this.hand(seat.hand, number, its, (card) => (claimed.has(card) ? "ring" : this.ring(card)));
    });
  }
}

/** A place without a card. @param {number} seat @returns {Thing} */
function nothing(seat) {
  const none = () => {
    const place = make("span", "none");
    place.setAttribute("aria-hidden", "true");
    return place;
  };
  return { key: `none${seat}`, make: none };
}

class FortyOne extends Stage {
  /** @param {HTMLElement} root @param {Table} data */
  constructor(root, data) {
    super(root, data);
    const top = make("div", "row", this.root);
    this.middle = make("div", "middle", top);
    const side = make("div", "middle", top);
    this.discards = make("div", "line", side);
    this.discards.dataset.place = "discards";
    this.discardText = make("div", "", side);
    this.panels([3, 5, 6].includes(this.count) ? 3 : 2);
    this.places = this.seats.map((seat) => {
      const line = make("div", "line", seat.box), hand = make("div", "hand fan", line);
      hand.style.setProperty("--w", "clamp(28px, 5cqi, 84px)");
      return { ...seat, hand, score: make("span", "value", line) };
    });
  }

  /** @override @param {Picture} picture */
  draw(picture) {
    this.stock(this.middle, picture.stock);
    /** @type {{ card: number, taken: boolean }[]} */
    const discards = picture.discards, last = discards.length - 1;
    this.lay(this.discards, discards.map((each, at) => each.taken
      ? { key: `ghost${each.card}.${at}`, make: () => face(each.card), classes: "ghost" }
      : { key: `c${each.card}`, make: () => face(each.card), classes: at === last && picture.takable ? "ring" : "" }));
    this.discardText.textContent = discards.length ? (picture.takable ? "the last discard may be taken" : "discards") : "no discards yet";
    this.eachSeat(this.places, picture, (seat, number, its) => {
      const against = new Set(its("against"));
      const drawn = its("drawn");
      this.hand(seat.hand, number, its, (card) => (card === drawn ? "ring" : against.has(card) ? "dull" : this.ring(card)));
      if (its("hand")) seat.hand.classList.remove("many", "most");
      seat.hand.style.setProperty("--show", its("hand") ? "1.06" : ".5");
      const score = its("score");
      seat.score.replaceChildren(suited(score === null ? "" : `${its("suit")} ${score}`));
      this.about(seat.score, "score");
    });
  }
}

class NurMut extends Stage {
  /** @param {HTMLElement} root @param {Table} data */
  constructor(root, data) {
    super(root, data);
    const row = make("div", "row", this.root);
    this.piles = [0, 1, 2].map((pile) => {
      const box = make("div", "bigpile", row);
      box.setAttribute("role", "group");
      box.dataset.place = `pile.${pile}`;
      return { box, card: make("div", "", box), text: make("div", "", box), fits: make("div", "dim", box), pile };
    });
    this.panels();
    this.places = this.seats.map((seat, number) => {
      const line = make("div", "line", seat.box), top = make("div", "", line);
      top.dataset.place = `top.${number}`;
      return { ...seat, top, left: make("span", "value", line), lower: make("span", "", line) };
    });
  }

  /** @override @param {Picture} picture */
  draw(picture) {
    for (const { box, card, text, fits, pile } of this.piles) {
      const top = picture[`pile.${pile}`];
      box.classList.toggle("took", picture.took === pile);
      box.setAttribute("aria-label", `pile ${pile}`);
      this.lay(card, [{ key: `pile${pile}.${top}.${picture[`size.${pile}`]}`, make: () => numberFace(top), classes: this.ring(`pile.${pile}`) || this.ring(`size.${pile}`) }]);
      text.textContent = `pile ${pile}: ${counted(picture[`size.${pile}`], "card")}${picture[`high.${pile}`] ? " · highest" : ""}`;
      const fitting = picture[`fits.${pile}`];
      fits.textContent = fitting.length > 2 ? "everything fits" : `fits ${fitting.join(" · ")}`;
      this.about(text, picture[`high.${pile}`] ? "high" : "size");
      this.about(fits, "fits");
    }
    this.eachSeat(this.places, picture, (seat, number, its) => {
      const [top, left, lower] = ["top", "left", "lower"].map(its);
      const flipped = picture.flipped === number;
      seat.what.textContent = flipped ? "flipped" : "";
      this.lay(seat.top, left ? [{ key: `deck${number}.${top}.${left}`, make: () => (top ? numberFace(top) : back(true)), classes: flipped ? "ring" : "" }] : [nothing(number)]);
      seat.left.textContent = `${left} left`;
      this.about(seat.left, "left");
      seat.lower.className = lower ? "underface" : "";
      seat.lower.textContent = lower === 10 ? "JK" : lower || "";
      this.about(seat.lower, "lower");
    });
  }
}

class Kleftis extends Stage {
  /** @param {HTMLElement} root @param {Table} data */
  constructor(root, data) {
    super(root, data);
    this.middle = make("div", "middle side", this.root);
    this.panels(1);
    this.places = this.seats.map((seat, number) => {
      const lane = make("div", "lane", seat.box), groups = make("div", "groups", lane), line = make("div", "line", lane);
      groups.dataset.place = `groups.${number}`;
      /** The boxes of groups, by the group. @type {Map<number, { box: HTMLElement, fan: HTMLElement, text: HTMLElement }>} */
      const boxes = new Map();
      return { ...seat, groups, boxes, ...this.safe(line), hand: make("div", "hand fan", line) };
    });
  }

  /** @override @param {Picture} picture */
  draw(picture) {
    this.stock(this.middle, picture.stock);
    this.eachSeat(this.places, picture, (seat, number, its) => {
      seat.what.textContent = `${its("count")} in hand · ${counted(its("points"), "point")} as it lies`;
      this.about(seat.what, "points");
      /** @type {{ group: number, words: string, from: number | null, cards: number[], touched: boolean }[]} */
      const groups = its("groups");
      const wanted = groups.map((group, at) => {
        const known = seat.boxes.get(group.group) ?? newGroup(group.group);
        seat.boxes.set(group.group, known);
        const { box, fan, text } = known;
        box.setAttribute("aria-label", group.words);
        box.className = `group${group.from === null ? "" : " stolen"}`;
        fan.className = `fan ${fanned(group.cards.length)}`;
        this.lay(fan, this.known(group.cards));
        text.textContent = group.from === null ? `${group.words}${group.touched ? ", just touched" : ""}` : `stolen from ${this.nameOf(group.from)}`;
        if (!at) this.about(text, "group");
        return box;
      });
      seat.groups.replaceChildren(...wanted);
      for (const key of [...seat.boxes.keys()]) if (!groups.some((group) => group.group === key)) seat.boxes.delete(key);
      const safe = its("safe");
      this.lay(seat.safeCards, this.backs(`safe${number}`, safe, 6));
      seat.safeText.textContent = `${safe} safe`;
      this.about(seat.safeText, "safe");
      this.hand(seat.hand, number, its);
    });
  }
}

/** @param {number} group */
function newGroup(group) {
  const box = make("div", "group");
  box.setAttribute("role", "group");
  box.dataset.place = `group.${group}`;
  return { box, fan: make("div", "fan", box), text: make("span", "tagline", box) };
}

class Hyrule extends Stage {
  /** @param {HTMLElement} root @param {Table} data */
  constructor(root, data) {
    super(root, data);
    const top = make("div", "middle side", this.root);
    this.middle = make("div", "middle side", top);
    this.note = make("div", "", top);
    this.panels();
    this.places = this.seats.map((seat, number) => {
      const column = make("div", "slotcol", seat.box), slot = make("div", "", column), order = make("div", "dim", column);
      slot.dataset.place = `slot.${number}`;
      const line = make("div", "line", seat.box);
      return { ...seat, slot, order, ...this.safe(line), hand: make("div", "hand fan", seat.box) };
    });
  }

  /** @override @param {Picture} picture */
  draw(picture) {
    this.stock(this.middle, picture.stock);
    this.note.textContent = picture.why ? `${this.seats[picture.best].name} ${picture.won === null ? "is ahead" : "takes the trick"}: ${picture.why}` : picture.sealing ? "All choose a card" : " ";
    this.eachSeat(this.places, picture, (seat, number, its) => {
      const [card, order] = ["slot", "order"].map(its);
      seat.what.textContent = picture.leader === number ? "leads" : picture.tallest === number ? "tallest" : "";
      this.about(seat.what, picture.leader === number ? "leader" : "tallest");
      this.lay(seat.slot, [card === null ? nothing(number) : { key: `c${card}`, make: () => face(card), classes: picture.best === number ? "ring" : "" }]);
      seat.order.textContent = order === null ? " " : ordinal(order + 1);
      this.lay(seat.safeCards, this.backs(`won${number}`, its("captured"), 4));
      seat.safeText.textContent = `${its("captured")} captured`;
      this.about(seat.safeText, "captured");
      this.hand(seat.hand, number, its);
    });
  }
}

// A game without a table of its own: the observation in words.
class Plain extends Stage {
  /** @param {HTMLElement} root @param {Table} data */
  constructor(root, data) {
    super(root, data);
    this.table = make("pre", "", this.root);
    this.panels();
    this.places = this.seats.map((seat) => ({ told: make("pre", "", seat.box) }));
  }

  /** @override @param {Picture} picture */
  draw(picture) {
    this.table.replaceChildren(suited(picture.table));
    this.eachSeat(this.places, picture, ({ told }, _, its) => told.replaceChildren(suited(its("told"))));
  }
}

/** @type {Record<string, typeof Nyuri | typeof FortyOne | typeof NurMut | typeof Kleftis | typeof Hyrule>} */
const STAGES = { nyuri: Nyuri, "forty-one": FortyOne, "nur-mut": NurMut, kleftis: Kleftis, hyrule: Hyrule };

/** The table of a game, drawn in `root`. @param {HTMLElement} root @param {Table} data @returns {Stage} */
export function stageFor(root, data) {
  return new (STAGES[data.game] || Plain)(root, data);
}

/** The news of a step: the cards of its changes, and the changed places. @param {Step} step */
export function freshness(step) {
  /** @type {Set<string | number>} */
  const fresh = new Set(Object.keys(step.changed));
  for (const place in step.changed) {
    if (place.startsWith("pile.") && Array.isArray(step.changed[place])) for (const card of step.changed[place]) fresh.add(card);
  }
  return fresh;
}

/** A sentence about seats, with their names. @param {Words} say @param {string[]} names */
export function sentence(say, names) {
  return say.map((part) => (typeof part === "number" ? make("bdi", "", null, names[part]) : suited(part)));
}

/** The sentence of a step, with the tag of its moment. @param {Step} step @param {string[]} names */
export function momentOf(step, names) {
  const words = make("span", "words");
  words.append(...sentence(step.say, names));
  return step.tone ? [make("span", "tag", null, step.tone === "win" ? "moment" : step.tone), words] : [words];
}

/** Shows a moment in its tone. @param {HTMLElement} place @param {string} tone @param {Node[]} parts */
export function showMoment(place, tone, parts) {
  place.className = `moment${tone ? ` tone-${tone}` : ""}`;
  place.replaceChildren(...parts);
}

/**
 * The words of a step in the log: the action, and under it what followed from it.
 * @param {Words[]} lines @param {number} step @param {string[]} names
 */
export function logEntry(lines, step, names, number = step) {
  const entry = make("li");
  entry.dataset.step = String(step);
  lines.forEach((line, at) => make("span", at ? "line said" : "line", entry).append(at || !number ? "" : `${number}. `, ...sentence(line, names)));
  return entry;
}

/** A button that shows the explanations beside the numbers. @param {HTMLElement} button @param {HTMLElement} stage */
export function explains(button, stage) {
  const set = (/** @type {boolean} */ on) => {
    stage.parentElement?.classList.toggle("explaining", on);
    button.setAttribute("aria-pressed", String(on));
  };
  button.addEventListener("click", () => set(button.getAttribute("aria-pressed") !== "true"));
}

/**
 * Makes the cards smaller until the table and what is below it fit into a wide window, or into a slide of the projector;
 * a high one begins with large cards. The table fills what is left, so that what is below it stays in its place.
 * Returns the size of the cards.
 * @param {Stage} table @param {number} before  the size until now; 0 at first
 */
export function sizeFor(table, before) {
  const stage = table.root, wrap = stage.parentElement, seats = table.seats.length;
  stage.style.removeProperty("min-height");
  if (!wrap || innerWidth < 981 || wrap.classList.contains("explaining")) return before;
  const bottom = () => wrap.getBoundingClientRect().bottom + scrollY + 8;
  let size = before || (seats < 3 ? 1.3 : 1) * Math.max(1, Math.min(1.6, innerHeight / 720));
  for (let tries = 0; ; tries++) {
    stage.style.setProperty("--fit", String(size));
    const { top } = stage.getBoundingClientRect(), above = [...stage.children].some((each) => (each.getClientRects()[0]?.top ?? top) < top);
    const cut = above || stage.scrollHeight > stage.clientHeight || table.seats.some(({ box }) => box.scrollWidth > box.clientWidth);
    if ((bottom() <= innerHeight && !cut) || tries === 18 || size <= 0.6) break;
    size *= 0.93;
  }
  const left = innerHeight - bottom();
  if (left > 0 && !wrap.matches(".slide")) stage.style.minHeight = `${stage.offsetHeight + left}px`;
  return size;
}
