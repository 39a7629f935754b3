// JSON as a person reads it: indented and colored, and differences member by member.
import { h } from './dom.mjs';
import { diffJson, pathText } from './json-diff.mjs';

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Longer texts stay uncolored: a span a token would be slow. */
const coloredCharsMax = 50_000;

/** A block for a value. */
export function jsonBlock(value) {
  return colorJson(h('pre', { class: 'json', tabindex: '0' }, JSON.stringify(value, null, 2)));
}

/** Colors a block whose text is JSON. */
export function colorJson(block) {
  const text = block.textContent;
  if (text.length > coloredCharsMax) return block;
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(tokens)) {
    const kind = match[1] === undefined ? (match[3] === undefined ? 'number' : 'word') : match[2] === undefined ? 'string' : 'key';
    const token = kind === 'key' ? match[1] : match[0];
    parts.push(text.slice(from, match.index), h('span', { class: `json-${kind}` }, token));
    from = match.index + token.length;
  }
  block.replaceChildren(...parts, text.slice(from));
  return block;
}

/** What changed in a row, member by member; of a new or deleted row its members alone. */
export function changeTable(before, after) {
  const changes = diffJson(before ?? {}, after ?? {});
  if (changes.length === 0) return h('p', { class: 'quiet' }, 'Nothing changed.');
  const sides = [
    ...(before === null ? [] : [{ name: 'before', title: 'Before' }]),
    ...(after === null ? [] : [{ name: 'after', title: 'After' }]),
  ];
  const value = (name, member) =>
    member === undefined ? h('span', { class: 'nothing' }, 'absent') : h('code', { class: name }, JSON.stringify(member));
  const head = h('tr', {}, ...['Member', ...sides.map((side) => side.title)].map((title) => h('th', { scope: 'col' }, title)));
  const body = changes.map((change) => {
    const cells = sides.map(({ name }) => h('td', {}, value(name, change[name])));
    return h('tr', {}, h('th', { scope: 'row' }, h('code', {}, pathText(change.path))), ...cells);
  });
  return h('table', { class: 'diff' }, h('thead', {}, head), h('tbody', {}, ...body));
}
