// Mini-tables: a wall of running tables. The server chooses which, and says what each shows.

import { back, face, numberFace } from "./cards.js";
import { element, find, get, make, mayMove } from "./dom.js";
import { emblemOf } from "./emblem.js";
import { sentence } from "./stage.js";
import { counted } from "./words.js";

/** @import { Group, Tile as Told } from "../data" */

const THINKS = 2; // seconds from which on a clock is shown
const RING = 2 * Math.PI * 8; // the length of the ring of progress

/** @param {number | null} code @param {string} faces */
function cardOf(code, faces) {
  if (code === null) return make("span", "none");
  if (code === 0) return back(faces === "numbers");
  return faces === "numbers" ? numberFace(code) : face(code);
}

/** A mini-table in its place. */
class Tile {
  /** @param {Element} place @param {Told} tile */
  constructor(place, tile) {
    this.key = tile.key;
    /** What it shows; null before it shows anything. @type {Told | null} */
    this.tile = null;
    this.link = make("a");
    this.link.dataset.key = tile.key;
    const head = make("span", "minihead", this.link);
    make("b", "", head, tile.title);
    this.match = make("span", "", head);
    const ring = element("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, head);
    element("circle", { cx: 10, cy: 10, r: 8 }, ring);
    this.ring = element("circle", { cx: 10, cy: 10, r: 8 }, ring);
    this.middle = make("span", "minimid", this.link);
    this.middle.setAttribute("aria-hidden", "true"); // the names and numbers follow
    /** @type {{ box: HTMLElement, fan: HTMLElement, text: HTMLElement, cards: { code: number | null, card: HTMLElement }[] }[]} */
    this.groups = [];
    /** The result. @type {HTMLElement | null} */
    this.say = null;
    const size = tile.seats.length > 4 ? " seven" : tile.seats.length > 2 ? " four" : "";
    const seats = make("span", `miniseats${size}`, this.link);
    this.seats = tile.seats.map((its) => {
      const box = make("span", "miniseat", seats);
      box.append(emblemOf(its.emblem));
      make("bdi", "", box, its.name);
      return { box, number: make("b", "", box), clock: make("i", "", box) };
    });
    const focused = place.contains(document.activeElement);
    place.replaceChildren(this.link);
    if (focused) this.link.focus();
  }

  /** @param {Told} tile */
  show(tile) {
    const fresh = !this.tile;
    this.tile = tile;
    this.link.href = tile.href;
    this.match.textContent = tile.match;
    this.ring.setAttribute("stroke-dasharray", `${tile.done * RING} ${RING}`);
    this.seats.forEach(({ box, number }, seat) => {
      box.classList.toggle("acts", tile.act === seat);
      box.classList.toggle("first", tile.first.includes(seat));
      number.textContent = String(tile.numbers[seat] ?? "");
    });
    const count = tile.middle.length;
    const widths = tile.middle.map(({ cards }) => 1.3 + (cards.length > 3 ? 0.42 : 0.62) * (cards.length - 1));
    this.middle.style.setProperty("--widths", String(widths.reduce((one, other) => one + other, 0))); // in cards
    tile.middle.forEach((group, at) => this.group(at, group, tile, fresh));
    for (const extra of this.groups.splice(count)) extra.box.remove();
    this.say?.remove();
    this.say = tile.say.length ? make("span", "minisay", this.middle) : null;
    this.say?.append(...sentence(tile.say, tile.seats.map((its) => its.name)));
    this.think();
  }

  /**
   * Cards with a text under them; a card that is new at its place comes in.
   * @param {number} at @param {Group} group @param {Told} tile @param {boolean} fresh  whether the tile is new
   */
  group(at, group, tile, fresh) {
    const shown = this.groups[at] ??= newGroup(this.middle);
    group.cards.forEach((code, number) => {
      const before = shown.cards[number];
      if (before?.code !== code) {
        const card = cardOf(code, tile.faces);
        if (before) before.card.replaceWith(card); else shown.fan.append(card);
        shown.cards[number] = { code, card };
        if (!fresh && code && mayMove()) card.animate([{ transform: "translateY(-12%)", opacity: 0 }, {}], 260);
      }
      shown.cards[number].card.classList.toggle("ring", group.ring === number);
    });
    for (const extra of shown.cards.splice(group.cards.length)) extra.card.remove();
    shown.box.className = `minigroup${group.tone ? ` tone-${group.tone}` : ""}`;
    shown.text.replaceChildren(...(group.seat === undefined ? [] : [emblemOf(tile.seats[group.seat].emblem)]), group.text && ` ${group.text}`);
  }

  /** The clock of the seat that is to act, if it thinks long. */
  think() {
    const { tile } = this;
    if (!tile) return;
    const thought = performance.now() / 1000 + skew - tile.since;
    this.seats.forEach(({ clock }, seat) => {
      const shows = tile.act === seat && thought > THINKS;
      clock.style.width = shows ? `${Math.min(100, 100 * thought / tile.limit)}%` : "0";
    });
  }
}

/** @param {HTMLElement} middle */
function newGroup(middle) {
  const box = make("span", "minigroup", middle);
  return { box, fan: make("span", "fan", box), text: make("small", "", box), cards: [] };
}

let skew = 0; // the server's clock less this one's, in seconds

/** What the places show now; null is a gap. @type {(Told | null)[]} */
let told = [];
/** The tile in each place. @type {(Tile | null)[]} */
const tiles = [];

/** @param {Element} place */
function isBusy(place) { return place.matches(":hover") || place.contains(document.activeElement); }

function draw() {
  const wall = find(HTMLElement, "[data-wall]"), list = wall && find(HTMLElement, ".wall", wall);
  if (!list) return;
  told.forEach((tile, at) => {
    const place = list.children[at] || make("li", "mini", list);
    let shown = tiles[at]?.link.parentNode === place ? tiles[at] : null;
    if ((shown?.key ?? null) !== (tile?.key ?? null)) {
      if (shown && isBusy(place)) return; // nothing moves under the pointer
      if (!tile) place.replaceChildren();
      shown = tile && new Tile(place, tile);
    }
    tiles[at] = shown;
    if (tile && shown && shown.tile !== tile) shown.show(tile);
  });
  for (let extra = list.lastElementChild; extra && list.children.length > told.length && !isBusy(extra); extra = list.lastElementChild) extra.remove();
  wall.hidden = list.children.length === 0;
}

document.addEventListener("arena-wall", ({ detail }) => {
  const before = new Map(told.flatMap((tile) => (tile ? [[tile.key, tile]] : [])));
  skew = detail.now - performance.now() / 1000;
  told = detail.tiles.map((tile) => {
    const known = tile && before.get(tile.key);
    return known && Object.keys(tile).length === 1 ? known : tile && /** @type {Told} */ ({ ...known, ...tile }); // what has changed of it
  });
  const title = find(HTMLElement, "[data-running]");
  if (title) {
    const shown = told.filter((tile) => tile?.say.length === 0).length;
    const any = told.some(Boolean);
    title.textContent = detail.running ? `${counted(detail.running, "running table")}${detail.running > shown ? `, ${shown} of them here` : ""}` : any ? "The last tables" : "No table to watch now.";
    get(HTMLElement, "#no-tables").hidden = any;
  }
  draw();
});
for (const kind of ["pointerout", "focusout"]) document.addEventListener(kind, () => setTimeout(draw));
setInterval(() => { if (document.getElementById("freeze")?.getAttribute("aria-pressed") !== "true") for (const tile of tiles) tile?.think(); }, 500);
