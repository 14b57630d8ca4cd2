// A person's seat: the person plays with the cards, or by a list of all moves.
// An action has cards and places (its tokens). Picked tokens leave the actions that have all of them.

import { back, face, numberFace } from "./cards.js";
import { showHowTo } from "./how_to.js";
import { Scores } from "./scores.js";
import { emblemOf, explains, make, sentence, stageFor } from "./stage.js";
import { Watching } from "./watch.js";

const SHOWN = 60; // moves listed at once
const AT_PLACE = 8; // moves offered at a place
const BESIDE = 5; // moves offered beside the main button
const SINCE = 12; // lines of events
const TOLD = 3; // events said with a new turn
const DRAG = 8; // pixels
const MOVE = 420;
const LARGE = 2; // the largest cards, where there is room
const END = 999999; // a step after the last
const LETTERS = { "♣": "c", "♦": "d", "♥": "h", "♠": "s" };
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const root = document.querySelector(".seat");
const part = Object.fromEntries(["clock", "note", "send", "back", "all", "timeout", "moves", "find", "close", "winner", "hands", "again"].map((id) => [id, document.getElementById(id)]));
const [stage, spots, tray, hand, bar, choices, since, before, against, moment, ending] = [".stage", ".spots", ".tray", ".myhand", ".tray .confirm", ".choices", ".since", ".before", ".against", ".moment", ".ending"].map((each) => root.querySelector(each));
const place = root.querySelector(".where .table"); // not in a friendly game
const happened = since.querySelector("ol");
const title = document.title;

let table = null; // the person's table
let turn = null; // the open turn
let names = [];
let picked = new Set(); // cards and places
let open = null; // the place at which moves are offered
let main = null; // the action of the main button
let shown = []; // the tokens in the hand
let due = 0;
let warned = 0;
let played = []; // the cards of the last action
let between = null; // the running table, between two turns
let drag = null;
let fitted = LARGE;
let drawn = null; // the scores of the game that is over

// The table as an onlooker sees it, while the others play.
class Between extends Watching {
  table = stage.table;
  data = { names };

  begin() {}

  // Whether there is something else to show: the person's turn, or the next game.
  get late() { return turn || this.table !== stage.table; }

  draw(step, moving) {
    if (this.late) return;
    super.draw(step, moving);
    stage.hidden = false;
    moment.hidden = !ending.hidden;
    if (!ending.hidden) return;
    part.note.textContent = "";
    const acts = this.picture.act;
    part.clock.textContent = typeof acts === "number" && acts !== table.seat ? `Waiting for ${names[acts]}` : waiting();
  }

  write(step) { if (!this.late) tell([step.say]); }
}

// Where the person sits now, if it is another seat than in the game before.
function moved() { return !table.swapped ? "" : names.length === 2 ? "The seats are swapped. " : "You sit one seat further. "; }

function waiting() { return names.length === 2 ? `Waiting for ${names[1 - table.seat]}` : "Waiting for the other bots"; }

const stream = new EventSource("/seat/events");
stream.addEventListener("seat", (event) => hear(JSON.parse(event.data)));
stream.addEventListener("table", (event) => {
  const seen = JSON.parse(event.data);
  if (!seen || !table) { between?.reach(-1); between = null; return; } // to its end
  if (between?.number !== seen[0] || between.table !== stage.table) between = new Between(root, seen[0]);
  between.reach(seen[1]);
  const [match, , game] = seen[2].split("/");
  if (place) place.textContent = ` · table ${seen[0]}, game ${match} · ${game}`;
});
const GONE = "You no longer sit here: load the page again.";
stream.onerror = () => note(stream.readyState === EventSource.CLOSED ? GONE : "Connection lost; trying again.");

