// Addresses and the people behind them. The schema has let in only `a@b.example` and `Name <a@b.example>`.
import type { Content, Person } from './model.js';

export function personOf(text: string): Person {
  const named = /^(.*?)\s*<([^<>]+)>$/.exec(text);
  const [name, address] = named ? [named[1], named[2] ?? ''] : [undefined, text];
  return { address: address.toLowerCase(), name: name || null };
}

export function peopleOf(texts: readonly string[] = []): Person[] {
  return withoutRepeats(texts.map(personOf));
}

export const textOf = ({ name, address }: Person): string => (name === null ? address : `${name} <${address}>`);

/** Each address once, as it first came. */
export function withoutRepeats<Someone extends { readonly address: string }>(
  people: readonly Someone[],
  except: readonly Someone[] = [],
): Someone[] {
  const seen = new Set(except.map(({ address }) => address));
  return people.filter(({ address }) => !seen.has(address) && seen.add(address));
}

export function recipientsOf({ to, cc, bcc }: Pick<Content, 'to' | 'cc' | 'bcc'>): string[] {
  return withoutRepeats([...to, ...cc, ...bcc]).map(({ address }) => address);
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
