// The host of a URL, read as the URL Standard says. Evaluated inside the realm (realm-script.ts).
import { encodeSets, percentDecode, percentEncode } from './url-record.js';

const forbidden = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const forbiddenInDomain = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;

/** The mapping of other scripts to ASCII follows the tables of a version of Unicode: it would differ between hosts. */
function refuseScript(host: string): never {
  throw new TypeError(`a host name of a URL is ASCII in tool behavior; write '${host}' in its form with xn--`);
}

/** The host as text; undefined where it is none. */
export function hostOf(text: string, isOpaque: boolean): string | undefined {
  if (text.startsWith('[')) {
    const pieces = text.endsWith(']') ? ipv6Of(text.slice(1, -1)) : undefined;
    return pieces && `[${ipv6Text(pieces)}]`;
  }
  if (isOpaque) return forbidden.test(text) ? undefined : percentEncode(text, encodeSets.control);
  const decoded = percentDecode(text);
  if (/[^\0-\x7f]/.test(decoded)) refuseScript(decoded);
  const domain = decoded.toLowerCase();
  if (domain === '' || forbiddenInDomain.test(domain)) return undefined;
  if (!endsInNumber(domain)) return domain;
  const number = ipv4Of(domain);
  if (number === undefined) return undefined;
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

function endsInNumber(domain: string): boolean {
  const labels = domain.split('.');
  if (labels.at(-1) === '' && labels.length > 1) labels.pop();
  return /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '');
}

function ipv4Of(domain: string): number | undefined {
  const labels = domain.split('.');
  if (labels.at(-1) === '' && labels.length > 1) labels.pop();
  if (labels.length > 4) return undefined;
  const numbers = labels.map(numberOf);
  if (numbers.some((number) => number === undefined)) return undefined;
  const [last, ...before] = (numbers as number[]).reverse();
  if (before.some((number) => number > 255) || (last as number) >= 256 ** (4 - before.length)) return undefined;
  return before.reverse().reduce((sum, number, index) => sum + number * 256 ** (3 - index), last as number);
}

function numberOf(label: string): number | undefined {
  if (/^0x[\da-f]*$/.test(label)) return label === '0x' ? 0 : Number.parseInt(label.slice(2), 16);
  if (/^0[0-7]*$/.test(label)) return Number.parseInt(label, 8);
  return /^[1-9]\d*$/.test(label) ? Number(label) : undefined;
}

function ipv6Of(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || /^:(?!:)|[^:]:$/.test(text)) return undefined;
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  const left = 8 - head.length - (tail as number[]).length;
  return left < 1 ? undefined : [...head, ...Array.from({ length: left }, () => 0), ...(tail as number[])];
}

/** The last group may be an IPv4 address. */
function groupsOf(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (isLast && index === parts.length - 1 && part.includes('.')) {
      const numbers = part.split('.');
      if (numbers.length !== 4 || numbers.some((number) => !/^(?:0|[1-9]\d{0,2})$/.test(number) || Number(number) > 255)) return undefined;
      const [a = 0, b = 0, c = 0, d = 0] = numbers.map(Number);
      groups.push(a * 256 + b, c * 256 + d);
    } else if (/^[\da-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** The first of the longest runs of at least two zeros is `::`. */
function ipv6Text(groups: readonly number[]): string {
  let [longest, at] = [1, -1];
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > longest) [longest, at] = [length, start];
  }
  const texts = groups.map((group) => group.toString(16));
  return at < 0 ? texts.join(':') : `${texts.slice(0, at).join(':')}::${texts.slice(at + longest).join(':')}`;
}