function hear(now) {
  if (!now.table.title) table = stage.table = null;
  else if (!table || JSON.stringify(table) !== JSON.stringify(now.table)) {
    table = now.table;
    names = table.names.map((name, seat) => (seat === table.seat ? now.entrant : name));
    const others = names.flatMap((_, seat) => (seat === table.seat ? [] : [", ", seat])).slice(1);
    against.replaceChildren(`plays ${table.title} against `, ...sentence(others, names), table.swapped ? `; ${moved().slice(0, -2).toLowerCase()}` : "");
    if (place) place.textContent = "";
    stage.dataset.game = table.game;
    stage.replaceChildren();
    stage.table = stageFor(stage, { game: table.game, seats: table.seats, names, emblems: table.emblems });
    stage.table.seats[table.seat].box.classList.add("own");
    columns();
    stage.hidden = true;
    fitted = LARGE;
    showHowTo(table.game);
    for (const each of [tray, since, moment]) each.hidden = true;
    played = shown = [];
    const last = now.before;
    before.replaceChildren(...(last.say ? ["The game before: ", ...sentence(last.say, last.names), `. ${last.own}. `] : []));
    if (last.say) make("a", "", before, "See how it went").href = "/seat/last";
  }
  if (now.turn?.actions) take(now.turn);
  else rest(now);
  finish(now.last);
}

function take(news) {
  const fresh = !turn || turn.turn !== news.turn;
  due = Date.now() + news.left * 1000;
  if (!fresh) return;
  const begins = tray.hidden;
  turn = news;
  root.dataset.turn = news.turn;
  warned = 0;
  stage.table.show(news.picture, { move: stage.hidden || reduced.matches ? 0 : MOVE });
  stage.hidden = tray.hidden = false;
  happened.replaceChildren();
  tell(news.events);
  moment.hidden = true;
  played = [];
  tray.classList.remove("resting");
  showHand();
  fit();
  takeBack();
  if (document.activeElement === document.body) hand.querySelector(".pick")?.focus({ preventScroll: true });
  part.timeout.replaceChildren("If your time runs out: ", ...sentence(news.actions[0].say, names), ".");
  part.note.replaceChildren();
  make("span", "told", part.note).append(`${begins ? moved() : ""}Your move. `, ...(begins ? [] : news.events.slice(-TOLD)).flatMap((event) => [...sentence(event, names), ". "]));
  document.title = `Your move · ${title}`;
  tick();
}

function tell(events) {
  for (const event of events) make("li", "", happened).append(...sentence(event, names));
  while (!turn && happened.children.length > SINCE) happened.firstElementChild.remove();
  since.hidden = !happened.children.length && !before.firstChild;
  happened.scrollTop = happened.scrollHeight;
}

