// A person's seat: the person plays with the cards, or by a list of all moves.
// An action has cards and places (its tokens). Picked tokens leave the actions that have all of them.

import { back, face, numberFace } from "./cards.js";
import { around, find, findAll, get, make } from "./dom.js";
import { emblemOf } from "./emblem.js";
import { showHowTo } from "./how_to.js";
import { drawScores } from "./scores.js";
import { explains, sentence, stageFor, travelTime } from "./stage.js";
import { Watching } from "./watch.js";
import { span } from "./words.js";

/** @import { End, FirstSteps, Seated, SeatNow, Step, Turn, Words } from "../../view/data" */
/** @import { Stage } from "./stage.js" */

/** @typedef {number | string} Token A card, or a place. */

const SHOWN = 60; // moves listed at once
const AT_PLACE = 8; // moves offered at a place
const BESIDE = 5; // moves offered beside the main button
const SINCE = 12; // lines of events
const TOLD = 3; // events said with a new turn
const DRAG = 8; // pixels
const LARGE = 2; // the largest cards, where there is room
const END = 999999; // a step after the last
/** @type {Record<string, string>} */
const LETTERS = { "♣": "c", "♦": "d", "♥": "h", "♠": "s" };
const root = get(HTMLElement, ".seat");
const part = {
  clock: get(HTMLElement, "#clock"),
  note: get(HTMLElement, "#note"),
  send: get(HTMLButtonElement, "#send"),
  back: get(HTMLButtonElement, "#back"),
  all: get(HTMLButtonElement, "#all"),
  timeout: get(HTMLElement, "#timeout"),
  moves: get(HTMLDialogElement, "#moves"),
  find: get(HTMLInputElement, "#find"),
  close: get(HTMLButtonElement, "#close"),
  winner: get(HTMLElement, "#winner"),
  hands: get(HTMLAnchorElement, "#hands"),
  again: find(HTMLButtonElement, "#again"), // in a friendly game
};
const [stage, spots, tray, hand, bar, choices, since, before, against, moment, ending] = [".stage", ".spots", ".tray", ".myhand", ".tray .confirm", ".choices", ".since", ".before", ".against", ".moment", ".ending"].map((each) => get(HTMLElement, each, root));
const place = find(HTMLElement, ".where .table", root); // not in a friendly game
const happened = get(HTMLElement, "ol", since);
const title = document.title;

/** The person's table. @type {Seated | null} */
let table = null;
/** The same, drawn. @type {Stage | null} */
let board = null;
/** The open turn. @type {Turn | null} */
let turn = null;
/** The open turn whose answer is on its way. @type {Turn | null} */
let sent = null;
/** @type {string[]} */
let names = [];
/** Cards and places. @type {Set<Token>} */
let picked = new Set();
/** The place at which moves are offered. @type {string | null} */
let open = null;
/** The action of the main button. @type {number | null} */
let main = null;
/** The tokens in the hand. @type {Token[]} */
let shown = [];
let due = 0;
let warned = 0;
/** The cards of the last action. @type {number[]} */
let played = [];
/** The running table, between two turns. @type {Between | null} */
let between = null;
/** What is dragged, while the pointer is down. @type {Drag | null} */
let drag = null;
let fitted = LARGE;
let charted = false; // whether the scores of the game that is over were drawn
/** What the buttons of the hand stand for. @type {WeakMap<Element, Token>} */
const tokenOf = new WeakMap();

/** The table as an onlooker sees it, while the others play. */
class Between extends Watching {
  /** @param {number} number @param {Stage} board */
  constructor(number, board) {
    super(root, number);
    this.board = board;
  }

  /** Takes the person's own table. @override @param {FirstSteps} _news */
  begin(_news) { return { table: this.board, names }; }

  /** Whether there is something else to show: the person's turn, or the next game. */
  get late() { return turn !== null || this.board !== board; }

