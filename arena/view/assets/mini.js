// Mini-tables: a wall of running tables. The server chooses which, and says what each shows.

import { back, element, face, numberFace } from "./cards.js";
import { counted, make, sentence } from "./stage.js";

const THINKS = 2; // seconds from which on a clock is shown
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");
const RING = 2 * Math.PI * 8; // the length of the ring of progress

function emblem(its) {
  const svg = element("svg", { class: `emblem hue-${its.hue}`, viewBox: "-1 -1 7 7", "aria-hidden": "true" });
  element("path", { d: its.path }, svg);
  return svg;
}

function cardOf(code, faces) {
  if (code === null) return make("span", "none");
  if (code === 0) return back(faces === "numbers");
  return faces === "numbers" ? numberFace(code) : face(code);
}

class Tile {
  constructor(place, tile) {
    this.key = tile.key;
    this.link = make("a");
    this.link.dataset.key = tile.key;
    const head = make("span", "minihead", this.link);
    make("b", "", head, tile.title);
    this.match = make("span", "", head);
    const ring = element("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, head);
    [, this.ring] = [0, 1].map(() => element("circle", { cx: 10, cy: 10, r: 8 }, ring));
    this.middle = make("span", "minimid", this.link);
    this.middle.setAttribute("aria-hidden", "true"); // the names and numbers follow
    this.groups = [];
    const size = tile.seats.length > 4 ? " seven" : tile.seats.length > 2 ? " four" : "";
    const seats = make("span", `miniseats${size}`, this.link);
    this.seats = tile.seats.map((its) => {
      const box = make("span", "miniseat", seats);
      box.append(emblem(its));
      make("bdi", "", box, its.name);
      return { box, number: make("b", "", box), clock: make("i", "", box) };
    });
    const focused = place.contains(document.activeElement);
    place.replaceChildren(this.link);
    if (focused) this.link.focus();
  }

  show(tile) {
    const fresh = !this.tile;
    this.tile = tile;
    this.link.href = tile.href;
    this.match.textContent = tile.match;
    this.ring.setAttribute("stroke-dasharray", `${tile.done * RING} ${RING}`);
    this.seats.forEach(({ box, number }, seat) => {
      box.classList.toggle("acts", tile.act === seat);
      box.classList.toggle("first", tile.first.includes(seat));
      number.textContent = tile.numbers[seat] ?? "";
    });
    const count = tile.middle.length;
    const widths = tile.middle.map(({ cards }) => 1.3 + (cards.length > 3 ? 0.42 : 0.62) * (cards.length - 1));
    this.middle.style.setProperty("--widths", widths.reduce((one, other) => one + other, 0)); // in cards
    tile.middle.forEach((group, at) => this.group(at, group, fresh));
    for (const extra of this.groups.splice(count)) extra.box.remove();
    this.say?.remove();
    this.say = tile.say.length ? make("span", "minisay", this.middle) : null;
    this.say?.append(...sentence(tile.say, tile.seats.map((its) => its.name)));
    this.think();
  }

  // Cards with a text under them; a card that is new at its place comes in.
  group(at, group, fresh) {
    const shown = this.groups[at] ??= { box: make("span", "minigroup", this.middle), cards: [] };
    shown.fan ??= make("span", "fan", shown.box);
    shown.text ??= make("small", "", shown.box);
    group.cards.forEach((code, number) => {
      const before = shown.cards[number];
      if (before?.code !== code) {
        const card = cardOf(code, this.tile.faces);
        if (before) before.card.replaceWith(card); else shown.fan.append(card);
        shown.cards[number] = { code, card };
        if (!fresh && code && !REDUCED.matches) card.animate([{ transform: "translateY(-12%)", opacity: 0 }, {}], 260);
      }
      shown.cards[number].card.classList.toggle("ring", group.ring === number);
    });
    for (const extra of shown.cards.splice(group.cards.length)) extra.card.remove();
    shown.box.className = `minigroup${group.tone ? ` tone-${group.tone}` : ""}`;
    shown.text.replaceChildren(...(group.seat === undefined ? [] : [emblem(this.tile.seats[group.seat])]), group.text && ` ${group.text}`);
  }

  // The clock of the seat that is to act, if it thinks long.
  think() {
    this.seats.forEach(({ clock }, seat) => {
      const thought = clockNow() - this.tile.since;
      const shows = this.tile.act === seat && thought > THINKS;
      clock.style.width = shows ? `${Math.min(100, 100 * thought / this.tile.limit)}%` : "0";
    });
  }
}

let skew = 0; // the server's clock less this one's
function clockNow() { return performance.now() / 1000 + skew; }

let told = []; // what the places show now; null is a gap
const tiles = []; // the tile in each place

function isBusy(place) { return place.matches(":hover") || place.contains(document.activeElement); }

function draw() {
  const wall = document.querySelector("[data-wall]"), list = wall?.querySelector(".wall");
  if (!list) return;
  told.forEach((tile, at) => {
    const place = list.children[at] || make("li", "mini", list);
    if (tiles[at]?.link.parentNode !== place) tiles[at] = null;
    if ((tiles[at]?.key ?? null) !== (tile?.key ?? null)) {
      if (tiles[at] && isBusy(place)) return; // nothing moves under the pointer
      if (tile === null) { place.replaceChildren(); tiles[at] = null; return; }
      tiles[at] = new Tile(place, tile);
    }
    if (tile && tiles[at].tile !== tile) tiles[at].show(tile);
  });
  while (list.children.length > told.length && !isBusy(list.lastElementChild)) list.lastElementChild.remove();
  wall.hidden = list.children.length === 0;
}

document.addEventListener("arena-wall", ({ detail }) => {
  const before = new Map(told.filter(Boolean).map((tile) => [tile.key, tile]));
  skew = detail.now - performance.now() / 1000;
  told = detail.tiles.map((tile) => {
    const known = tile && before.get(tile.key);
    return known && Object.keys(tile).length === 1 ? known : tile && { ...known, ...tile }; // what has changed of it
  });
  const title = document.querySelector("[data-running]");
  if (title) {
    const shown = told.filter((tile) => tile?.say.length === 0).length;
    const tiles = told.some(Boolean);
    title.textContent = detail.running ? `${counted(detail.running, "running table")}${detail.running > shown ? `, ${shown} of them here` : ""}` : tiles ? "The last tables" : "No table to watch now.";
    document.getElementById("no-tables").hidden = tiles;
  }
  draw();
});
for (const kind of ["pointerout", "focusout"]) document.addEventListener(kind, () => setTimeout(draw));
setInterval(() => { if (document.getElementById("freeze")?.getAttribute("aria-pressed") !== "true") for (const tile of tiles) tile?.think(); }, 500);
