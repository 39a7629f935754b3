// `atob` and `btoa` as tool code has them: base64 of a text whose characters are bytes. Evaluated inside the realm (realm-script.ts).

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** An error of the name that a host's own would have. */
export function namedError(name: string, message: string): Error {
  const error = new Error(message);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  return error;
}

export function btoa(data: unknown): string {
  const text = String(data);
  let coded = '';
  for (let index = 0; index < text.length; index += 3) {
    const codes = [text.charCodeAt(index), text.charCodeAt(index + 1), text.charCodeAt(index + 2)];
    if (codes.some((code) => code > 0xff)) throw namedError('InvalidCharacterError', 'btoa takes characters from U+0000 to U+00FF');
    // Beyond the end a code is NaN, which is 0 in bit operations.
    const bits = ((codes[0] as number) << 16) | ((codes[1] as number) << 8) | (codes[2] as number);
    const left = text.length - index;
    coded += `${digits[bits >> 18]}${digits[(bits >> 12) & 63]}`;
    coded += `${left > 1 ? digits[(bits >> 6) & 63] : '='}${left > 2 ? digits[bits & 63] : '='}`;
  }
  return coded;
}

export function atob(data: unknown): string {
  let text = String(data).replace(/[\t\n\f\r ]/g, '');
  if (text.length % 4 === 0) text = text.replace(/==?$/, '');
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw namedError('InvalidCharacterError', 'atob takes base64');
  let bytes = '';
  for (let index = 0; index < text.length; index += 4) {
    let bits = 0;
    for (let step = 0; step < 4; step++) bits = (bits << 6) | Math.max(0, digits.indexOf(text[index + step] ?? 'A'));
    const left = Math.min(4, text.length - index) - 1;
    bytes += String.fromCharCode((bits >> 16) & 0xff, (bits >> 8) & 0xff, bits & 0xff).slice(0, left);
  }
  return bytes;
}