function rest(now) {
  if (turn) happened.replaceChildren();
  turn = null;
  root.dataset.turn = "";
  takeBack();
  for (const button of hand.children) button.hidden = played.includes(button.token);
  tray.classList.add("resting");
  for (const seat of stage.table?.seats || []) {
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

function note(text) { part.note.textContent = text; }

// The end of the game: who won, how, and what to do now.
function finish(last) {
  const ended = last.kind === "end" && table;
  root.classList.toggle("ended", Boolean(ended));
  ending.hidden = !ended;
  if (!ended) { drawn = null; return; }
  tray.hidden = true;
  if (part.again) { part.again.hidden = !last.replay; part.again.textContent = names.length === 2 ? "Play again, seats swapped" : "Play again, one seat further"; }
  const told = last.ending;
  part.winner.replaceChildren(...sentence(told?.sentence || [...last.say, "."], names));
  ending.querySelector(".own").replaceChildren(told || last.say[0] !== "You" ? `${last.own}. ` : "", ...(told ? sentence(told.why, names) : []));
  const order = names.map((_, seat) => seat).sort((one, other) => last.places[one] - last.places[other]);
  ending.querySelector(".faces").replaceChildren(...names.flatMap((_, seat) => (last.places[seat] === 1 ? [emblemOf(table.emblems[seat])] : [])));
  ending.querySelector(".places").replaceChildren(...order.map((seat) => {
    const row = make("li", last.places[seat] === 1 ? "first" : "");
    make("span", "dim", row, `${last.places[seat]}.`);
    row.append(emblemOf(table.emblems[seat]));
    make("bdi", "", row, names[seat]);
    make("span", "n", row, `${last.points[seat] * (told?.sign || 1) || 0}`);
    return row;
  }));
  part.hands.hidden = part.again && !last.replay;
  if (last.replay) part.hands.href = `${last.replay}?view=all&at=${END}`;
  if (told && !drawn) {
    const scores = ending.querySelector(".scores"), go = (step) => { location.href = `${last.replay}?view=all&at=${step}`; };
    drawn = new Scores(scores, { ending: told, names, emblems: table.emblems, places: last.places }, go);
    drawn.values && drawn.show(drawn.last);
    if (drawn.values && told.turning !== null) make("a", "", scores, "The moment that decided it").href = `${last.replay}?view=all&at=${told.turning}`;
  }
  moment.hidden = true;
  if (!part.note.textContent) make("span", "sr", part.note, `${part.winner.textContent} ${last.own}`);
}

// Makes the cards smaller until the table ends above the hand, or beside it. On a phone held upright the page scrolls.
function fit() {
  const wide = innerWidth > 980, flat = innerHeight < 521;
  if (!wide && !flat) fitted = 1;
  for (;;) {
    stage.style.setProperty("--fit", fitted);
    const limit = flat ? innerHeight : tray.getBoundingClientRect().top;
    const over = stage.getBoundingClientRect().bottom > limit - 4 || stage.scrollWidth > stage.clientWidth;
    if (!over || !(wide || flat) || fitted < 0.6) return;
    fitted -= 0.1;
  }
}

// The panels beside each other on wide screens, as many as there is room for.
function columns() {
  const { seats, game } = table, most = game === "kleftis" ? (seats > 2 ? 2 : 1) : seats > 4 ? 3 : seats;
  if (innerWidth > 980) stage.querySelector(".panels")?.style.setProperty("--columns", most);
}

// The hand: one tab stop, arrows, Space. Cards on the table that a move uses from there lie in it too.
function showHand() {
  const had = new Set(shown), cards = turn.picture[`hand.${table.seat}`] || [];
  const lying = [...new Set(turn.actions.flatMap((action) => action.cards))].filter((card) => !cards.includes(card));
  const deck = `top.${table.seat}`, top = turn.picture[deck];
  shown = [...cards, ...lying, ...(turn.picture[`left.${table.seat}`] ? [deck] : [])];
  hand.hidden = !shown.length;
  hand.replaceChildren(...shown.map((token, at) => {
    const button = make("button", "pick");
    button.token = token;
    button.tabIndex = at ? -1 : 0;
    button.append(token === deck ? (top ? numberFace(top) : back(true)) : face(token));
    if (token === deck) make("span", "sr", button, top ? " on your deck" : "the top card of your deck");
    if (lying.includes(token)) { button.classList.add("lying"); make("span", "sr", button, " in your pile"); }
    if (had.size && token !== deck && !had.has(token)) button.classList.add("drawn");
    button.addEventListener("click", () => { if (drag?.moved) drag = null; else pick(token); });
    return button;
  }));
}

hand.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Enter" && main !== null) { event.preventDefault(); event.stopPropagation(); send(main); }
  if (!by) return;
  const all = [...hand.children], at = all.indexOf(document.activeElement);
  const next = all[(at + by + all.length) % all.length];
  all.forEach((each) => { each.tabIndex = each === next ? 0 : -1; });
  next.focus();
  event.preventDefault();
});

function tokens(index) { const action = turn.actions[index]; return [...action.cards, ...action.targets]; }

function cardsIn(picks) { return [...picks].filter((token) => typeof token === "number").length; }

// The actions that have all picks.
function fitting(picks = picked) {
  return turn.actions.map((_, index) => index).filter((index) => { const has = tokens(index); return [...picks].every((token) => has.includes(token)); });
}

// Those of them that need no other card.
function exactly(found, picks = picked) { return found.filter((index) => turn.actions[index].cards.length === cardsIn(picks)); }

// Picks a token, or puts it back. What does not go with it is put back.
function pick(token) {
  if (!turn) return;
  if (picked.has(token)) picked.delete(token);
  else {
    const both = new Set(picked).add(token), alone = new Set([token]);
    picked = [both, alone, picked].find((each) => fitting(each).length);
  }
  if (open && !picked.has(open)) open = null;
  list();
}

