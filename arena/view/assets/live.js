// Updates a page while games are played: one event stream, closed while the page is hidden.
// At an event the browser loads the page again, and replaces the parts that differ.

const BATCH = 10000; // ms between changes of the rows' order
const SLIDE = 400;
const SPEAK = 5000;
const [connection, status, offline, freeze, main] = ["connection", "status", "offline", "freeze", "main"]
  .map((id) => document.getElementById(id));
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const mode = main?.dataset.fresh;

let stream = null;
let last = connection?.dataset.length || "0";
let frozen = false;
let state = connection?.dataset.state; // live, paused, stopped or final; empty where it is not shown
let lostAt = null;
let games = null;
let pending = false;
let reorderedAt = 0;
let spokenAt = 0;
let toSay = "";

function setConnection(text, kind) {
  connection.className = `connection ${kind}`;
  connection.textContent = text;
}

function showState() { setConnection(state, state); }

function connect() {
  if (stream || document.hidden || frozen) return;
  const tables = main.dataset.tables, wall = document.querySelector("[data-wall]")?.dataset.wall;
  stream = new EventSource(`/events?last=${encodeURIComponent(last)}${tables ? "&tables=1" : ""}${wall ? `&wall=${wall}` : ""}`);
  if (wall) stream.addEventListener(`wall${wall}`, (event) => document.dispatchEvent(new CustomEvent("arena-wall", { detail: JSON.parse(event.data) })));
  if (tables) stream.addEventListener("tables", tablesHeard);
  stream.addEventListener("news", heard);
  stream.onopen = showState;
  stream.onerror = () => {
    if (lostAt === null) lostAt = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    setConnection("offline", "off");
    offline.textContent = `Connection lost at ${lostAt}; this is what was known.`;
    offline.hidden = false;
  };
}

function counted(number, what) { return `${number} ${what}${number === 1 ? "" : "s"}`; }

function disconnect() { stream?.close(); stream = null; }

function heard(event) {
  const news = JSON.parse(event.data);
  const fresh = event.lastEventId !== last;
  const more = games === null ? 0 : news.games - games;
  if (state !== "" && state !== news.state) { state = news.state; showState(); }
  last = event.lastEventId;
  if (lostAt !== null) {
    lostAt = null;
    offline.hidden = true;
    say(more > 0 ? `Back. ${counted(more, "game")} finished meanwhile.` : "Back.");
    if (more > 0) setConnection(`back, ${more} more`, state); else showState();
  } else if (fresh && games !== null && news.rounds !== heard.rounds && news.round) {
    say(`${news.round.charAt(0).toUpperCase()}${news.round.slice(1)} over. ${news.say}`);
  }
  heard.rounds = news.rounds;
  games = news.games;
  const lobby = JSON.stringify(news.lobby);
  if (fresh || event.lastEventId !== connection.dataset.length || (heard.lobby ?? lobby) !== lobby) changed(more);
  heard.lobby = lobby;
}

// The steps shown of each table; below 0 if it has ended. Null before the first event.
export let tablesNow = null;

function tablesHeard(event) {
  tablesNow = JSON.parse(event.data);
  document.dispatchEvent(new CustomEvent("arena-tables", { detail: tablesNow }));
}

function say(text) {
  toSay = toSay ? `${toSay} ${text}` : text;
  setTimeout(() => {
    if (!toSay || !status) return;
    status.textContent = toSay;
    toSay = "";
    spokenAt = Date.now();
  }, spokenAt + SPEAK - Date.now());
}

function changed(more) {
  if (mode === "no") return;
  if (mode === "count") {
    changed.more = (changed.more || 0) + more;
    const button = document.getElementById("show-more");
    if (button && changed.more > 0) {
      button.textContent = `${counted(changed.more, "more game")}: show`;
      document.getElementById("more").hidden = false;
    }
    return;
  }
  if (pending) return;
  pending = true;
  setTimeout(refresh, Math.random() * 600); // not all at once
}

// The styles and scripts of a page.
function files(page) {
  return [...page.querySelectorAll("link[rel=stylesheet], script")].map((each) => each.getAttribute("href") ?? each.getAttribute("src"));
}

export async function refresh() {
  pending = false;
  if (frozen) return;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("main");
    if (!found) return;
    const brand = (each) => each.querySelector(".brand")?.textContent;
    if (brand(page) !== brand(document) || !files(page).every((each) => files(document).includes(each))) return location.reload(); // another night or view
    connection.dataset.length = page.getElementById("connection").dataset.length;
    document.title = page.title;
    merge(main, found);
    document.dispatchEvent(new CustomEvent("arena-fresh", { detail: page }));
  } catch { /* the stream reports its return */ }
}

function sameKind(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && (one.dataset?.key ?? "") === (other.dataset?.key ?? "");
}

