// A person's seat: what came, what may be done, and nothing sent before it is confirmed.

import { face, suited } from "./cards.js";
import { stageFor } from "./stage.js";

const SHOWN = 60; // actions that are listed at once
const LETTERS = { "♣": "c", "♦": "d", "♥": "h", "♠": "s" };
const root = document.querySelector(".seat");
const part = Object.fromEntries(["clock", "note", "send", "back", "timeout", "find"].map((id) => [id, document.getElementById(id)]));
const [stage, actions, hand, choices, since, against] = [".stage", ".actions", ".myhand", ".choices", ".since", ".against"].map((each) => root.querySelector(each));
const title = document.title;

let table = null; // the table that is played
let turn = null; // the turn that waits
let names = [];
let chosen = null; // the index of an action
let picked = new Set();
let due = 0;
let warned = 0;

const stream = new EventSource("/seat/events");
stream.addEventListener("seat", (event) => hear(JSON.parse(event.data)));
stream.onerror = () => { note("Connection lost; trying again."); };

function hear(now) {
  if (now.table.title && (!table || JSON.stringify(table) !== JSON.stringify(now.table))) {
    table = now.table;
    names = table.names.map((name, seat) => (seat === table.seat ? now.entrant : name));
    against.textContent = `plays ${table.title}, in seat ${table.seat}`;
    stage.dataset.game = table.game;
    stage.replaceChildren();
    stage.table = stageFor(stage, { game: table.game, seats: table.seats, names });
    stage.table.seats[table.seat].box.classList.add("own");
  }
  if (now.turn?.actions) take(now.turn);
  else rest(now);
}

function take(news) {
  const fresh = !turn || turn.turn !== news.turn;
  due = Date.now() + news.left * 1000;
  if (!fresh) return;
  turn = news;
  chosen = null;
  picked = new Set();
  warned = 0;
  part.find.value = "";
  stage.table.show(news.picture);
  stage.hidden = false;
  since.hidden = !news.events.length;
  since.querySelector("ol").replaceChildren(...news.events.map((event) => line(event)));
  since.querySelector("ol").scrollTop = since.querySelector("ol").scrollHeight;
  actions.hidden = false;
  actions.classList.remove("resting");
  showHand();
  list();
  part.timeout.replaceChildren("If your time runs out, this is played: ", ...words(news.actions[0].say), ".");
  note("Your turn.");
  document.title = `Your turn · ${title}`;
  part.find.focus({ preventScroll: true });
}

function rest(now) {
  turn = null;
  actions.classList.add("resting");
  for (const seat of stage.table?.seats || []) {
    seat.box.classList.remove("acts");
    seat.acts.textContent = "";
  }
  document.title = title;
  part.clock.textContent = now.over ? "Over" : "Wait";
  part.clock.className = "clock";
  const last = now.last;
  if (now.over) note(now.over, last.kind === "end" || /over/.test(now.over));
  else if (last.kind === "end") note(`The game is over: ${ended(last)} The next one begins by itself.`, true);
  else if (last.kind === "void") note("The referee stood still meanwhile: the game is void, and played again.");
  else if (last.late) note("That came too late: your time ran out, and the first action was played for you.");
  else note(table ? "The others play." : "You are in. The first game begins by itself.");
}

function ended(last) {
  const place = last.places[table.seat], best = names.filter((_, seat) => last.places[seat] === 1 && seat !== table.seat);
  const points = `${last.points[table.seat]} points`;
  if (place === 1) return best.length ? `you share the first place with ${best.join(" and ")}, ${points}.` : `you win, ${points}.`;
  return `you are number ${place}, ${points}; ${best.join(" and ")} ${best.length === 1 ? "wins" : "win"}.`;
}

function note(text, everything = false) {
  part.note.replaceChildren(text);
  if (!everything) return;
  const link = document.createElement("a");
  link.href = "/seat/last";
  link.textContent = "Show me everything";
  part.note.append(" ", link);
}

function words(say) {
  return say.map((each) => {
    if (typeof each !== "number") return suited(each);
    const name = document.createElement("bdi");
    name.textContent = names[each];
    return name;
  });
}

function line(say) {
  const made = document.createElement("li");
  made.append(...words(say));
  return made;
}

// The hand: one tab stop, arrows, Space; picking cards leaves the actions that use all of them.
function showHand() {
  const cards = turn.picture[`hand.${table.seat}`] || [];
  hand.hidden = !cards.length;
  hand.replaceChildren(...cards.map((number, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pick";
    button.dataset.card = number;
    button.tabIndex = at ? -1 : 0;
    button.setAttribute("aria-pressed", "false");
    button.append(face(number));
    button.addEventListener("click", () => pick(number));
    return button;
  }));
}