  /** @override @param {Step} step @param {boolean} moving */
  draw(step, moving) {
    if (this.late) return;
    super.draw(step, moving);
    stage.hidden = false;
    moment.hidden = !ending.hidden;
    if (!ending.hidden) return;
    part.note.textContent = "";
    const acts = this.shown?.picture.act;
    part.clock.textContent = typeof acts === "number" && acts !== table?.seat ? `Waiting for ${names[acts]}` : waiting();
  }

  /** @override @param {Step} step */
  write(step) { if (!this.late) tell([step.say]); }
}

// Where the person sits now, if it is another seat than in the game before.
function moved() { return !table?.swapped ? "" : names.length === 2 ? "The seats are swapped. " : "You sit one seat further. "; }

function waiting() { return names.length === 2 && table ? `Waiting for ${names[1 - table.seat]}` : "Waiting for the other bots"; }

const GONE = "You no longer sit here: load the page again.";
const stream = new EventSource("/seat/events");
stream.addEventListener("seat", (event) => hear(JSON.parse(event.data)));
stream.addEventListener("table", (event) => {
  /** @type {[number: number, count: number, key: string] | null} */
  const seen = JSON.parse(event.data);
  if (!seen || !board) { between?.reach(-1); between = null; return; } // to its end
  const [number, count, key] = seen;
  if (between?.number !== number || between.board !== board) between = new Between(number, board);
  between.reach(count);
  const [match, , game] = key.split("/");
  if (place) place.textContent = ` · table ${number}, game ${match} · ${game}`;
});
stream.onerror = () => note(stream.readyState === EventSource.CLOSED ? GONE : "Connection lost; trying again.");

/** @param {SeatNow} now */
function hear(now) {
  if (!now.table.title) table = board = null;
  else if (!table || JSON.stringify(table) !== JSON.stringify(now.table)) {
    table = /** @type {Seated} */ (now.table);
    sitDown(table, now);
  }
  if (now.turn.actions) take(/** @type {Turn} */ (now.turn));
  else rest(now);
  finish(now.last);
}

/** Lays another table. @param {Seated} table @param {SeatNow} now */
function sitDown(table, now) {
  names = table.names.map((name, seat) => (seat === table.seat ? now.entrant : name));
  const others = names.flatMap((_, seat) => (seat === table.seat ? [] : [", ", seat])).slice(1);
  against.replaceChildren(`plays ${table.title} against `, ...sentence(others, names), table.swapped ? `; ${moved().slice(0, -2).toLowerCase()}` : "");
  if (place) place.textContent = "";
  stage.dataset.game = table.game;
  stage.replaceChildren();
  board = stageFor(stage, { game: table.game, seats: table.seats, names, emblems: table.emblems });
  board.seats[table.seat].box.classList.add("own");
  columns(table);
  stage.hidden = true;
  fitted = LARGE;
  showHowTo(table.game);
  for (const each of [tray, since, moment]) each.hidden = true;
  played = [];
  shown = [];
  const last = now.before;
  before.replaceChildren(...(last.say ? ["The game before: ", ...sentence(last.say, last.names), `. ${last.own}. `] : []));
  if (last.say) make("a", "", before, "See how it went").href = "/seat/last";
}

/** @param {Turn} news */
function take(news) {
  const fresh = !turn || turn.turn !== news.turn;
  due = Date.now() + news.left * 1000;
  if (!fresh) return;
  const begins = tray.hidden;
  turn = news;
  sent = null;
  root.dataset.turn = String(news.turn);
  warned = 0;
  board?.show(news.picture, { move: stage.hidden ? 0 : travelTime() });
  stage.hidden = tray.hidden = false;
  happened.replaceChildren();
  tell(news.events);
  moment.hidden = true;
  played = [];
  tray.classList.remove("resting");
  showHand(news);
  fit();
  takeBack();
  if (document.activeElement === document.body) find(HTMLElement, ".pick", hand)?.focus({ preventScroll: true });
  part.timeout.replaceChildren("If your time runs out: ", ...sentence(news.actions[0].say, names), ".");
  part.note.replaceChildren();
  make("span", "told", part.note).append(`${begins ? moved() : ""}Your move. `, ...(begins ? [] : news.events.slice(-TOLD)).flatMap((event) => [...sentence(event, names), ". "]));
  document.title = `Your move · ${title}`;
  tick();
}

