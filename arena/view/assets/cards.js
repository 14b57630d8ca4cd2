// Draws cards without a font: ranks are strokes, suits are paths.
// A card is the arena's number for it: 1 to 52 by suit and rank, 53 and 54 are jokers.

import { element, make } from "./dom.js";

const SUITS = "cdhs";
const SUIT_NAMES = ["clubs", "diamonds", "hearts", "spades"];
const RANKS = ["", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
/** @type {Record<string, string>} */
const RANK_NAMES = { A: "Ace", J: "Jack", Q: "Queen", K: "King" };

/** In a box of 74 by 94, pen 13.5 wide. @type {Record<string, string>} */
const STROKES = {
  A: "M8 87 37 7 66 87M19 60H55",
  1: "M16 25 40 9V87",
  2: "M10 29C10-1 64-1 64 30 64 50 12 62 10 87H66",
  3: "M11 7H62L34 38C78 36 76 87 37 87 22 87 13 80 9 70",
  4: "M50 87V7L8 63H67",
  5: "M62 7H19L14 43C44 26 67 40 66 61 64 91 20 93 8 72",
  6: "M58 9C28 10 9 36 9 60 9 96 66 96 66 62 66 33 20 32 10 58",
  7: "M8 7H66C46 32 34 58 30 87",
  8: "M37 44C4 44 4 7 37 7 70 7 70 44 37 44 2 44 2 87 37 87 72 87 72 44 37 44Z",
  9: "M16 85C46 84 65 58 65 34 65-2 8-2 8 32 8 61 54 62 64 36",
  10: "M4 22 16 9V87M52 7C28 7 28 87 52 87 76 87 76 7 52 7Z",
  J: "M30 7H64M52 7V62C52 96 12 94 11 66",
  Q: "M37 7C4 7 4 87 37 87 70 87 70 7 37 7ZM46 66 67 90",
  K: "M12 7V87M64 7 13 54M31 38 66 87",
};

/** In a box of 100 by 100. @type {Record<string, string>} */
const SHAPES = {
  h: "M50 92C18 66 5 48 5 31 5 15 17 6 29 6 39 6 47 12 50 21 53 12 61 6 71 6 83 6 95 15 95 31 95 48 82 66 50 92Z",
  d: "M50 3C58 20 72 37 88 50 72 63 58 80 50 97 42 80 28 63 12 50 28 37 42 20 50 3Z",
  s: "M50 3C58 22 95 42 95 66 95 80 84 87 74 87 65 87 58 82 54 75 55 85 58 92 65 97H35C42 92 45 85 46 75 42 82 35 87 26 87 16 87 5 80 5 66 5 42 42 22 50 3Z",
  c: "M50 3A22 22 0 0 1 69 39 23 23 0 1 1 54 72C55 84 59 92 66 97H34C41 92 45 84 46 72A23 23 0 1 1 31 39 22 22 0 0 1 50 3Z",
  star: "M50 4 61 37H96L68 58 79 92 50 71 21 92 32 58 4 37H39Z",
};

// Nur Mut: heads, as decoration. Round ears, long ears, tips, a mane, a trunk.
const HEAD = "M50 30C74 30 84 46 84 62 84 82 68 92 50 92 32 92 16 82 16 62 16 46 26 30 50 30Z";
const EYES = "M36 54a5 5 0 1 0 .1 0ZM64 54a5 5 0 1 0 .1 0Z";
const NOSE = "M43 72H57L50 80Z";
const ANIMALS = [
  ["mouse", "M4 34a20 20 0 1 0 40-4ZM56 30a20 20 0 1 0 40 4Z", EYES + NOSE],
  ["rabbit", "M26 40C12 2 30-8 42 34ZM74 40C88 2 70-8 58 34Z", EYES + NOSE],
  ["cat", "M18 52 16 10 46 32ZM82 52 84 10 54 32Z", EYES + NOSE + "M4 70 26 74 26 76ZM96 70 74 74 74 76Z"],
  ["fox", "M10 50 10 4 46 34ZM90 50 90 4 54 34Z", EYES + "M40 74H60L50 92Z"],
  ["owl", "M16 50 14 14 40 32ZM84 50 86 14 60 32Z", "M34 44a13 13 0 1 0 .1 0ZM66 44a13 13 0 1 0 .1 0ZM44 72H56L50 86Z"],
  ["dog", "M20 36C-4 36 2 84 16 80ZM80 36C104 36 98 84 84 80Z", EYES + "M40 68H60L56 78H44Z"],
  ["bear", "M12 32a14 14 0 1 0 28-4ZM60 28a14 14 0 1 0 28 4Z", EYES + "M38 70H62L54 80H46Z"],
  ["lion", "M50 12 64 20 82 20 88 38 98 54 92 72 86 90 68 94 50 100 32 94 14 90 8 72 2 54 12 38 18 20 36 20Z", EYES + NOSE],
  ["elephant", "M22 32C-10 26-6 80 20 78ZM78 32C110 26 106 80 80 78Z", EYES + "M42 70H58V99C58 106 46 106 46 99Z"],
];

/** @param {Element} svg @param {string} text @param {number} x @param {number} y @param {number} height */
function glyph(svg, text, x, y, height) {
  element("path", {
    d: STROKES[text], class: "pen", "stroke-width": 13.5,
    transform: `translate(${x} ${y}) scale(${height / 94})`,
  }, svg);
}

/** @param {Element} svg @param {string} kind @param {number} x @param {number} y @param {number} size */
function shape(svg, kind, x, y, size) {
  element("path", { d: SHAPES[kind], class: "ink", transform: `translate(${x} ${y}) scale(${size / 100})` }, svg);
}

/** @param {number} number */
function cardName(number) {
  if (number > 52) return "Joker";
  const rank = RANKS[((number - 1) % 13) + 1];
  return `${RANK_NAMES[rank] || rank} of ${SUIT_NAMES[Math.floor((number - 1) / 13)]}`;
}

/** @param {string} classes @param {string} label */
function box(classes, label) {
  const made = make("span", `card ${classes}`);
  if (label) {
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", label);
  } else made.setAttribute("aria-hidden", "true");
  return made;
}

/** @param {Element} card */
function canvas(card) {
  return element("svg", { viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" }, card);
}

/** A card of the 52, or a joker. @param {number} number */
export function face(number) {
  const joker = number > 52;
  const suit = joker ? "j" : SUITS[Math.floor((number - 1) / 13)];
  const rank = joker ? "J" : RANKS[((number - 1) % 13) + 1];
  const card = box(suit, cardName(number));
  const svg = canvas(card);
  if (joker) {
    glyph(svg, "J", 5, 8, 34);
    glyph(svg, "K", 34, 8, 34);
    shape(svg, "star", 34, 66, 58);
    return card;
  }
  glyph(svg, rank, 8, 9, 43);
  shape(svg, suit, 9, 58, 26);
  if ("JQK".includes(rank)) {
    element("path", { // the suit, cut out of a solid block
      class: "ink", "fill-rule": "evenodd", transform: "translate(40 76) scale(.54)",
      d: `M8 0H92A8 8 0 0 1 100 8V92A8 8 0 0 1 92 100H8A8 8 0 0 1 0 92V8A8 8 0 0 1 8 0Z${shrink(SHAPES[suit])}`,
    }, svg);
  } else shape(svg, suit, 42, 80, 50);
  return card;
}

/** The same path at 70 %, in the middle of its box. @param {string} path */
function shrink(path) {
  let command = "M", place = 0;
  return path.replace(/([A-Za-z])|(-?\d*\.?\d+)/g, (text, letter) => {
    if (letter) { command = letter; place = 0; return text; }
    const value = Number(text), at = place++;
    const inArc = command === "A" && at % 7 < 5;
    if (inArc && at % 7 > 1) return ` ${text}`; // angle and flags
    return ` ${inArc ? value * 0.7 : value * 0.7 + 15}`;
  });
}

export function back(brown = false) {
  return box(brown ? "backed brown" : "backed", "");
}

/** A face of Nur Mut: 1 to 9, or 10 for the joker. @param {number} number */
export function numberFace(number) {
  const joker = number === 10;
  const card = box(joker ? "j" : "a", joker ? "Joker" : `${number}`);
  const svg = canvas(card);
  if (joker) {
    glyph(svg, "J", 8, 9, 43);
    shape(svg, "star", 24, 62, 62);
    return card;
  }
  glyph(svg, String(number), 8, 9, 43);
  const [, ears, features] = ANIMALS[number - 1];
  const animal = element("g", { transform: "translate(32 72) scale(.6)" }, svg);
  element("path", { d: ears, class: "ink", opacity: ".55" }, animal);
  element("path", { d: HEAD, class: "ink", opacity: ".8" }, animal);
  element("path", { d: features, fill: "var(--face)" }, animal);
  return card;
}

/** @type {Record<string, string>} */
const SUIT_CLASSES = { "♣": "clubs", "♦": "diamonds", "♥": "hearts", "♠": "spades" };

/** A text with its suits in their colours. @param {string} text */
export function suited(text) {
  const parts = document.createDocumentFragment();
  for (const piece of text.split(/([♣♦♥♠])/)) {
    const kind = SUIT_CLASSES[piece];
    if (!kind) { parts.append(piece); continue; }
    make("span", kind, parts, piece);
  }
  return parts;
}
