// A person's seat: the news, the actions, and a choice that is confirmed before it is sent.

import { face } from "./cards.js";
import { counted, make, sentence, stageFor } from "./stage.js";
import { Watching } from "./watch.js";

const SHOWN = 60; // actions listed at once
const SINCE = 12; // lines of events
const LETTERS = { "♣": "c", "♦": "d", "♥": "h", "♠": "s" };
const root = document.querySelector(".seat");
const part = Object.fromEntries(["clock", "note", "send", "back", "timeout", "find"].map((id) => [id, document.getElementById(id)]));
const [stage, actions, hand, choices, since, against, moment] = [".stage", ".actions", ".myhand", ".choices", ".since", ".against", ".moment"].map((each) => root.querySelector(each));
const place = root.querySelector(".where .table"); // not in a friendly game
const happened = since.querySelector("ol");
const again = document.getElementById("again"); // in a friendly game
const title = document.title;

let table = null; // the person's table
let turn = null; // the open turn
let names = [];
let chosen = null; // the index of an action
let picked = new Set();
let due = 0;
let warned = 0;
let played = []; // the cards of the last action
let between = null; // the running table, between two turns

// The table as an onlooker sees it, while the others play.
class Between extends Watching {
  begin() { this.data = { names }; this.table = stage.table; }

  draw(step, moving) {
    if (turn) return;
    super.draw(step, moving);
    moment.hidden = stage.hidden = false;
    if (part.clock.textContent === "Over") return;
    const acts = this.picture.act;
    part.clock.textContent = typeof acts === "number" && acts !== table.seat ? `Waiting for ${names[acts]}` : "Wait";
  }

  write(step) { if (!turn) tell([step.say]); }
}

const stream = new EventSource("/seat/events");
stream.addEventListener("seat", (event) => hear(JSON.parse(event.data)));
stream.addEventListener("table", (event) => {
  const seen = JSON.parse(event.data);
  if (!seen) { between?.reach(-1); between = null; return; } // to its end
  if (between?.number !== seen[0]) between = new Between(root, seen[0]);
  between.reach(seen[1]);
  const [match, , game] = seen[2].split("/");
  if (place) place.textContent = ` · table ${seen[0]}, game ${match} · ${game}`;
});
const GONE = "You no longer sit here: load the page again.";
stream.onerror = () => { note(stream.readyState === EventSource.CLOSED ? GONE : "Connection lost; trying again."); };

function hear(now) {
  if (!now.table.title) table = null;
  else if (!table || JSON.stringify(table) !== JSON.stringify(now.table)) {
    table = now.table;
    names = table.names.map((name, seat) => (seat === table.seat ? now.entrant : name));
    against.textContent = `plays ${table.title}, in seat ${table.seat}`;
    if (place) place.textContent = "";
    stage.dataset.game = table.game;
    stage.replaceChildren();
    stage.table = stageFor(stage, { game: table.game, seats: table.seats, names });
    stage.table.seats[table.seat].box.classList.add("own");
    stage.hidden = true;
    for (const each of [actions, since, moment]) each.hidden = true;
    played = [];
  }
  if (again) again.hidden = !now.last.replay;
  if (now.turn?.actions) take(now.turn);
  else rest(now);
}

function take(news) {
  const fresh = !turn || turn.turn !== news.turn;
  due = Date.now() + news.left * 1000;
  if (!fresh) return;
  turn = news;
  warned = 0;
  stage.table.show(news.picture);
  stage.hidden = false;
  happened.replaceChildren();
  tell(news.events);
  moment.hidden = true;
  played = [];
  actions.hidden = false;
  actions.classList.remove("resting");
  showHand();
  takeBack();
  part.timeout.replaceChildren("If your time runs out, this is played: ", ...sentence(news.actions[0].say, names), ".");
  note("Your turn.");
  document.title = `Your turn · ${title}`;
}

function tell(events) {
  for (const event of events) make("li", "", happened).append(...sentence(event, names));
  while (!turn && happened.children.length > SINCE) happened.firstElementChild.remove();
  since.hidden = !happened.children.length;
  happened.scrollTop = happened.scrollHeight;
}

