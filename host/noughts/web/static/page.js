// The page: its elements, its data, and what it remembers.

export const $ = (id) => document.getElementById(id);

/** The data that the server put into the page; null on a page without any. */
export const view = JSON.parse($('view')?.textContent ?? 'null');

/**
 * What makes elements with attributes and children; `onclick` and the like are listeners. Text is
 * always text: nothing that a board or a store says is read as HTML.
 */
const maker = (namespace) => (name, attributes = {}, ...children) => {
  const node = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value != null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};
export const element = maker('http://www.w3.org/1999/xhtml');
export const svg = maker('http://www.w3.org/2000/svg');

/** A picture of `icons.svg`, which is in the page. */
export function icon(name) {
  return svg('svg', { class: 'icon', 'aria-hidden': 'true' }, svg('use', { href: `#i-${name}` }));
}

/** `1 game`, `2 games`. */
export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A number with its sign, and a real minus: `+3`, `0`, `−1`. */
export function signed(number) {
  return number > 0 ? `+${number}` : String(number).replace('-', '−');
}

/** The value that several moves all have; empty if they differ, or if there is one move only. */
export function commonValue(values) {
  return values.length > 1 && new Set(values).size === 1 ? values[0] : '';
}

/** A message with a full stop, if it has no other end. */
export function sentence(text) {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** Joins the class names that apply. */
export function classes(...names) {
  return names.filter(Boolean).join(' ');
}

/** What was remembered in `localStorage` or `sessionStorage`; a browser may refuse both. */
export function remembered(storage, name) {
  try {
    return JSON.parse(window[storage].getItem(name)) ?? {};
  } catch {
    return {};
  }
}

export function remember(storage, name, value) {
  try {
    window[storage].setItem(name, JSON.stringify(value));
  } catch {
    // Then it lasts as long as the page.
  }
}
