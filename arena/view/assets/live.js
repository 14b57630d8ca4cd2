// Updates a page while games are played: one event stream, closed while the page is hidden.
// At an event the browser loads the page again, and replaces the parts that differ.

import "./clocks.js";
import { announce, around, find, findAll, get, mayMove, pageIn } from "./dom.js";
import { counted } from "./words.js";

/** @import { Counts, News } from "../data" */

const BATCH = 10000; // ms between changes of the rows' order
const SLIDE = 400;
const SPEAK = 5000;
const connection = get(HTMLElement, "#connection"), offline = get(HTMLElement, "#offline"), main = get(HTMLElement, "#main");
const freeze = find(HTMLButtonElement, "#freeze"); // a projector has none
const mode = main.dataset.fresh ?? "";

/** @type {EventSource | null} */
let stream = null;
let last = connection.dataset.length || "0";
let frozen = false;
let state = connection.dataset.state ?? ""; // live, paused, stopped or final; empty where it is not shown
/** When the connection was lost; empty while it is there. */
let lostAt = "";
/** What was heard last. @type {News | null} */
let before = null;
let more = 0; // games that are not shown yet
let pending = false;
let reorderedAt = 0;
let reorderTimer = 0;
let spokenAt = 0;
let toSay = "";

/** @param {string} text @param {string} kind */
function setConnection(text, kind) {
  connection.className = `connection ${kind}`;
  connection.textContent = text;
}

function showState() { setConnection(state, state); }

function connect() {
  if (stream || document.hidden || frozen) return;
  const tables = main.dataset.tables, wall = find(HTMLElement, "[data-wall]")?.dataset.wall;
  stream = new EventSource(`/events?last=${encodeURIComponent(last)}${tables ? "&tables=1" : ""}${wall ? `&wall=${wall}` : ""}`);
  if (wall) stream.addEventListener(`wall${wall}`, (event) => tell("arena-wall", JSON.parse(event.data)));
  if (tables) stream.addEventListener("tables", (event) => { tablesNow = JSON.parse(event.data); tell("arena-tables", tablesNow); });
  stream.addEventListener("news", heard);
  stream.onopen = showState;
  stream.onerror = () => {
    lostAt ||= new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    setConnection("offline", "off");
    offline.textContent = `Connection lost at ${lostAt}; this is what was known.`;
    offline.hidden = false;
  };
}

function disconnect() { stream?.close(); stream = null; }

/** Tells the other scripts of the page. @param {keyof DocumentEventMap} kind @param {unknown} detail */
function tell(kind, detail) { document.dispatchEvent(new CustomEvent(kind, { detail })); }

/** @param {MessageEvent<string>} event */
function heard(event) {
  /** @type {News} */
  const news = JSON.parse(event.data);
  const fresh = event.lastEventId !== last, games = before ? news.games - before.games : 0;
  if (state !== "" && state !== news.state) { state = news.state; showState(); }
  last = event.lastEventId;
  if (lostAt) {
    lostAt = "";
    offline.hidden = true;
    say(games > 0 ? `Back. ${counted(games, "game")} finished meanwhile.` : "Back.");
    if (games > 0) setConnection(`back, ${games} more`, state); else showState();
  } else if (fresh && before && news.rounds !== before.rounds && news.round) {
    say(`${news.round.charAt(0).toUpperCase()}${news.round.slice(1)} over. ${news.say}`);
  }
  const moved = JSON.stringify(before?.lobby ?? []) !== JSON.stringify(news.lobby); // or since the page was made
  if (fresh || event.lastEventId !== connection.dataset.length || moved) changed(games);
  before = news;
}

/** The last counts of the running tables; null before the first event. @type {Counts | null} */
export let tablesNow = null;

/** Says something, but not sooner than some seconds after the last thing. @param {string} text */
function say(text) {
  toSay = toSay ? `${toSay} ${text}` : text;
  setTimeout(() => {
    if (!toSay) return;
    announce(toSay);
    toSay = "";
    spokenAt = Date.now();
  }, spokenAt + SPEAK - Date.now());
}

/** The page has changed on the server, by so many games among others. @param {number} games */
function changed(games) {
  if (mode === "no") return;
  if (mode === "count") {
    more += games;
    const button = find(HTMLButtonElement, "#show-more");
    if (button && more > 0) {
      button.textContent = `${counted(more, "more game")}: show`;
      get(HTMLElement, "#more").hidden = false;
    }
    return;
  }
  if (pending) return;
  pending = true;
  setTimeout(refresh, Math.random() * 600); // not all at once
}

/** The styles and scripts of a page. @param {Document} page */
function files(page) {
  return findAll(HTMLElement, "link[rel=stylesheet], script", page).map((each) => each.getAttribute("href") ?? each.getAttribute("src"));
}

/** The name that stands above a page. @param {Document} page */
function brand(page) { return page.querySelector(".brand")?.textContent; }

/** Loads the page again, and puts in what differs. */
export async function refresh() {
  pending = false;
  if (frozen) return;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const page = await pageIn(answer), found = find(HTMLElement, "#main", page);
    if (!found) return;
    if (brand(page) !== brand(document) || !files(page).every((each) => files(document).includes(each))) { location.reload(); return; } // another night or view
    connection.dataset.length = get(HTMLElement, "#connection", page).dataset.length;
    document.title = page.title;
    merge(main, found);
    tell("arena-fresh", page);
  } catch { /* the stream reports its return */ }
}