function rest(now) {
  if (turn) { happened.replaceChildren(); since.hidden = true; }
  turn = null;
  for (const button of hand.children) {
    button.hidden = played.includes(Number(button.dataset.card));
    button.setAttribute("aria-pressed", "false");
    button.removeAttribute("aria-disabled");
  }
  actions.classList.add("resting");
  for (const seat of stage.table?.seats || []) {
    seat.box.classList.remove("acts");
    seat.acts.textContent = "";
  }
  document.title = title;
  part.clock.textContent = now.over || (again && now.last.kind === "end") ? "Over" : "Wait";
  part.clock.className = "clock";
  const last = now.last;
  if (now.over) note(now.over, last.kind === "end" || /over/.test(now.over));
  else if (last.kind === "end") note(`The game is over: ${ended(last)}${again ? "" : " The next one begins by itself."}`, !again || last.replay);
  else if (last.kind === "void") note("The game is void, because the referee stood still. It is played again.");
  else if (last.kind === "late") note("Too late: your time ran out, and the first action was played for you.");
  else if (now.said) note(now.said);
  else if (now.table.title) note("The others play.");
  else note(again ? "The bots are starting." : "You are in. The first game begins by itself.");
}

function ended(last) {
  const place = last.places[table.seat], best = names.filter((_, seat) => last.places[seat] === 1 && seat !== table.seat);
  const points = counted(last.points[table.seat], "point");
  if (place === 1) return best.length ? `you share the first place with ${best.join(" and ")}, ${points}.` : `you win, ${points}.`;
  return `you take place ${place}, ${points}; ${best.join(" and ")} ${best.length === 1 ? "wins" : "win"}.`;
}

function note(text, everything = false) {
  part.note.replaceChildren(text);
  if (!everything) return;
  part.note.append(" ");
  make("a", "", part.note, "Show me everything").href = everything === true ? "/seat/last" : everything;
}

// The hand: one tab stop, arrows, Space; picked cards limit the actions to those with all of them.
function showHand() {
  const cards = turn.picture[`hand.${table.seat}`] || [];
  hand.hidden = !cards.length;
  hand.replaceChildren(...cards.map((number, at) => {
    const button = make("button", "pick");
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

function matches() {
  const typed = part.find.value.trim();
  if (turn.actions[typed - 1]) return [typed - 1];
  const wanted = plain(typed).split(/\s+/).filter(Boolean);
  return turn.actions.map((_, index) => index).filter((index) => {
    const action = turn.actions[index];
    if (![...picked].every((card) => action.cards.includes(card))) return false;
    const has = plain(action.say.map((each) => names[each] ?? each).join("")).split(/\s+/);
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
    const row = make("li"), button = make("button", "control", row);
    button.setAttribute("aria-pressed", String(index === chosen));
    make("span", "dim", button, `${index + 1}`);
    make("span", "", button).append(...sentence(turn.actions[index].say, names));
    button.addEventListener("click", () => { chosen = index; list(); part.send.focus(); });
    return row;
  }));
  if (found.length > SHOWN) make("li", "dim", choices, `and ${found.length - SHOWN} more: pick cards, or type words`);
  part.send.disabled = chosen === null;
  part.back.hidden = chosen === null && !picked.size && !part.find.value;
  if (chosen === null) part.send.textContent = found.length ? "Choose an action" : "Nothing fits: take back";
  else part.send.replaceChildren(`Play ${chosen + 1}: `, ...sentence(turn.actions[chosen].say, names));
}

async function send() {
  if (chosen === null || !turn) return;
  part.send.disabled = true;
  played = turn.actions[chosen].cards;
  const body = new URLSearchParams({ word: root.dataset.word, turn: turn.turn, action: chosen });
  try {
    const answer = await fetch("/seat/play", { method: "POST", body });
    if (answer.ok) return;
    note(answer.status === 409 ? "That came too late." : GONE);
  } catch { note("Not sent; try again."); }
  played = [];
  part.send.disabled = chosen === null;
}

function takeBack() {
  chosen = null;
  picked = new Set();
  part.find.value = "";
  list();
  part.find.focus({ preventScroll: true });
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
