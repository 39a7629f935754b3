// The kinds of values that a setting of `drillyard serve` takes, from the text of a flag or a variable.
import { isJwksUrl } from '../control/jwks-url.js';

/** What a setting takes, said of a value that it does not. */
export class NotTaken extends Error {}

export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
    throw new NotTaken(`an integer from ${min} to ${max}`);
  };
}
export function choice<const Name extends string>(...names: Name[]): (text: string) => Name {
  return (text) => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new NotTaken(`${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
  };
}
export function nonEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new NotTaken('something other than nothing');
}
export function address(text: string): string {
  if (/^[A-Za-z0-9.:_-]+$/.test(text)) return text;
  throw new NotTaken('an IP address or a host name of this machine, such as 127.0.0.1');
}
export function url(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new NotTaken('a URL that begins with https:// or http://');
}
export function jwksUrl(text: string): string {
  if (isJwksUrl(text)) return text;
  throw new NotTaken('a URL that begins with https://, or one of this machine');
}
export function origin(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && text.replace(/\/$/, '').toLowerCase() === parsed.origin) return parsed.origin;
  throw new NotTaken('scheme, host and port alone, such as https://drills.example.com');
}
export function stringArray(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new NotTaken('a JSON array of strings, such as ["--model","small"]');
}

export function ports(text: string): number[] {
  const listed = text.split(',').map((one) => Number(one.trim()));
  if (/^[\d, ]+$/.test(text) && listed.every((port) => Number.isInteger(port) && port >= 1 && port <= 65535)) return listed;
  throw new NotTaken('ports with commas between them, such as 443,8443');
}