// A place was tapped, or cards were dropped on it: plays the move if it is the only one.
function touch(where) {
  let found = fitting().filter((index) => turn.actions[index].targets.includes(where));
  const exact = exactly(found);
  if (cardsIn(picked) && exact.length) found = exact;
  if (found.length === 1 && exact.length === 1) { send(found[0]); return; }
  if (picked.has(where) && open === where) { picked.delete(where); open = null; }
  else if (found.length === 1) tokens(found[0]).forEach((token) => picked.add(token)); // the cards rise, to be confirmed
  else { picked.add(where); open = where; }
  list();
  spots.querySelector(".atplace button")?.focus({ preventScroll: true });
}

function moveButton(index, parent, classes = "control") {
  const button = make("button", classes, parent);
  make("span", "", button).append(...sentence(turn.actions[index].say, names));
  button.addEventListener("click", () => send(index));
  return button;
}

// Shows what the picks mean: the cards, the places, the buttons.
function list() {
  const found = turn ? fitting() : [], exact = exactly(found);
  const whole = [...picked].some((token) => !shown.includes(token)) ? exact.filter((index) => tokens(index).length === picked.size) : [];
  main = !picked.size && found.length > 1 ? null : exact.length === 1 ? exact[0] : whole.length === 1 ? whole[0] : found.length === 1 ? found[0] : null;
  for (const button of hand.children) {
    button.setAttribute("aria-pressed", String(picked.has(button.token)));
    const uses = (index) => tokens(index).includes(button.token);
    button.setAttribute("aria-disabled", String(Boolean(turn) && !turn.actions.some((_, index) => uses(index))));
    button.classList.toggle("apart", picked.size > 0 && !found.some(uses));
  }
  bar.querySelectorAll(".beside").forEach((each) => each.remove());
  const beside = exact.filter((index) => index !== main);
  if (turn && beside.length <= BESIDE) for (const index of beside) part.send.before(moveButton(index, null, "control beside"));
  part.send.disabled = main === null;
  part.back.hidden = !picked.size;
  part.all.hidden = !turn;
  part.all.textContent = turn ? `All ${turn.actions.length} moves` : "";
  part.send.hidden = main === null && beside.length > 0 && beside.length <= BESIDE;
  if (main !== null) {
    part.send.replaceChildren();
    make("span", "", part.send).append(...sentence(turn.actions[main].say, names));
  } else part.send.textContent = !turn ? "The others play" : !picked.size ? turn.asks || "Pick a card or a place" : beside.length ? "Choose where it goes" : "Add a card";
  light(found);
}