// Makes `old` equal to `fresh`, but keeps its elements.
function merge(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE || old.dataset.wall) return; // a wall is fed by its own events
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) {
    const own = name === "open" || name === "style" || (name === "class" && old.classList.contains("slide"));
    if (!fresh.hasAttribute(name) && !own) old.removeAttribute(name);
  }
  if (old.matches("select, input, textarea, form")) return;
  if (old.dataset.moving) moveRows(old, fresh);
  else mergeChildren(old, fresh);
}

function mergeChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  const keyed = new Map([...old.children].filter((child) => child.dataset.key).map((child) => [child.dataset.key, child]));
  wanted.forEach((node, at) => {
    let present = old.childNodes[at];
    const known = node.dataset?.key && keyed.get(node.dataset.key);
    if (known && known !== present && known.nodeName === node.nodeName) {
      old.insertBefore(known, present || null);
      present = known;
    }
    if (!present) old.append(document.importNode(node, true));
    else if (sameKind(present, node)) merge(present, node);
    else old.insertBefore(document.importNode(node, true), present);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

// Rows of standings: numbers change at once, the order at most every ten seconds, and never under
// the pointer or the focus.
function moveRows(old, fresh) {
  const order = (body) => [...body.children].map((row) => row.dataset.key).join();
  if (order(old) === order(fresh)) { mergeChildren(old, fresh); return; }
  const busy = old.matches(":hover") || old.contains(document.activeElement);
  const wait = busy ? BATCH / 4 : reorderedAt + BATCH - Date.now();
  if (busy || wait > 0) {
    const rows = new Map([...fresh.children].map((row) => [row.dataset.key, row]));
    for (const row of old.children) if (rows.has(row.dataset.key)) merge(row, rows.get(row.dataset.key));
    const moved = [...old.children].filter((row, at) => fresh.children[at]?.dataset.key !== row.dataset.key).length;
    setConnection(counted(moved, "change"), state);
    clearTimeout(moveRows.timer);
    moveRows.timer = setTimeout(refresh, Math.max(wait, 500));
    return;
  }
  showState();
  reorderedAt = Date.now();
  const before = new Map([...old.children].map((row) => [row, row.getBoundingClientRect().top]));
  mergeChildren(old, fresh);
  if (reduced.matches) return;
  for (const row of old.children) {
    const by = before.has(row) ? before.get(row) - row.getBoundingClientRect().top : 0;
    if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: SLIDE, easing: "ease-out" });
  }
}

// The countdown to the first game. A fresh page corrects it.
setInterval(() => {
  const time = document.querySelector("time[data-seconds]");
  if (!time) return;
  if (time.dataset.from !== time.dataset.seconds) Object.assign(time.dataset, { from: time.dataset.seconds, at: Date.now() });
  const left = Math.max(0, Math.round(time.dataset.from - (Date.now() - time.dataset.at) / 1000));
  const two = (number) => String(Math.floor(number) % 60).padStart(2, "0");
  time.textContent = `${Math.floor(left / 3600)}:${two(left / 60)}:${two(left)}`;
}, 1000);

// The countdown to nights of a standing league.
function countNights() {
  for (const time of document.querySelectorAll("time[data-until]")) {
    const left = Math.round((time.dataset.until - Date.now()) / 1000), days = Math.floor(left / 86400);
    const two = (number) => String(Math.floor(number) % 60).padStart(2, "0");
    const words = left <= 0 ? "it begins" : days ? `in ${days} d ${Math.floor(left / 3600) % 24} h` : `in ${Math.floor(left / 3600)}:${two(left / 60)}:${two(left)}`;
    if (time.textContent !== words) time.textContent = words;
  }
}
setInterval(countNights, 1000);
countNights();

// Buttons that only the host can use; the cookie tells that this browser is the host's, and opens nothing.
if (/(^|; )arena-hosts=yes/.test(document.cookie)) document.documentElement.classList.add("hosting");

// The menu closes when the focus or a click goes elsewhere, and at Escape.
const menu = document.getElementById("more-views");
for (const kind of ["click", "focusin"]) addEventListener(kind, (event) => { if (menu && !menu.contains(event.target)) menu.open = false; });
menu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// A page that shows nothing of a tournament hears nothing of one.
const follows = mode !== "no" || main.dataset.tables || document.querySelector("[data-wall]");
if (connection?.dataset.live !== "yes" || !follows) { if (connection && state === "final") showState(); } else {
  if (freeze) {
    freeze.hidden = state === "final";
    freeze.addEventListener("click", () => {
      frozen = !frozen;
      freeze.setAttribute("aria-pressed", String(frozen));
      freeze.textContent = frozen ? "Frozen" : "Freeze";
      if (frozen) { disconnect(); setConnection("frozen", ""); } else { connect(); if (mode !== "no") refresh(); }
    });
  }
  document.getElementById("show-more")?.addEventListener("click", () => location.reload());
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", connect);
  addEventListener("DOMContentLoaded", connect); // all scripts listen then; a wall's first event has what later ones leave out
}
