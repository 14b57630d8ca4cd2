// Draws a table with its cards from a picture of it. It knows no rules.

import { back, element, face, numberFace, suited } from "./cards.js";

const TRAVEL = 420;
const EASE = "cubic-bezier(.2,.7,.2,1)";

export function make(name, classes, parent, text) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (name === "button") made.type = name;
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

export function counted(count, one) { return `${count} ${one}${count === 1 ? "" : "s"}`; }

// The emblem of a bot: a hue, and a path in a box of 5 by 5.
export function emblemOf([hue, path]) {
  const svg = element("svg", { viewBox: "-1 -1 7 7", class: `emblem hue-${hue}`, "aria-hidden": "true" });
  element("path", { d: path }, svg);
  return svg;
}

function ordinal(number) { return ["1st", "2nd", "3rd"][number - 1] || `${number}th`; }

// A thing that `lay` puts into a place keeps its element while its key is the same, also in another place.
class Stage {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.cards = new Map();
    root.replaceChildren();
    this.seats = [];
    this.deal = make("div", "deal", root);
    this.build();
  }

  get count() { return this.data.seats; }

  // A panel for each seat.
  panels(columns = this.count <= 4 ? this.count : Math.ceil(this.count / 2), parent = this.root) {
    const grid = make("div", "panels", parent);
    grid.style.setProperty("--columns", columns);
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

  // Explains a number, as the picture does: as a tooltip, and beside it while the page explains.
  about(place, kind) {
    const text = place.textContent && this.abouts[kind];
    if (text) { place.title = text; place.dataset.about = text; } else { place.removeAttribute("title"); delete place.dataset.about; }
  }

  nameOf(seat) { return this.data.names[seat]; }

  // Puts cards into an element, in order. Each is {key, make, ...}; classes are set again.
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
    while (place.children.length > wanted.length) place.lastElementChild.remove();
  }

  known(numbers, classes = (number) => this.ring(number)) {
    return numbers.map((number) => ({ key: `c${number}`, make: () => face(number), classes: classes(number) }));
  }

  backs(where, count, most = 5) {
    return Array.from({ length: Math.min(count, most) }, (_, at) => ({ key: `${where}#${at}`, make: () => back() }));
  }

  // A hand: a fan, by suit if it is long; backs and a number if it is hidden.
  hand(place, seat, its, classes) {
    const [cards, count] = ["hand", "count"].map(its);
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
    while (place.children.length > suits.length) place.lastElementChild.remove();
    suits.forEach((part, at) => {
      place.children[at].className = `fan ${fanned(part.length)}`;
      this.lay(place.children[at], this.known(part, classes));
    });
  }

  // A seat's cards that nobody can take.
  safe(seat, parent) {
    const box = make("div", "safe", parent);
    seat.safeCards = make("div", "fan", box);
    seat.safeText = make("span", "", box);
  }

  stock(place, count) {
    if (!place.firstChild) { make("div", "stock", place).dataset.place = "stock"; make("div", "stocktext", place); }
    this.lay(place.firstChild, this.backs("stock", count, 3));
    place.lastChild.textContent = count ? `${counted(count, "card")} in the stock` : "the stock is empty";
    this.about(place.lastChild, "stock");
  }

  // Shows a picture. `move`: the milliseconds that cards travel. `tone`: the moment's.
  // `places`: the places of the seats, at the end.
  show(picture, { move = 0, fresh = new Set(), tone = "", places = null } = {}) {
    const before = new Map();
    if (move) for (const [key, card] of this.cards) if (card.isConnected) before.set(key, card.getBoundingClientRect());
    this.used = new Set();
    this.fresh = fresh;
    this.abouts = picture.about || {};
    this.deal.textContent = picture.deal ? `${picture.deal} · ${picture.scores.map((score, seat) => `${this.nameOf(seat)} ${score}`).join(", ")}` : "";
    this.about(this.deal, "deal");
    this.root.dataset.tone = tone;
    this.root.className = `stage${tone ? ` tone-${tone}` : ""}`;
    this.seats.forEach((seat, number) => {
      const acts = picture.act === number;
      seat.box.classList.toggle("acts", acts);
      const place = places?.[number];
      seat.box.classList.toggle("won", place === 1);
      seat.acts.textContent = place === 1 && places.filter((each) => each === 1).length === 1 ? "wins" : place ? ordinal(place) : acts ? "to act" : "";
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
        card.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 5 }, { transform: "none", zIndex: 5 }], { duration: Math.min(move, TRAVEL), easing: EASE });
      }
    }
  }

  // Draws each seat, with its part of the picture.
  eachSeat(picture, draw) {
    this.seats.forEach((seat, number) => draw(seat, number, (place) => picture[`${place}.${number}`]));
  }

  // The class of a card or a place that is new.
  ring(fresh) { return this.fresh.has(fresh) ? "ring" : ""; }
}

