// The control room: it looks again every two seconds, asks in a dialog, and counts the seconds meanwhile.
// Without this script the forms work too: each leads to a page that asks.

import { refresh } from "/assets/live.js";

const LOOK = 2000; // ms
const room = document.querySelector(".room"), dialog = document.createElement("dialog");
dialog.id = "ask";
dialog.setAttribute("aria-label", "Your decision");
document.body.append(dialog); // outside of what is updated

if (room && location.pathname !== "/host") history.replaceState(null, "", "/host");

if (room) setInterval(() => { if (!document.hidden) refresh(); }, LOOK);

// Seconds that pass between two looks.
setInterval(() => {
  for (const each of document.querySelectorAll("[data-since]")) {
    const told = each.dataset.since;
    if (each.told !== told) { each.told = told; each.at = Date.now(); }
    const all = Number(told) + Math.floor((Date.now() - each.at) / 1000), two = (number) => String(number).padStart(2, "0");
    each.textContent = `${all >= 3600 ? `${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)}` : Math.floor(all / 60)}:${two(all % 60)}`;
  }
}, 1000);

async function sent(form) {
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { ask: page.querySelector(".ask"), said: page.getElementById("said"), text: page.querySelector("main")?.textContent.trim() };
}

function show(...nodes) {
  dialog.replaceChildren(...nodes);
  if (!dialog.open) dialog.showModal();
  (dialog.querySelector("[name=name], [name=reason]") ?? dialog.querySelector("button, a"))?.focus();
}

function tell(text) {
  const box = document.createElement("div"), line = document.createElement("p"), back = document.createElement("button");
  box.className = "ask";
  line.className = "wrong";
  line.setAttribute("role", "alert");
  line.textContent = text;
  back.className = "control";
  back.textContent = "Back";
  back.addEventListener("click", () => dialog.close());
  box.append(line, back);
  show(box);
}

async function decide(form) {
  const button = dialog.contains(form) && form.querySelector("button");
  if (button) button.textContent = "Wait …";
  const { ask, said, text } = await sent(form);
  if (ask) return show(ask);
  const outcome = said?.firstElementChild;
  if (outcome?.classList.contains("refused")) return tell(outcome.querySelector("p").textContent);
  if (!said) return tell(text || "The page did not answer. Try again.");
  dialog.close();
  document.getElementById("said").replaceChildren(...said.childNodes);
  document.querySelector(".said")?.focus();
  for (const menu of document.querySelectorAll(".room details[open]")) menu.open = false;
  if (form.action.endsWith("/admit")) for (const field of document.querySelectorAll(".act [name=about], .act [name=where]")) field.value = "";
  refresh();
}

if (room) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (/\/(enter|leave)$/.test(form.action)) return;
    event.preventDefault();
    if (form.busy) return;
    form.busy = true;
    decide(form).catch(() => tell("The page did not answer, so it is not known whether this was done. Look below, then try again."))
      .finally(() => { form.busy = false; });
  });
  dialog.addEventListener("click", (event) => {
    const no = event.target.closest("a.control");
    if (!no && event.target !== dialog) return;
    event.preventDefault();
    dialog.close();
  });
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.(".menu[open]");
    if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
  });
}

// The stepper: how many games it adds, before anything is asked.
function steps(form) {
  const number = form.querySelector("[name=more]"), unit = form.querySelector("[name=unit]"), told = form.querySelector("output");
  const count = () => {
    const games = Number(number.value || 0) * Number(unit.value === "boards" ? form.dataset.board : form.dataset.cycle);
    const seconds = games * Number(form.dataset.pace);
    const takes = seconds <= 0 ? "" : seconds < 50 ? ", under a minute" : `, about ${Math.max(1, Math.round(seconds / 60))} min`;
    told.textContent = `Adds ${games} game${games === 1 ? "" : "s"}${takes}.`;
  };
  for (const [text, by, label] of [["−", -1, "one less"], ["+", 1, "one more"]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "control";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => { number.value = Math.min(99, Math.max(1, Number(number.value || 0) + by)); count(); });
    if (by < 0) number.before(button); else number.after(button);
  }
  form.addEventListener("input", count);
  count();
}
// Also in a form that comes later, such as when the tournament begins.
const stepped = new WeakSet();
function stepAll() {
  for (const form of document.querySelectorAll(".extend")) if (!stepped.has(form)) { stepped.add(form); steps(form); }
}
document.addEventListener("arena-fresh", stepAll);
stepAll();