/** @param {Words[]} events */
function tell(events) {
  for (const event of events) make("li", "", happened).append(...sentence(event, names));
  while (!turn && happened.children.length > SINCE) happened.firstElementChild?.remove();
  since.hidden = !happened.children.length && !before.firstChild;
  happened.scrollTop = happened.scrollHeight;
}

/** The buttons of the hand. */
function picks() { return findAll(HTMLButtonElement, ".pick", hand); }

/** What a button of the hand stands for. @param {Element} button @returns {Token} */
function token(button) { return tokenOf.get(button) ?? ""; }

/** @param {SeatNow} now */
function rest(now) {
  if (turn) happened.replaceChildren();
  turn = null;
  root.dataset.turn = "";
  takeBack();
  for (const button of picks()) button.hidden = played.some((card) => card === token(button));
  tray.classList.add("resting");
  for (const seat of board?.seats ?? []) {
    seat.box.classList.remove("acts");
    seat.acts.textContent = "";
  }
  document.title = title;
  const last = now.last, ended = last.kind === "end";
  part.clock.textContent = now.over || ended ? "Game over" : table ? waiting() : "Your seat";
  part.clock.className = "clock";
  if (now.over) note(now.over);
  else if (ended) note(part.again ? "" : "The next game begins by itself.");
  else if (last.kind === "void") note("The game is void, because the referee stood still. It is played again.");
  else if (last.kind === "late") note("Too late: your time ran out, and the first move was played for you.");
  else if (now.said) note(now.said);
  else if (table) note("");
  else note(part.again ? "The bots are starting." : "You are in. The first game begins by itself.");
}

/** @param {string} text */
function note(text) { part.note.textContent = text; }

/** The end of the game: who won, how, and what to do now. @param {SeatNow["last"]} last */
function finish(last) {
  const over = last.kind === "end" && table !== null;
  root.classList.toggle("ended", over);
  ending.hidden = !over;
  if (over) tellEnd(/** @type {End} */ (last), /** @type {Seated} */ (table));
  else charted = false;
}

/** @param {End} last @param {Seated} table */
function tellEnd(last, { emblems }) {
  tray.hidden = true;
  if (part.again) { part.again.hidden = !last.replay; part.again.textContent = names.length === 2 ? "Play again, seats swapped" : "Play again, one seat further"; }
  const how = last.ending;
  part.winner.replaceChildren(...sentence(how?.sentence || [...last.say, "."], names));
  get(HTMLElement, ".own", ending).replaceChildren(how || last.say[0] !== "You" ? `${last.own}. ` : "", ...(how ? sentence(how.why, names) : []));
  const order = names.map((_, seat) => seat).sort((one, other) => last.places[one] - last.places[other]);
  get(HTMLElement, ".faces", ending).replaceChildren(...names.flatMap((_, seat) => (last.places[seat] === 1 ? [emblemOf(emblems[seat])] : [])));
  get(HTMLElement, ".places", ending).replaceChildren(...order.map((seat) => {
    const row = make("li", last.places[seat] === 1 ? "first" : "");
    make("span", "dim", row, `${last.places[seat]}.`);
    row.append(emblemOf(emblems[seat]));
    make("bdi", "", row, names[seat]);
    make("span", "n", row, last.points[seat] * (how?.sign || 1) || 0);
    return row;
  }));
  part.hands.hidden = part.again !== null && !last.replay;
  if (last.replay) part.hands.href = `${last.replay}?view=all&at=${END}`;
  if (how && !charted) {
    charted = true;
    const scores = get(HTMLElement, ".scores", ending), atStep = (/** @type {number} */ step) => `${last.replay}?view=all&at=${step}`;
    const drawn = drawScores(scores, { ending: how, names, emblems, places: last.places }, (step) => { location.href = atStep(step); });
    drawn?.show(drawn.last);
    if (drawn && how.marked !== null) make("a", "", scores, how.mark).href = atStep(how.marked);
  }
  moment.hidden = true;
  if (!part.note.textContent) make("span", "sr", part.note, `${part.winner.textContent} ${last.own}`);
}