function fanned(count) { return count > 13 ? "most" : count > 8 ? "many" : ""; }

class Nyuri extends Stage {
  build() {
    const onScreen = document.documentElement.classList.contains("screen"); // wide, and nothing scrolls
    const columns = this.count > 4 ? 3 : onScreen ? this.count : 2;
    const top = make("div", "row", this.root);
    this.middle = make("div", "middle", top);
    this.claims = make("div", "claims", this.root);
    this.panels(columns);
    for (const seat of this.seats) {
      const line = make("div", "line", seat.box);
      seat.pile = make("div", "pilecards", line);
      seat.pile.setAttribute("role", "group");
      seat.pile.dataset.place = `pile.${this.seats.indexOf(seat)}`;
      seat.worth = make("span", "value", line);
      seat.hand = make("div", "hand fan", seat.box);
    }
  }

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
    const claimed = new Set(picture.claims.flatMap((claim) => claim.cards));
    this.eachSeat(picture, (seat, number, its) => {
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

function nothing(seat) {
  const none = () => {
    const place = make("span", "none");
    place.setAttribute("aria-hidden", "true");
    return place;
  };
  return { key: `none${seat}`, make: none };
}

class FortyOne extends Stage {
  build() {
    const top = make("div", "row", this.root);
    this.middle = make("div", "middle", top);
    const side = make("div", "middle", top);
    this.discards = make("div", "line", side);
    this.discards.dataset.place = "discards";
    this.discardText = make("div", "", side);
    this.panels([3, 5, 6].includes(this.count) ? 3 : 2);
    for (const seat of this.seats) {
      const line = make("div", "line", seat.box);
      seat.hand = make("div", "hand fan", line);
      seat.score = make("span", "value", line);
      seat.hand.style.setProperty("--w", "clamp(28px, 5cqi, 84px)");
    }
  }

  draw(picture) {
    this.stock(this.middle, picture.stock);
    const last = picture.discards.length - 1;
    this.lay(this.discards, picture.discards.map((each, at) => each.taken
      ? { key: `ghost${each.card}.${at}`, make: () => face(each.card), classes: "ghost" }
      : { key: `c${each.card}`, make: () => face(each.card), classes: at === last && picture.takable ? "ring" : "" }));
    this.discardText.textContent = picture.discards.length ? (picture.takable ? "the last discard may be taken" : "discards") : "no discards yet";
    this.eachSeat(picture, (seat, number, its) => {
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
  build() {
    const row = make("div", "row", this.root);
    this.piles = [0, 1, 2].map((pile) => {
      const box = make("div", "bigpile", row);
      box.setAttribute("role", "group");
      box.dataset.place = `pile.${pile}`;
      return { box, card: make("div", "", box), text: make("div", "", box), fits: make("div", "dim", box), pile };
    });
    this.panels();
    for (const seat of this.seats) {
      const line = make("div", "line", seat.box);
      seat.top = make("div", "", line);
      seat.top.dataset.place = `top.${this.seats.indexOf(seat)}`;
      seat.left = make("span", "value", line);
      seat.lower = make("span", "", line);
    }
  }

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
    this.eachSeat(picture, (seat, number, its) => {
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
  build() {
    this.middle = make("div", "middle side", this.root);
    this.panels(1);
    for (const seat of this.seats) {
      const lane = make("div", "lane", seat.box);
      seat.groups = make("div", "groups", lane);
      seat.groups.dataset.place = `groups.${this.seats.indexOf(seat)}`;
      const line = make("div", "line", lane);
      this.safe(seat, line);
      seat.hand = make("div", "hand fan", line);
      seat.boxes = new Map();
    }
  }

  draw(picture) {
    this.stock(this.middle, picture.stock);
    this.eachSeat(picture, (seat, number, its) => {
      seat.what.textContent = `${its("count")} in hand · ${counted(its("points"), "point")} as it lies`;
      this.about(seat.what, "points");
      const groups = its("groups");
      const wanted = groups.map((group, at) => {
        let box = seat.boxes.get(group.group);
        if (!box) {
          box = make("div", "group");
          box.fan = make("div", "fan", box);
          box.text = make("span", "tagline", box);
          box.setAttribute("role", "group");
          box.dataset.place = `group.${group.group}`;
          seat.boxes.set(group.group, box);
        }
        const stolen = group.from === null ? "" : " stolen";
        box.className = `group${stolen}`;
        box.setAttribute("aria-label", `group ${group.group}`);
        box.fan.className = `fan ${fanned(group.cards.length)}`;
        this.lay(box.fan, this.known(group.cards));
        box.text.textContent = stolen ? `stolen from ${this.nameOf(group.from)}` : `${group.group}${group.touched ? " just touched" : ""}`;
        if (!at) this.about(box.text, "group");
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

class Hyrule extends Stage {
  build() {
    const top = make("div", "middle side", this.root);
    this.middle = make("div", "middle side", top);
    this.note = make("div", "", top);
    this.panels();
    for (const seat of this.seats) {
      const column = make("div", "slotcol", seat.box);
      seat.slot = make("div", "", column);
      seat.slot.dataset.place = `slot.${this.seats.indexOf(seat)}`;
      seat.order = make("div", "dim", column);
      const line = make("div", "line", seat.box);
      this.safe(seat, line);
      seat.hand = make("div", "hand fan", seat.box);
    }
  }

  draw(picture) {
    this.stock(this.middle, picture.stock);
    this.note.textContent = picture.why ? `${this.seats[picture.best].name} ${picture.won === null ? "is ahead" : "takes the trick"}: ${picture.why}` : picture.sealing ? "All choose a card" : " ";
    this.eachSeat(picture, (seat, number, its) => {
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
  build() {
    this.table = make("pre", "", this.root);
    this.panels();
    for (const seat of this.seats) seat.told = make("pre", "", seat.box);
  }

  draw(picture) {
    this.table.replaceChildren(suited(picture.table));
    this.eachSeat(picture, (seat, number, its) => seat.told.replaceChildren(suited(its("told"))));
  }
}

const STAGES = { nyuri: Nyuri, "forty-one": FortyOne, "nur-mut": NurMut, kleftis: Kleftis, hyrule: Hyrule };

export function stageFor(root, data) {
  return new (STAGES[data.game] || Plain)(root, data);
}

// The news of a step: the cards of its changes, and the changed places.
export function freshness(step) {
  const fresh = new Set(Object.keys(step.changed));
  for (const place in step.changed) {
    if (place.startsWith("pile.") && Array.isArray(step.changed[place])) step.changed[place].forEach((card) => fresh.add(card));
  }
  return fresh;
}

// A sentence about seats, with their names.
export function sentence(say, names) {
  return say.map((part) => (typeof part === "number" ? make("bdi", "", null, names[part]) : suited(part)));
}

// The sentence of a step, with the tag of its moment.
export function momentOf(step, names) {
  const words = make("span", "words");
  words.append(...sentence(step.say, names));
  return step.tone ? [make("span", "tag", null, step.tone === "win" ? "moment" : step.tone), words] : [words];
}

// The words of a step in the log: the action, and under it what followed from it.
export function logEntry(lines, step, names, number = step) {
  const entry = make("li");
  entry.dataset.step = step;
  lines.forEach((line, at) => make("span", at ? "line said" : "line", entry).append(at || !number ? "" : `${number}. `, ...sentence(line, names)));
  return entry;
}

// A button that shows the explanations beside the numbers.
export function explains(button, stage) {
  const set = (on) => {
    stage.parentElement.classList.toggle("explaining", on);
    button.setAttribute("aria-pressed", String(on));
  };
  button.addEventListener("click", () => set(button.getAttribute("aria-pressed") !== "true"));
}