hand.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  const all = [...hand.children], at = all.indexOf(document.activeElement);
  const next = all[(at + by + all.length) % all.length];
  all.forEach((each) => { each.tabIndex = each === next ? 0 : -1; });
  next.focus();
  event.preventDefault();
});

function pick(number) {
  if (!turn) return;
  if (picked.has(number)) picked.delete(number); else picked.add(number);
  chosen = null;
  list();
}

function plain(text) { return text.toLowerCase().replace(/[♣♦♥♠]/g, (suit) => LETTERS[suit]).replace(/[^0-9a-z ]/g, " "); }

function textOf(action) { return action.say.map((each) => (typeof each === "number" ? names[each] : each)).join(""); }

function matches() {
  const wanted = plain(part.find.value).split(/\s+/).filter(Boolean);
  const number = /^\d+$/.test(part.find.value.trim()) ? Number(part.find.value.trim()) - 1 : -1;
  if (turn.actions[number]) return [number];
  return turn.actions.map((_, index) => index).filter((index) => {
    const action = turn.actions[index];
    if (![...picked].every((card) => action.cards.includes(card))) return false;
    const has = plain(textOf(action)).split(/\s+/);
    return wanted.every((word) => has.some((each) => each.startsWith(word)));
  });
}

function list() {
  const found = matches();
  const exact = found.filter((index) => picked.size && turn.actions[index].cards.length === picked.size);
  if (chosen === null && found.length === 1) chosen = found[0];
  else if (chosen === null && exact.length === 1) chosen = exact[0];
  for (const button of hand.children) {
    const card = Number(button.dataset.card);
    button.setAttribute("aria-pressed", String(picked.has(card)));
    const useful = picked.has(card) || found.some((index) => turn.actions[index].cards.includes(card));
    button.setAttribute("aria-disabled", String(!useful));
  }
  choices.replaceChildren(...found.slice(0, SHOWN).map((index) => {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "control";
    button.setAttribute("aria-pressed", String(index === chosen));
    const number = document.createElement("span");
    number.className = "dim";
    number.textContent = `${index + 1}`;
    const said = document.createElement("span");
    said.append(...words(turn.actions[index].say));
    button.append(number, said);
    button.addEventListener("click", () => { chosen = index; list(); part.send.focus(); });
    row.append(button);
    return row;
  }));
  if (found.length > SHOWN) {
    const more = document.createElement("li");
    more.className = "dim";
    more.textContent = `and ${found.length - SHOWN} more: pick cards, or type words`;
    choices.append(more);
  }
  part.send.disabled = chosen === null;
  part.back.hidden = chosen === null && !picked.size && !part.find.value;
  if (chosen === null) part.send.textContent = found.length ? "Choose an action" : "Nothing fits: take back";
  else part.send.replaceChildren(`Play ${chosen + 1}: `, ...words(turn.actions[chosen].say));
}

async function send() {
  if (chosen === null || !turn) return;
  part.send.disabled = true;
  const body = new URLSearchParams({ word: root.dataset.word, turn: turn.turn, action: chosen });
  try {
    const answer = await fetch("/seat/play", { method: "POST", body });
    if (!answer.ok) note(answer.status === 409 ? "That came too late." : "It could not be sent; try again.");
  } catch { note("It could not be sent; try again."); }
  part.send.disabled = chosen === null;
}

function takeBack() {
  chosen = null;
  picked = new Set();
  part.find.value = "";
  list();
  part.find.focus();
}

part.send.addEventListener("click", send);
part.back.addEventListener("click", takeBack);
part.find.addEventListener("input", () => { chosen = null; list(); });
addEventListener("keydown", (event) => {
  if (!turn || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") takeBack();
  else if (event.key === "Enter" && event.target === part.find) { if (chosen !== null) part.send.focus(); else choices.querySelector("button")?.focus(); }
  else return;
  event.preventDefault();
});

setInterval(() => {
  if (!turn) return;
  const left = Math.max(0, Math.ceil((due - Date.now()) / 1000));
  const hurry = left <= 10 ? 2 : left <= 30 ? 1 : 0;
  part.clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}${hurry === 2 ? " hurry" : ""}`;
  part.clock.className = `clock${hurry === 2 ? " hurry" : hurry ? " soon" : ""}`;
  if (hurry > warned && left) { warned = hurry; note(`Your turn: ${left} seconds left.`); }
}, 250);
