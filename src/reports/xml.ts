// XML as text: elements whose names are ours and whose contents may be anything.
import { visibleText } from '../text/visible-text.js';

export interface XmlElement {
  name: string;
  attributes: { [name: string]: string | number };
  children: (XmlElement | string)[];
}

export function element(name: string, attributes: XmlElement['attributes'], ...children: XmlElement['children']): XmlElement {
  return { name, attributes, children };
}

/** A document of XML 1.0. Characters it has no place for become visible escapes. */
export function xmlDocument(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, '')}`;
}

function write({ name, attributes, children }: XmlElement, margin: string): string {
  const start = Object.entries(attributes).reduce(
    (text, [key, value]) => `${text} ${key}="${escapeAttribute(String(value))}"`,
    `${margin}<${name}`,
  );
  if (children.length === 0) return `${start}/>\n`;
  // An element with text in it gets no white space of ours.
  if (children.some((child) => typeof child === 'string')) {
    const content = children.map((child) => (typeof child === 'string' ? escapeContent(child) : write(child, '').trimEnd())).join('');
    return `${start}>${content}</${name}>\n`;
  }
  const content = children.map((child) => write(child as XmlElement, `${margin}  `)).join('');
  return `${start}>\n${content}${margin}</${name}>\n`;
}

function escapeContent(text: string): string {
  return visibleText(text).replace(/[&<>]/g, (char) => (char === '&' ? '&amp;' : char === '<' ? '&lt;' : '&gt;'));
}

function escapeAttribute(text: string): string {
  return escapeContent(text).replace(/["\n\t]/g, (char) => (char === '"' ? '&quot;' : char === '\n' ? '&#10;' : '&#9;'));
}