/** The key of an element among those beside it; empty if it has none. @param {Node | undefined} node */
function keyOf(node) { return node instanceof Element ? node.getAttribute("data-key") ?? "" : ""; }

/** @param {Node} one @param {Node} other */
function sameKind(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && keyOf(one) === keyOf(other);
}

/** Makes `old` equal to `fresh`, but keeps its elements. @param {Node} old @param {Node} fresh */
function merge(old, fresh) {
  if (old instanceof Text) {
    if (old.data !== fresh.nodeValue) old.data = fresh.nodeValue ?? "";
    return;
  }
  if (!(old instanceof Element && fresh instanceof Element) || old.hasAttribute("data-wall")) return; // a wall is fed by its own events
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) {
    const own = name === "open" || name === "style" || (name === "class" && old.classList.contains("slide"));
    if (!fresh.hasAttribute(name) && !own) old.removeAttribute(name);
  }
  if (old.matches("select, input, textarea, form")) return;
  if (old.hasAttribute("data-moving")) moveRows(old, fresh);
  else mergeChildren(old, fresh);
}

/** @param {Element} old @param {Element} fresh */
function mergeChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  const keyed = new Map([...old.children].filter(keyOf).map((child) => [keyOf(child), child]));
  wanted.forEach((node, at) => {
    /** @type {Node | undefined} */
    let present = old.childNodes[at];
    const known = keyed.get(keyOf(node));
    if (known && known !== present && known.nodeName === node.nodeName) {
      old.insertBefore(known, present || null);
      present = known;
    }
    if (!present) old.append(document.importNode(node, true));
    else if (sameKind(present, node)) merge(present, node);
    else old.insertBefore(document.importNode(node, true), present);
  });
  while (old.childNodes.length > wanted.length) old.lastChild?.remove();
}

/**
 * Rows of standings: numbers change at once, the order at most every ten seconds, and never under the pointer or
 * the focus.
 * @param {Element} old @param {Element} fresh
 */
function moveRows(old, fresh) {
  const order = (/** @type {Element} */ body) => [...body.children].map(keyOf).join();
  if (order(old) === order(fresh)) { mergeChildren(old, fresh); return; }
  const busy = old.matches(":hover") || old.contains(document.activeElement);
  const wait = busy ? BATCH / 4 : reorderedAt + BATCH - Date.now();
  if (busy || wait > 0) {
    const rows = new Map([...fresh.children].map((row) => [keyOf(row), row]));
    for (const row of old.children) {
      const now = rows.get(keyOf(row));
      if (now) merge(row, now);
    }
    const moved = [...old.children].filter((row, at) => keyOf(fresh.children[at]) !== keyOf(row)).length;
    setConnection(counted(moved, "change"), state);
    clearTimeout(reorderTimer);
    reorderTimer = setTimeout(refresh, Math.max(wait, 500));
    return;
  }
  showState();
  reorderedAt = Date.now();
  const tops = new Map([...old.children].map((row) => [row, row.getBoundingClientRect().top]));
  mergeChildren(old, fresh);
  if (!mayMove()) return;
  for (const row of old.children) {
    const top = tops.get(row), by = top === undefined ? 0 : top - row.getBoundingClientRect().top;
    if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: SLIDE, easing: "ease-out" });
  }
}

// Buttons that only the host can use; the note tells that this browser is the host's, and opens nothing.
try { document.documentElement.classList.toggle("hosting", localStorage.getItem("arena-host") === "yes"); } catch { /* it keeps no notes */ }

// A menu closes at Escape, and when the focus or a click goes elsewhere, but not into a dialog that it has opened.
const MENUS = "details.more[open], details.menu[open]";
for (const kind of ["click", "focusin"]) {
  addEventListener(kind, (event) => {
    if (around(Element, "dialog", event)) return;
    const own = around(HTMLDetailsElement, MENUS, event);
    for (const menu of findAll(HTMLDetailsElement, MENUS)) if (menu !== own) menu.open = false;
  });
}
addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && around(HTMLDetailsElement, MENUS, event);
  if (!menu) return;
  menu.open = false;
  get(HTMLElement, "summary", menu).focus();
});

// A page that shows nothing of a tournament hears nothing of one.
const follows = mode !== "no" || main.dataset.tables || document.querySelector("[data-wall]");
if (connection.dataset.live === "yes" && follows) {
  if (freeze) {
    freeze.hidden = state === "final";
    freeze.addEventListener("click", () => {
      frozen = !frozen;
      freeze.setAttribute("aria-pressed", String(frozen));
      freeze.textContent = frozen ? "Frozen" : "Freeze";
      if (frozen) { disconnect(); setConnection("frozen", ""); } else { connect(); if (mode !== "no") refresh(); }
    });
  }
  find(HTMLButtonElement, "#show-more")?.addEventListener("click", () => location.reload());
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", connect);
  addEventListener("DOMContentLoaded", connect); // all scripts listen then; a wall's first event has what later ones leave out
} else if (state === "final") showState();
