// Follows one bot in lines over time: the last one whose row or line the pointer or the focus was at.
// The server draws the lines. Their values are in the table below them.

import { announce, around, element, find, findAll, get } from "./dom.js";
import { drawGrown } from "./growing.js";

const ROOM = 44; // px that a value needs
const NEAR = 120; // of 1000: how near to a point of a line the pointer has to be

/** The bot that is followed in a box, and the moment. @type {WeakMap<HTMLElement, { key: string, at: number }>} */
const followed = new WeakMap();

/** The drawing of a box that is shown: by score or by place. @param {HTMLElement} box */
const drawn = (box) => findAll(SVGElement, ".drawing > svg", box).find((svg) => svg.getClientRects().length);

/** @param {Element} line @returns {[x: number, y: number][]} */
function pointsOf(line) {
  const points = line.firstElementChild?.getAttribute("points")?.split(" ") ?? [];
  return points.map((point) => { const [x, y] = point.split(",").map(Number); return [x, y]; });
}

/**
 * Shows the line of a bot, and its value at a moment or at the last one. Returns them in words.
 * @param {HTMLElement} box @param {string} key
 */
function follow(box, key, moment = Infinity) {
  const svg = drawn(box), line = svg && find(SVGElement, `.line[data-key="${key}"]`, svg);
  if (!line) return "";
  const row = get(HTMLTableRowElement, `.told tbody [data-key="${key}"]`, box), heads = findAll(HTMLElement, ".told thead th", box);
  const told = [...row.cells].map((cell, at) => [heads[at].textContent, ...cell.textContent.split(", ")]).slice(1).filter((each) => each[1]);
  const at = Math.max(0, Math.min(told.length - 1, moment));
  followed.set(box, { key, at });
  for (const each of box.querySelectorAll("tr[data-key], .line")) each.classList.toggle("on", each.getAttribute("data-key") === key);
  if (line.nextElementSibling) line.parentNode?.append(line); // above the others
  const values = get(SVGElement, ".values", svg), which = svg.matches(".by-place") ? 2 : 1;
  const every = svg.clientWidth / told.length > ROOM;
  values.setAttribute("class", line.getAttribute("class")?.replace("line", "values") ?? "");
  values.replaceChildren();
  pointsOf(line).forEach(([x, y], number) => {
    if (!every && number !== at) return;
    element("circle", { cx: `${x / 10}%`, cy: `${y / 10}%`, r: number === at ? 6 : 4 }, values);
    element("text", { x: `${x / 10}%`, y: `${y / 10}%`, dy: y < 120 ? 22 : -11 }, values).textContent = told[number][which];
  });
  const [name, score, place] = told[at], who = get(HTMLElement, ".name", row);
  const words = ` ${get(HTMLElement, ".lines", box).dataset.moment} ${name}: ${score}${place ? `, place ${place}` : ""}`;
  get(HTMLElement, ".readout", box).replaceChildren(who.cloneNode(true), words);
  return who.textContent + words;
}

/** The bot and the moment that a box shows; at first its first bot. @param {HTMLElement} box */
function shownIn(box) {
  return followed.get(box) ?? { key: get(SVGElement, ".line", box).dataset.key ?? "", at: Infinity };
}

function followAll() {
  for (const box of findAll(HTMLElement, ".history.drawn")) {
    const { key, at } = shownIn(box);
    follow(box, key, at);
  }
  findAll(HTMLElement, ".crossbox").forEach(goesOn);
}

/** @param {{ target: EventTarget | null }} event */
function boxAround(event) { return around(HTMLElement, ".history.drawn", event); }

/** Follows the bot of the row at which the pointer or the focus is. @param {{ target: EventTarget | null }} event */
function followRow(event) {
  const box = boxAround(event), key = around(HTMLElement, "tr[data-key]", event)?.dataset.key;
  if (box && key && key !== shownIn(box).key) follow(box, key);
}

/** Follows the bot whose line is near the pointer. @param {PointerEvent} event */
function followLine(event) {
  const box = boxAround(event), svg = box && around(Element, ".drawing", event) && drawn(box);
  if (!svg) return;
  const area = svg.getBoundingClientRect(), before = shownIn(box);
  let nearest = { far: NEAR, ...before };
  for (const line of findAll(SVGElement, ".line", svg)) pointsOf(line).forEach(([x, y], at) => {
    const far = Math.hypot(x - 1000 * (event.clientX - area.left) / area.width, y - 1000 * (event.clientY - area.top) / area.height);
    if (far < nearest.far) nearest = { far, key: line.dataset.key ?? "", at };
  });
  if (nearest.key !== before.key || nearest.at !== before.at) follow(box, nearest.key, nearest.at);
}

for (const kind of /** @type {const} */ (["pointermove", "pointerdown"])) addEventListener(kind, (event) => { followRow(event); followLine(event); });
addEventListener("focusin", followRow);
addEventListener("change", (event) => {
  const box = boxAround(event);
  if (!box) return;
  const { key, at } = shownIn(box);
  follow(box, key, at);
});
/** By how many bots and moments a key goes on. @type {Record<string, [bots: number, moments: number]>} */
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
addEventListener("keydown", (event) => {
  const box = event.target instanceof Element && event.target.matches(".drawing") && boxAround(event);
  if (!box || !(event.key in KEYS) || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const [bots, moments] = KEYS[event.key], before = shownIn(box);
  const keys = findAll(HTMLElement, ".told tbody tr", box).map((row) => row.dataset.key);
  announce(follow(box, keys[keys.indexOf(before.key) + bots] ?? before.key, before.at + moments));
});

/** Marks whether a crosstable goes on to the right. @param {Element} box */
function goesOn(box) { box.classList.toggle("cut", box.scrollWidth - box.clientWidth - box.scrollLeft > 1); }
addEventListener("scroll", ({ target }) => { if (target instanceof Element && target.matches(".crossbox")) goesOn(target); }, true);

const staged = document.querySelector("#main[data-staged]") !== null; // then results are shown one after another
document.addEventListener("arena-fresh", () => {
  followAll();
  if (staged) drawGrown();
});
addEventListener("resize", followAll);
followAll();
if (staged) drawGrown();
