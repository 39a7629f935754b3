// Text, bytes and base64. The realm of tool code has neither TextEncoder nor atob.

/** UTF-8. */
export function bytesOf(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), tail(point));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), tail(point >> 6), tail(point));
    else bytes.push(0xf0 | (point >> 18), tail(point >> 12), tail(point >> 6), tail(point));
  }
  return bytes;
}

const tail = (bits: number): number => 0x80 | (bits & 0x3f);

/** Undefined where the bytes are no UTF-8: such a file has no lines. */
export function textOf(bytes: readonly number[]): string | undefined {
  try {
    return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  } catch {
    return undefined;
  }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function base64Of(bytes: readonly number[]): string {
  const groups: string[] = [];
  for (let start = 0; start < bytes.length; start += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(start, start + 3);
    const bits = (a << 16) | (b << 8) | c;
    const group = [18, 12, 6, 0].map((shift) => digits[(bits >> shift) & 63]).join('');
    groups.push(group.slice(0, Math.min(bytes.length - start, 3) + 1).padEnd(4, '='));
  }
  return groups.join('');
}

/** Undefined where it is no base64; line breaks are allowed, as GitHub sends them. */
export function bytesOfBase64(text: string): number[] | undefined {
  const compact = text.replace(/[\r\n\t ]/g, '').replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(compact) || compact.length % 4 === 1) return undefined;
  const bytes: number[] = [];
  for (let start = 0; start < compact.length; start += 4) {
    const group = compact.slice(start, start + 4);
    const bits = [0, 1, 2, 3].reduce((sum, index) => (sum << 6) | Math.max(0, digits.indexOf(group[index] ?? 'A')), 0);
    bytes.push(...[bits >> 16, bits >> 8, bits].slice(0, group.length - 1).map((byte) => byte & 0xff));
  }
  return bytes;
}

/** Base64 in lines of 60 characters, each with its line break: what GitHub sends as `content`. */
export function wrapped(base64: string): string {
  return (base64.match(/.{1,60}/g) ?? []).map((line) => `${line}\n`).join('');
}
