// Follows one bot in lines over time: the last one whose row or line the pointer or the focus was at.
// The server draws the lines. Their values are in the table below them.

const NS = "http://www.w3.org/2000/svg";
const ROOM = 44; // px that a value needs
const NEAR = 120; // of 1000: how near to a point of a line the pointer has to be

const boxOf = (target) => target.closest?.(".history.drawn");
const drawn = (box) => [...box.querySelectorAll(".drawing > svg")].find((svg) => svg.getClientRects().length);
const pointsOf = (line) => line.firstElementChild.getAttribute("points").split(" ").map((point) => point.split(",").map(Number));

function mark(name, attributes, text = "") {
  const made = document.createElementNS(NS, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.textContent = text;
  return made;
}

// Shows the line of a bot, and its value at a moment or at the last one. Returns them in words.
function follow(box, key, moment = Infinity) {
  const svg = drawn(box), line = svg?.querySelector(`.line[data-key="${key}"]`);
  if (!line) return "";
  const row = box.querySelector(`.told tbody [data-key="${key}"]`), heads = box.querySelectorAll(".told thead th");
  const told = [...row.cells].map((cell, at) => [heads[at].textContent, ...cell.textContent.split(", ")]).slice(1).filter((each) => each[1]);
  const at = Math.max(0, Math.min(told.length - 1, moment));
  Object.assign(box, { key, at });
  for (const each of box.querySelectorAll("tr[data-key], .line")) each.classList.toggle("on", each.dataset.key === key);
  if (line.nextElementSibling) line.parentNode.append(line); // above the others
  const values = svg.querySelector(".values"), which = svg.matches(".by-place") ? 2 : 1;
  const every = svg.clientWidth / told.length > ROOM;
  values.setAttribute("class", line.getAttribute("class").replace("line", "values"));
  values.replaceChildren(...pointsOf(line).flatMap(([x, y], number) => every || number === at ? [
    mark("circle", { cx: `${x / 10}%`, cy: `${y / 10}%`, r: number === at ? 6 : 4 }),
    mark("text", { x: `${x / 10}%`, y: `${y / 10}%`, dy: y < 120 ? 22 : -11 }, told[number][which]),
  ] : []));
  const [name, score, place] = told[at], who = row.querySelector(".name");
  const words = ` ${box.querySelector(".lines").dataset.moment} ${name}: ${score}${place ? `, place ${place}` : ""}`;
  box.querySelector(".readout").replaceChildren(who.cloneNode(true), words);
  return who.textContent + words;
}

function all() {
  for (const box of document.querySelectorAll(".history.drawn")) follow(box, box.key ?? box.querySelector(".line").dataset.key, box.at);
  document.querySelectorAll(".crossbox").forEach(goesOn);
}

function pointed({ target, clientX, clientY }) {
  const box = boxOf(target), row = target.closest?.("tr[data-key]");
  if (box && row && row.dataset.key !== box.key) follow(box, row.dataset.key);
  if (!box || !target.closest(".drawing")) return;
  const svg = drawn(box), area = svg.getBoundingClientRect();
  let nearest = [NEAR];
  for (const line of svg.querySelectorAll(".line")) pointsOf(line).forEach(([x, y], at) => {
    const far = Math.hypot(x - 1000 * (clientX - area.left) / area.width, y - 1000 * (clientY - area.top) / area.height);
    if (far < nearest[0]) nearest = [far, line.dataset.key, at];
  });
  const [, key, at] = nearest;
  if (key && (key !== box.key || at !== box.at)) follow(box, key, at);
}

for (const kind of ["pointermove", "pointerdown"]) addEventListener(kind, pointed);
addEventListener("focusin", ({ target }) => { if (target.closest("tr")) pointed({ target }); });
addEventListener("change", ({ target }) => { const box = boxOf(target); if (box) follow(box, box.key, box.at); });
addEventListener("keydown", (event) => {
  const box = event.target.matches?.(".drawing") && boxOf(event.target);
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!box || !step || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const keys = [...box.querySelectorAll(".told tbody tr")].map((row) => row.dataset.key);
  const key = keys[keys.indexOf(box.key) + step[0]] ?? box.key;
  const words = follow(box, key, box.at + step[1]), status = document.getElementById("status");
  if (status) status.textContent = words;
});

// Whether a crosstable goes on to the right.
function goesOn(box) { box.classList.toggle("cut", box.scrollWidth - box.clientWidth - box.scrollLeft > 1); }
addEventListener("scroll", ({ target }) => { if (target.matches?.(".crossbox")) goesOn(target); }, true);

document.addEventListener("arena-fresh", all);
addEventListener("resize", all);
all();