// Makes the cards smaller until the table ends above the hand, or beside it. On a phone held upright the page scrolls.
function fit() {
  const wide = innerWidth > 980, flat = innerHeight < 521;
  if (!wide && !flat) fitted = 1;
  for (;;) {
    stage.style.setProperty("--fit", String(fitted));
    const limit = flat ? innerHeight : tray.getBoundingClientRect().top;
    const over = stage.getBoundingClientRect().bottom > limit - 4 || stage.scrollWidth > stage.clientWidth;
    if (!over || !(wide || flat) || fitted < 0.6) return;
    fitted -= 0.1;
  }
}

/** The panels beside each other on wide screens, as many as there is room for. @param {Seated} table */
function columns({ seats, game }) {
  const most = game === "kleftis" ? (seats > 2 ? 2 : 1) : seats > 4 ? 3 : seats;
  if (innerWidth > 980) find(HTMLElement, ".panels", stage)?.style.setProperty("--columns", String(most));
}

/** The hand: one tab stop, arrows, Space. Cards on the table that a move uses from there lie in it too. @param {Turn} turn */
function showHand({ picture, actions }) {
  /** @type {number[]} */
  const cards = picture[`hand.${table?.seat}`] || [];
  const had = new Set(shown), lying = [...new Set(actions.flatMap((action) => action.cards))].filter((card) => !cards.includes(card));
  const deck = `top.${table?.seat}`, top = picture[deck];
  /** @param {Token} which @param {number} at */
  const buttonOf = (which, at) => {
    const button = make("button", "pick");
    tokenOf.set(button, which);
    button.tabIndex = at ? -1 : 0;
    button.append(typeof which === "number" ? face(which) : top ? numberFace(top) : back(true));
    if (which === deck) make("span", "sr", button, top ? " on your deck" : "the top card of your deck");
    if (lying.some((card) => card === which)) { button.classList.add("lying"); make("span", "sr", button, " in your pile"); }
    if (had.size && which !== deck && !had.has(which)) button.classList.add("drawn");
    button.addEventListener("click", () => { if (drag?.ghost) drag = null; else pick(which); });
    return button;
  };
  shown = [...cards, ...lying, ...(picture[`left.${table?.seat}`] ? [deck] : [])];
  hand.hidden = !shown.length;
  hand.replaceChildren(...shown.map(buttonOf));
}

hand.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Enter" && main !== null) { event.preventDefault(); event.stopPropagation(); send(main); }
  if (!by) return;
  const all = picks(), at = all.findIndex((each) => each === document.activeElement);
  const next = all[(at + by + all.length) % all.length];
  for (const each of all) each.tabIndex = each === next ? 0 : -1;
  next.focus();
  event.preventDefault();
});

/** The actions of the open turn. */
function actions() { return turn?.actions ?? []; }

/** @param {number} index @returns {Token[]} */
function tokens(index) { const action = actions()[index]; return [...action.cards, ...action.targets]; }

/** How many cards are picked. */
function cardsPicked() { return [...picked].filter((each) => typeof each === "number").length; }

/** The actions that have all picks. */
function fitting(picks = picked) {
  return actions().map((_, index) => index).filter((index) => { const has = tokens(index); return [...picks].every((each) => has.includes(each)); });
}

/** Those of them that need no other card. @param {number[]} found */
function exactly(found) { return found.filter((index) => actions()[index].cards.length === cardsPicked()); }