// Lights the places of the remaining moves, and offers those of one place as buttons.
function light(found) {
  const lit = new Set(found.flatMap((index) => turn.actions[index].targets));
  const focused = document.activeElement?.place;
  spots.replaceChildren();
  spots.classList.toggle("picking", picked.size > 0);
  const area = spots.getBoundingClientRect();
  const places = [...stage.querySelectorAll("[data-place]")].filter((each) => lit.has(each.dataset.place) && !shown.includes(each.dataset.place));
  const boxes = places.map((each) => {
    const box = each.getBoundingClientRect();
    const width = Math.max(44, box.width + 8), height = Math.max(44, box.height + 8);
    return { each, width, height, left: box.left - area.left + (box.width - width) / 2, top: box.top - area.top + (box.height - height) / 2 };
  }).sort((one, other) => other.width * other.height - one.width * one.height); // the small above the large
  for (const { each, width, height, left, top } of boxes) {
    const spot = make("button", "spot", spots), where = each.dataset.place;
    const here = found.filter((index) => turn.actions[index].targets.includes(where));
    const verbs = [...new Set(here.map((index) => turn.actions[index].verb))].join(" or ");
    spot.place = spot.dataset.spot = where;
    Object.assign(spot.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    make("span", "verb", spot, verbs).setAttribute("aria-hidden", "true");
    spot.setAttribute("aria-pressed", String(picked.has(where)));
    spot.setAttribute("aria-label", here.length === 1 ? words(here[0]) : `${verbs}, ${here.length} moves: ${each.getAttribute("aria-label") || names[where.split(".")[1]] || where}`);
    spot.addEventListener("click", () => touch(where));
    if (where === focused) spot.focus({ preventScroll: true });
  }
  const at = boxes.find(({ each }) => each.dataset.place === open);
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

function words(index) { return turn.actions[index].say.map((each) => names[each] ?? each).join(""); }

new ResizeObserver(() => { if (turn && !drag) list(); }).observe(stage);
addEventListener("resize", () => { fitted = LARGE; fit(); });
explains(root.querySelector(".ask"), stage);

// Dragging: a ghost of the picked cards follows the pointer.
hand.addEventListener("pointerdown", (event) => {
  const button = event.target.closest(".pick");
  drag = turn && button && event.button === 0 ? { button, x: event.clientX, y: event.clientY, moved: false } : null;
});
addEventListener("pointermove", (event) => {
  if (!drag || drag.done) return;
  const x = event.clientX - drag.x, y = event.clientY - drag.y;
  if (!drag.moved) {
    if (Math.hypot(x, y) < DRAG || !turn) return;
    drag.moved = true;
    drag.kept = new Set(picked);
    drag.turn = turn;
    if (!picked.has(drag.button.token)) pick(drag.button.token);
    drag.ghost = make("div", "ghosts fan", document.body);
    for (const each of hand.querySelectorAll("[aria-pressed=true] .card")) drag.ghost.append(each.cloneNode(true));
  }
  drag.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
  const over = spotAt(event);
  for (const spot of spots.querySelectorAll(".spot")) spot.classList.toggle("over", spot === over);
});
function spotAt(event) { return document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.classList.contains("spot")); }
function drop(event) {
  if (!drag?.moved || drag.done) { if (drag && !drag.moved) drag = null; return; }
  drag.ghost.remove();
  drag.done = true; // the click that may follow is none
  const { kept } = drag, same = turn && turn === drag.turn, spot = same && event.type === "pointerup" ? spotAt(event) : null;
  setTimeout(() => { drag = null; });
  if (spot) touch(spot.place);
  else if (same) { picked = kept; list(); }
}
addEventListener("pointerup", drop);
addEventListener("pointercancel", drop);
hand.addEventListener("dragstart", (event) => event.preventDefault());

async function send(index) {
  if (!turn || turn.sent) return;
  const asked = turn;
  asked.sent = true;
  part.send.disabled = true;
  part.moves.close();
  spots.replaceChildren();
  root.dataset.turn = "";
  played = asked.actions[index].cards;
  const body = new URLSearchParams({ word: root.dataset.word, turn: asked.turn, action: index });
  try {
    const answer = await fetch("/seat/play", { method: "POST", body });
    if (answer.ok) return;
    note(answer.status === 409 ? "That came too late." : GONE);
  } catch { note("Not sent; try again."); }
  asked.sent = false;
  played = [];
  if (turn !== asked) return;
  root.dataset.turn = turn.turn;
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

function plain(text) { return text.toLowerCase().replace(/[♣♦♥♠]/g, (suit) => LETTERS[suit]).replace(/[^0-9a-z ]/g, " "); }

function matches() {
  const typed = part.find.value.trim();
  if (turn.actions[typed - 1]) return [typed - 1];
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
    button.prepend(make("span", "dim", null, `${index + 1}`));
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
  if (found.length === 1) send(found[0]); else choices.querySelector("button")?.focus();
});
addEventListener("keydown", (event) => {
  if (!turn || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open], :popover-open")) return;
  const key = event.key.toLowerCase(), lit = [...spots.querySelectorAll(".spot")];
  if (key === "escape") takeBack();
  else if (key === "m") showAll();
  else if (key === "r") root.querySelector(".how").click();
  else if (key === "t" && lit.length) lit[(lit.indexOf(document.activeElement) + 1) % lit.length].focus();
  else if (key === "enter" && main !== null && event.target === document.body) send(main);
  else return;
  event.preventDefault();
});

function tick() {
  if (!turn) return;
  const left = Math.max(0, Math.ceil((due - Date.now()) / 1000));
  const hurry = left <= 10 ? 2 : left <= 30 ? 1 : 0;
  part.clock.textContent = `Your move ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}${hurry === 2 ? " hurry" : ""}`;
  part.clock.className = `clock${hurry === 2 ? " hurry" : hurry ? " soon" : ""}`;
  if (hurry > warned && left) { warned = hurry; note(`Your move: ${left} seconds left.`); }
}
setInterval(tick, 250);
