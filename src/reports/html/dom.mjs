// Elements from names, attributes and text. Nothing here takes markup: text stays text.
import { visibleText } from './visible-text.mjs';

const svgNames = 'http://www.w3.org/2000/svg';

/** @param {string} name @param {Record<string, unknown>} attributes @param {...(Node | string | null | undefined)} children */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNames, name), attributes, children);
}

/** A button: `onClick` is the only way a listener gets onto an element here. */
export function button(text, onClick, attributes = {}) {
  const element = h('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', onClick);
  return element;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(typeof child === 'string' ? visibleText(child) : child);
  }
  return element;
}
