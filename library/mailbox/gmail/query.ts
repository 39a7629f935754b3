// Gmail's search as ours: the two are alike; what it says in other words is put into ours here. Labels that are asked for beside the query
// are terms of it.
import type { HttpRequest } from 'drillyard/tool-sdk';
import { isoOf } from '../mail/dates.js';
import { ownLabel } from './labels.js';
import { flag, single } from './request.js';

/** `also`: a term that holds of all that is listed, such as `in:drafts`. */
export function queryOf(request: HttpRequest, also?: string): string | undefined {
  const labels = (request.query.labelIds ?? []).map(ownLabel).map((label) => {
    if (label === 'unread') return 'is:unread';
    return label === 'starred' ? 'is:starred' : `label:"${label.replaceAll('"', '')}"`;
  });
  const asked = translated(single(request, 'q') ?? '').trim();
  const terms = [
    ...(asked === '' ? [] : [asked.includes(' OR ') ? `(${asked})` : asked]),
    ...labels,
    ...(flag(request, 'includeSpamTrash') ? ['in:anywhere'] : []),
    ...(also === undefined ? [] : [also]),
  ];
  return terms.length === 0 ? undefined : terms.join(' ');
}

/** Outside of quotation marks. */
function translated(query: string): string {
  return query.replace(/("[^"]*")|\{([^{}]*)\}|\b(after|before|newer|older):(\S+)|\b(label|in|is):(\S+)/gi, translatedTerm);
}

function translatedTerm(whole: string, quoted?: string, braces?: string, side?: string, time = '', place?: string, value = ''): string {
  if (quoted !== undefined) return quoted;
  if (braces !== undefined) return `(${braces.trim().split(/\s+/).join(' OR ')})`;
  if (side !== undefined) {
    const name = /^(?:after|newer)$/i.test(side) ? 'after' : 'before';
    return /^[0-9]{9,11}$/.test(time) ? `${name}:"${isoOf(Number(time) * 1_000_000)}"` : `${name}:${time}`;
  }
  const term = value.toLowerCase();
  if (term === 'unread' || term === 'read' || term === 'starred') return `is:${term}`;
  if (place?.toLowerCase() === 'is') return whole;
  return `${place}:${term === 'draft' ? 'drafts' : value}`;
}
