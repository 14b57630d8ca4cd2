// Elements of the page: makes them, and finds those of a kind.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an HTML element, as the last child of `parent`.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {string} [classes] @param {ParentNode | null} [parent] @param {string | number} [text]
 */
export function make(name, classes, parent, text) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (made instanceof HTMLButtonElement) made.type = "button";
  if (text !== undefined) made.textContent = String(text);
  parent?.append(made);
  return made;
}

/**
 * Makes an element of an SVG image, as the last child of `parent`.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name @param {Record<string, string | number>} attributes @param {ParentNode | null} [parent]
 */
export function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, String(attributes[key]));
  parent?.append(made);
  return made;
}

/**
 * The elements of a kind that a selector finds below `root`.
 * @template {Element} Kind
 * @param {new () => Kind} kind @param {string} selector @param {ParentNode} [root]
 */
export function findAll(kind, selector, root = document) {
  return [...root.querySelectorAll(selector)].flatMap((each) => (each instanceof kind ? [each] : []));
}

/**
 * The first element that a selector finds below `root`; null if there is none, or it is of another kind.
 * @template {Element} Kind
 * @param {new () => Kind} kind @param {string} selector @param {ParentNode} [root]
 */
export function find(kind, selector, root = document) {
  const found = root.querySelector(selector);
  return found instanceof kind ? found : null;
}

/**
 * The same for an element that has to be there.
 * @template {Element} Kind
 * @param {new () => Kind} kind @param {string} selector @param {ParentNode} [root]
 */
export function get(kind, selector, root = document) {
  const found = find(kind, selector, root);
  if (!found) throw new Error(`The page has no ${kind.name} ${selector}.`);
  return found;
}

/**
 * The element of a kind that the target of an event is, or is in; null if there is none.
 * @template {Element} Kind
 * @param {new () => Kind} kind @param {string} selector @param {{ target: EventTarget | null }} event
 */
export function around(kind, selector, { target }) {
  const found = target instanceof Element ? target.closest(selector) : null;
  return found instanceof kind ? found : null;
}

/** The page that the server answers. @param {Response} answer */
export async function pageIn(answer) {
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Says something to people who hear the page. @param {string} text */
export function announce(text) {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

/** Whether things may move: some people have asked their system for no motion. */
export function mayMove() { return !matchMedia("(prefers-reduced-motion: reduce)").matches; }
