// Uploads a version of a bot with its progress, and follows the report about one.

import { find, get, make } from "./dom.js";

/** @import { Report, Upload } from "../../../view/data" */

const form = find(HTMLFormElement, "#submit");
if (form) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form).catch((problem) => say(problem.message));
  });
}

/** @param {string} text */
function say(text) { get(HTMLElement, "#submit-said").textContent = text; }

/** @param {HTMLFormElement} form */
async function send(form) {
  const button = get(HTMLButtonElement, "button", form), progress = get(HTMLProgressElement, "progress", form);
  const values = new FormData(form), name = String(values.get("bot")).trim();
  button.disabled = true;
  say("Uploading …");
  try {
    const { upload, received } = await put(values.get("file"), progress);
    const answer = await fetch(`/api/bots/${encodeURIComponent(name)}/versions`, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ upload, size: received, note: values.get("note") }),
    });
    const done = await answer.json();
    if (!answer.ok) throw new Error(done.error);
    location.assign(`/submissions/${encodeURIComponent(name)}/${done.version}`);
  } finally {
    button.disabled = false;
    progress.hidden = true;
  }
}

/**
 * Uploads a file. An XMLHttpRequest, because only it tells how much is sent.
 * @param {FormDataEntryValue | null} file @param {HTMLProgressElement} progress @returns {Promise<Upload>}
 */
function put(file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", "/api/uploads");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      progress.hidden = false;
      progress.value = event.loaded / (event.total || 1);
    });
    request.addEventListener("load", () => {
      if (request.status === 200) resolve(request.response);
      else reject(new Error(request.response?.error ?? "The upload failed; try again."));
    });
    request.addEventListener("error", () => reject(new Error("The connection is lost; try again.")));
    request.send(file);
  });
}

/** @type {Record<string, string>} */
const MARKS = { passed: "✓", failed: "✗", noted: "!" };

/** Looks every second what is new in a report, until the version is decided. @param {HTMLElement} report */
async function follow(report) {
  const state = get(HTMLElement, "#state"), address = `${report.dataset.report}?from=${report.dataset.next}`;
  /** @type {Report | null} */
  const found = await fetch(address).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  if (found) {
    for (const line of found.lines) {
      const item = make("li", line.level, report);
      make("span", "dim", item, line.step);
      item.append(` ${MARKS[line.level] ?? ""} `);
      make("bdi", "", item, line.text);
    }
    report.dataset.next = String(found.next);
    get(HTMLElement, "#elapsed").textContent = found.elapsed && `for ${found.elapsed}`;
    get(HTMLElement, "#waits").textContent = found.waits && `(${found.waits})`;
    if (found.state !== state.dataset.state) {
      state.replaceChildren(make("b", "", null, found.state));
      if (found.reason) { state.append(": "); make("bdi", "", state, found.reason); }
      state.dataset.state = found.state;
    }
    if (["accepted", "refused"].includes(found.state) && !found.lines.length) return;
  }
  setTimeout(() => follow(report), 1000);
}

const report = find(HTMLElement, "#report");
if (report) follow(report);