/** Picks a token, or puts it back. What does not go with it is put back. @param {Token} which */
function pick(which) {
  if (!turn) return;
  if (picked.has(which)) picked.delete(which);
  else picked = [new Set(picked).add(which), new Set([which])].find((each) => fitting(each).length) ?? picked;
  if (open && !picked.has(open)) open = null;
  list();
}

/** A place was tapped, or cards were dropped on it: plays the move if it is the only one. @param {string} where */
function touch(where) {
  let found = fitting().filter((index) => actions()[index].targets.includes(where));
  const exact = exactly(found);
  if (cardsPicked() && exact.length) found = exact;
  if (found.length === 1 && exact.length === 1) { send(found[0]); return; }
  if (picked.has(where) && open === where) { picked.delete(where); open = null; }
  else if (found.length === 1) for (const each of tokens(found[0])) picked.add(each); // the cards rise, to be confirmed
  else { picked.add(where); open = where; }
  list();
  find(HTMLElement, ".atplace button", spots)?.focus({ preventScroll: true });
}

/** A button that plays an action. @param {number} index @param {Element | null} parent */
function moveButton(index, parent, classes = "control") {
  const button = make("button", classes, parent);
  make("span", "", button).append(...sentence(actions()[index].say, names));
  button.addEventListener("click", () => send(index));
  return button;
}

/** Shows what the picks mean: the cards, the places, the buttons. */
function list() {
  const found = fitting(), exact = exactly(found);
  const whole = [...picked].some((each) => !shown.includes(each)) ? exact.filter((index) => tokens(index).length === picked.size) : [];
  main = !picked.size && found.length > 1 ? null : exact.length === 1 ? exact[0] : whole.length === 1 ? whole[0] : found.length === 1 ? found[0] : null;
  for (const button of picks()) {
    button.setAttribute("aria-pressed", String(picked.has(token(button))));
    const uses = (/** @type {number} */ index) => tokens(index).includes(token(button));
    button.setAttribute("aria-disabled", String(turn !== null && !actions().some((_, index) => uses(index))));
    button.classList.toggle("apart", picked.size > 0 && !found.some(uses));
  }
  for (const each of findAll(HTMLElement, ".beside", bar)) each.remove();
  const beside = exact.filter((index) => index !== main);
  if (beside.length <= BESIDE) for (const index of beside) part.send.before(moveButton(index, null, "control beside"));
  part.send.disabled = main === null;
  part.back.hidden = !picked.size;
  part.all.hidden = !turn;
  part.all.textContent = turn ? `All ${turn.actions.length} moves` : "";
  part.send.hidden = main === null && beside.length > 0 && beside.length <= BESIDE;
  if (main !== null) {
    part.send.replaceChildren();
    make("span", "", part.send).append(...sentence(actions()[main].say, names));
  } else part.send.textContent = !turn ? "The others play" : !picked.size ? turn.asks || "Pick a card or a place" : beside.length ? "Choose where it goes" : "Add a card";
  light(found);
}

