// The text of a seed, for pages of browsers too: a decimal unsigned 64-bit integer.

const shape = /^(0|[1-9][0-9]{0,19})$/;
const greatest = '18446744073709551615';

export function isSeed(text: string): boolean {
  return shape.test(text) && (text.length < greatest.length || text <= greatest);
}
