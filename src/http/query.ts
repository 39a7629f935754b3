// A query as text by name.
import type { Issue } from '../contract/errors.js';
import { pointerToken } from '../contract/json-fault.js';
import { limits } from '../contract/limits.js';

/** As HTML forms write it: `+` is a space. A name that comes twice is refused, because no endpoint takes lists. */
export function parseQuery(query: string, issues: Issue[]): { readonly [name: string]: string } {
  const values: { [name: string]: string } = Object.create(null);
  for (const part of query.split('&')) {
    if (part === '') continue;
    const mark = part.indexOf('=');
    const name = formDecoded(mark < 0 ? part : part.slice(0, mark));
    const value = formDecoded(mark < 0 ? '' : part.slice(mark + 1));
    if (name === undefined || value === undefined) {
      issues.push({
        path: name === undefined ? '/query' : `/query${pointerToken(name)}`,
        code: 'format',
        message: 'is not percent-encoded UTF-8',
      });
    } else if (name in values) {
      issues.push({
        path: `/query${pointerToken(name)}`,
        code: 'duplicate',
        message: `"${name.slice(0, limits.quotedNameCharsMax)}" is given more than once`,
      });
    } else {
      values[name] = value;
    }
    if (issues.length >= limits.issuesMax) break;
  }
  return values;
}

/** As `parseQuery`, for those who take lists: the values of each name in order. Undefined where it is not percent-encoded UTF-8. */
export function parseLists(text: string): { [name: string]: string[] } | undefined {
  const lists: { [name: string]: string[] } = Object.create(null);
  for (const part of text.split('&')) {
    if (part === '') continue;
    const mark = part.indexOf('=');
    const name = formDecoded(mark < 0 ? part : part.slice(0, mark));
    const value = formDecoded(mark < 0 ? '' : part.slice(mark + 1));
    if (name === undefined || value === undefined) return undefined;
    const values = lists[name];
    if (values === undefined) lists[name] = [value];
    else values.push(value);
  }
  return lists;
}

/** A value of a form, or of a query as forms write it; undefined where it is no percent-encoded UTF-8. */
export function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
