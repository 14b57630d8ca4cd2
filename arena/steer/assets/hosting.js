// Notes in the browser whether it is the host's. Other pages then show buttons that only the host can use (live.js).

import { get } from "./dom.js";

try {
  localStorage.setItem("arena-host", get(HTMLElement, "[data-host]").dataset.host ?? "no");
} catch { /* it keeps no notes */ }
