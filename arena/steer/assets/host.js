// The control room: it looks again every two seconds, and asks in a dialog.
// Without this script the forms work too: each leads to a page that asks.

import { around, find, findAll, get, make, pageIn } from "./dom.js";
import { refresh } from "./live.js";
import { counted, estimate } from "./words.js";

const LOOK = 2000; // ms
const room = find(HTMLElement, ".room"), dialog = make("dialog", "", document.body); // outside of what is updated
dialog.id = "ask";
dialog.setAttribute("aria-label", "Your decision");

if (room && location.pathname !== "/host") history.replaceState(null, "", "/host");

if (room) setInterval(() => { if (!document.hidden) refresh(); }, LOOK);

/** @param {HTMLFormElement} form */
async function sent(form) {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  const page = await pageIn(await fetch(form.action, { method: "POST", body }));
  return { ask: find(HTMLElement, ".ask", page), said: find(HTMLElement, "#said", page), text: page.querySelector("main")?.textContent?.trim() };
}

/** @param {HTMLElement} ask */
function show(ask) {
  dialog.replaceChildren(ask);
  if (!dialog.open) dialog.showModal();
  (find(HTMLElement, "[name=name], [name=reason]", dialog) ?? find(HTMLElement, "button, a", dialog))?.focus();
}

/** @param {string} text */
function tell(text) {
  const box = make("div", "ask");
  make("p", "wrong", box, text).setAttribute("role", "alert");
  make("button", "control", box, "Back").addEventListener("click", () => dialog.close());
  show(box);
}

/** @param {HTMLFormElement} form */
async function decide(form) {
  const button = dialog.contains(form) && form.querySelector("button");
  if (button) button.textContent = "Wait …";
  const { ask, said, text } = await sent(form);
  if (ask) { show(ask); return; }
  const outcome = said?.firstElementChild;
  if (outcome?.classList.contains("refused")) { tell(get(HTMLElement, "p", outcome).textContent ?? ""); return; }
  if (!said) { tell(text || "The page did not answer. Try again."); return; }
  dialog.close();
  get(HTMLElement, "#said").replaceChildren(...said.childNodes);
  find(HTMLElement, ".said")?.focus();
  for (const menu of findAll(HTMLDetailsElement, ".room details[open]")) menu.open = false;
  if (form.action.endsWith("/admit")) for (const field of findAll(HTMLInputElement, ".act [name=about], .act [name=where]")) field.value = "";
  refresh();
}

/** The forms whose answer is awaited. @type {WeakSet<HTMLFormElement>} */
const busy = new WeakSet();

if (room) {
  document.addEventListener("submit", (event) => {
    const form = around(HTMLFormElement, "form", event);
    if (!form || /\/(enter|leave)$/.test(form.action)) return;
    event.preventDefault();
    if (busy.has(form)) return;
    busy.add(form);
    decide(form).catch(() => tell("The page did not answer, so it is not known whether this was done. Look below, then try again."))
      .finally(() => busy.delete(form));
  });
  dialog.addEventListener("click", (event) => {
    if (!around(Element, "a.control", event) && event.target !== dialog) return;
    event.preventDefault();
    dialog.close();
  });
}

/** The stepper: how many games it adds, before anything is asked. @param {HTMLFormElement} form */
function steps(form) {
  const number = get(HTMLInputElement, "[name=more]", form), told = get(HTMLElement, "output", form);
  const count = () => {
    const unit = new FormData(form).get("unit");
    const games = Number(number.value || 0) * Number(unit === "boards" ? form.dataset.board : form.dataset.cycle);
    const takes = games * Number(form.dataset.pace);
    told.textContent = `Adds ${counted(games, "game")}${takes ? `, ${estimate(takes)}` : ""}.`;
  };
  /** @param {string} text @param {1 | -1} by @param {string} label */
  const step = (text, by, label) => {
    const button = make("button", "control", null, text);
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => { number.value = String(Math.min(99, Math.max(1, Number(number.value || 0) + by))); count(); });
    return button;
  };
  number.before(step("−", -1, "one less"));
  number.after(step("+", 1, "one more"));
  form.addEventListener("input", count);
  count();
}
// Also in a form that comes later, such as when the tournament begins.
/** @type {WeakSet<HTMLFormElement>} */
const stepped = new WeakSet();
function stepAll() {
  for (const form of findAll(HTMLFormElement, ".extend")) if (!stepped.has(form)) { stepped.add(form); steps(form); }
}
document.addEventListener("arena-fresh", stepAll);
stepAll();