/** Lights the places of the remaining moves, and offers those of one place as buttons. @param {number[]} found */
function light(found) {
  const lit = new Set(found.flatMap((index) => actions()[index].targets));
  const focused = spots.contains(document.activeElement) && document.activeElement?.getAttribute("data-spot");
  spots.replaceChildren();
  spots.classList.toggle("picking", picked.size > 0);
  const area = spots.getBoundingClientRect();
  const boxes = findAll(HTMLElement, "[data-place]", stage).flatMap((each) => {
    const where = each.dataset.place ?? "", box = each.getBoundingClientRect();
    if (!lit.has(where) || shown.includes(where)) return [];
    const width = Math.max(44, box.width + 8), height = Math.max(44, box.height + 8);
    return [{ each, where, width, height, left: box.left - area.left + (box.width - width) / 2, top: box.top - area.top + (box.height - height) / 2 }];
  }).sort((one, other) => other.width * other.height - one.width * one.height); // the small above the large
  for (const { each, where, width, height, left, top } of boxes) {
    const spot = make("button", "spot", spots);
    const here = found.filter((index) => actions()[index].targets.includes(where));
    const verbs = [...new Set(here.map((index) => actions()[index].verb))].join(" or ");
    spot.dataset.spot = where;
    Object.assign(spot.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    make("span", "verb", spot, verbs).setAttribute("aria-hidden", "true");
    spot.setAttribute("aria-pressed", String(picked.has(where)));
    spot.setAttribute("aria-label", here.length === 1 ? words(here[0]) : `${verbs}, ${here.length} moves: ${each.getAttribute("aria-label") || names[Number(where.split(".")[1])] || where}`);
    spot.addEventListener("click", () => touch(where));
    if (where === focused) spot.focus({ preventScroll: true });
  }
  const at = boxes.find(({ where }) => where === open);
  if (!at) { open = null; return; }
  const offer = make("div", "atplace", spots);
  offer.setAttribute("role", "group");
  offer.setAttribute("aria-label", "What to do here");
  for (const index of found.slice(0, found.length > AT_PLACE ? AT_PLACE - 1 : AT_PLACE)) moveButton(index, offer);
  if (found.length > AT_PLACE) make("button", "control", offer, `All ${found.length} moves here`).addEventListener("click", showAll);
  const size = offer.getBoundingClientRect(), limit = tray.getBoundingClientRect(); // in sight: above the tray, or beside it
  const lowest = (limit.top > size.height ? limit.top : innerHeight) - area.top - size.height - 8;
  offer.style.left = `${Math.max(0, Math.min(at.left, area.width - size.width))}px`;
  offer.style.top = `${Math.max(-area.top, Math.min(at.top + at.height + 6, lowest))}px`;
}

/** An action in words. @param {number} index */
function words(index) { return actions()[index].say.map((each) => (typeof each === "number" ? names[each] : each)).join(""); }

new ResizeObserver(() => { if (turn && !drag) list(); }).observe(stage);
addEventListener("resize", () => { fitted = LARGE; fit(); });
explains(get(HTMLElement, ".ask", root), stage);

/**
 * What is dragged: a card of the hand, from where, in which turn, and what was picked before. `ghost`: the cards that
 * follow the pointer, once it has moved. `done`: it was dropped, and the click that may follow is none.
 * @typedef {{ which: Token, x: number, y: number, turn: Turn, kept: Set<Token>, ghost: HTMLElement | null, done: boolean }} Drag
 */

hand.addEventListener("pointerdown", (event) => {
  const button = around(HTMLButtonElement, ".pick", event);
  drag = turn && button && event.button === 0 ? { which: token(button), x: event.clientX, y: event.clientY, turn, kept: picked, ghost: null, done: false } : null;
});
addEventListener("pointermove", (event) => {
  if (!drag || drag.done) return;
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG || !turn) return;
    drag.kept = new Set(picked);
    drag.turn = turn;
    if (!picked.has(drag.which)) pick(drag.which);
    drag.ghost = make("div", "ghosts fan", document.body);
    for (const each of hand.querySelectorAll("[aria-pressed=true] .card")) drag.ghost.append(each.cloneNode(true));
  }
  drag.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
  const over = spotAt(event);
  for (const spot of findAll(HTMLElement, ".spot", spots)) spot.classList.toggle("over", spot === over);
});
/** The place under the pointer. @param {PointerEvent} event */
function spotAt(event) {
  const found = document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.classList.contains("spot"));
  return found instanceof HTMLElement ? found : null;
}
/** @param {PointerEvent} event */
function drop(event) {
  if (!drag || drag.done) return;
  if (!drag.ghost) { drag = null; return; }
  drag.ghost.remove();
  drag.done = true;
  const { kept } = drag, same = turn !== null && turn === drag.turn, where = same && event.type === "pointerup" ? spotAt(event)?.dataset.spot : "";
  setTimeout(() => { drag = null; });
  if (where) touch(where);
  else if (same) { picked = kept; list(); }
}
addEventListener("pointerup", drop);
addEventListener("pointercancel", drop);
hand.addEventListener("dragstart", (event) => event.preventDefault());

