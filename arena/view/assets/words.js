// Numbers and times in words, as the page has them in Python.

/** Such as `1 card` and `2 cards`. @param {number} count @param {string} one */
export function counted(count, one) { return `${count} ${one}${count === 1 ? "" : "s"}`; }

/** Such as `1st`. @param {number} number */
export function ordinal(number) { return ["1st", "2nd", "3rd"][number - 1] || `${number}th`; }

/** A span of time as a clock shows it, such as `2:10`, `1:02:10`, `3 d 4 h`. @param {number} seconds */
export function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [days, hours, all] = [86400, 3600, 60].map((unit) => Math.floor(whole / unit));
  if (days) return `${days} d ${hours % 24} h`;
  const two = (/** @type {number} */ number) => String(number % 60).padStart(2, "0");
  return hours ? `${hours}:${two(all)}:${two(whole)}` : `${all}:${two(whole)}`;
}

/** An estimated span of time: `about 45 s`, `about 3 min`, `about 2.5 h`. @param {number} seconds */
export function estimate(seconds) {
  const rough = seconds < 100 ? Math.max(5, 5 * Math.round(seconds / 5)) : seconds;
  if (rough < 100) return `about ${rough} s`;
  return `about ${rough < 5400 ? `${Math.round(rough / 60)} min` : `${(Math.round(rough / 360) / 10).toFixed(1)} h`}`;
}
