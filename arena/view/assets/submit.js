// Uploads a version of a bot with its progress, and follows the report about one.

const form = document.getElementById("submit");
if (form) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(new FormData(form)).catch((problem) => say(problem.message));
  });
}

function say(text) {
  document.getElementById("submit-said").textContent = text;
}

async function send(values) {
  const button = form.querySelector("button"), name = values.get("bot").trim();
  button.disabled = true;
  say("Uploading …");
  try {
    const { upload, received } = await put(values.get("file"));
    const answer = await fetch(`/api/bots/${encodeURIComponent(name)}/versions`, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ upload, size: received, note: values.get("note") }),
    });
    const done = await answer.json();
    if (!answer.ok) throw new Error(done.error);
    location.assign(`/submissions/${encodeURIComponent(name)}/${done.version}`);
  } finally {
    button.disabled = false;
    form.querySelector("progress").hidden = true;
  }
}

// An XMLHttpRequest, because only it tells how much is sent.
function put(file) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(), progress = form.querySelector("progress");
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

const report = document.getElementById("report"), state = document.getElementById("state");
const marks = { passed: "✓", failed: "✗", noted: "!" };
const decided = () => ["accepted", "refused"].includes(state.dataset.state);

async function follow() {
  const found = await fetch(`${report.dataset.report}?from=${report.dataset.next}`).then((answer) => answer.ok ? answer.json() : null).catch(() => null);
  if (found) {
    for (const line of found.lines) {
      const item = document.createElement("li"), step = document.createElement("span"), text = document.createElement("bdi");
      item.className = line.level;
      step.className = "dim";
      step.textContent = line.step;
      text.textContent = line.text;
      item.append(step, ` ${marks[line.level] ?? ""} `, text);
      report.append(item);
    }
    report.dataset.next = found.next;
    document.getElementById("elapsed").textContent = found.elapsed && `for ${found.elapsed}`;
    if (found.state !== state.dataset.state) {
      const word = document.createElement("b"), why = document.createElement("bdi");
      word.textContent = found.state;
      why.textContent = found.reason;
      state.replaceChildren(word, found.reason ? ": " : "", why);
      state.dataset.state = found.state;
    }
    if (decided() && !found.lines.length) return;
  }
  setTimeout(follow, 1000);
}
if (report) follow();