/** Plays an action. @param {number} index */
async function send(index) {
  if (!turn || sent) return;
  const asked = sent = turn;
  part.send.disabled = true;
  part.moves.close();
  spots.replaceChildren();
  root.dataset.turn = "";
  played = asked.actions[index].cards;
  const body = new URLSearchParams({ turn: String(asked.turn), action: String(index) });
  try {
    const answer = await fetch("/seat/play", { method: "POST", body });
    if (answer.ok) return;
    note(answer.status === 409 ? "That came too late." : GONE);
  } catch { note("Not sent; try again."); }
  played = [];
  if (turn !== asked) return;
  sent = null;
  root.dataset.turn = String(asked.turn);
  list();
}

function takeBack() {
  picked = new Set();
  open = null;
  if (!turn) part.moves.close();
  list();
}

// The list of all moves, in words: those that fit the picks, filtered by typing.
function showAll() {
  if (!turn) return;
  part.find.value = "";
  listAll();
  part.moves.showModal();
  part.find.focus();
}

/** @param {string} text */
function plain(text) { return text.toLowerCase().replace(/[♣♦♥♠]/g, (suit) => LETTERS[suit]).replace(/[^0-9a-z ]/g, " "); }

/** The moves that were typed: by their number, or by words. */
function matches() {
  const typed = part.find.value.trim(), number = Number(typed) - 1;
  if (actions()[number]) return [number];
  const wanted = plain(typed).split(/\s+/).filter(Boolean);
  return fitting().filter((index) => {
    const has = plain(words(index)).split(/\s+/);
    return wanted.every((word) => has.some((each) => each.startsWith(word)));
  });
}

function listAll() {
  const found = matches();
  choices.replaceChildren(...found.slice(0, SHOWN).map((index) => {
    const row = make("li"), button = moveButton(index, row);
    button.prepend(make("span", "dim", null, index + 1));
    return row;
  }));
  if (found.length > SHOWN) make("li", "dim", choices, `and ${found.length - SHOWN} more: pick cards, or type words`);
  if (!found.length) make("li", "dim", choices, "No move is like that.");
}

part.all.addEventListener("click", showAll);
part.close.addEventListener("click", () => part.moves.close());
part.send.addEventListener("click", () => { if (main !== null) send(main); });
part.back.addEventListener("click", takeBack);
part.find.addEventListener("input", listAll);
part.find.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const found = matches();
  if (found.length === 1) send(found[0]); else find(HTMLElement, "button", choices)?.focus();
});
addEventListener("keydown", (event) => {
  if (!turn || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open], :popover-open")) return;
  const key = event.key.toLowerCase(), lit = findAll(HTMLElement, ".spot", spots);
  if (key === "escape") takeBack();
  else if (key === "m") showAll();
  else if (key === "r") get(HTMLElement, ".how", root).click();
  else if (key === "t" && lit.length) lit[(lit.findIndex((each) => each === document.activeElement) + 1) % lit.length].focus();
  else if (key === "enter" && main !== null && event.target === document.body) send(main);
  else return;
  event.preventDefault();
});

function tick() {
  if (!turn) return;
  const left = Math.max(0, Math.ceil((due - Date.now()) / 1000));
  const hurry = left <= 10 ? 2 : left <= 30 ? 1 : 0;
  part.clock.textContent = `Your move ${span(left)}${hurry === 2 ? " hurry" : ""}`;
  part.clock.className = `clock${hurry === 2 ? " hurry" : hurry ? " soon" : ""}`;
  if (hurry > warned && left) { warned = hurry; note(`Your move: ${left} seconds left.`); }
}
setInterval(tick, 250);
