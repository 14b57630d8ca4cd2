// The view of a staged bracket: what the host shows opens.

import { openBoxes } from "./opening.js";

document.addEventListener("arena-fresh", openBoxes);
openBoxes();
