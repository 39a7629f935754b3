// The tokens of a script that esbuild has printed, with the place of each bracket's partner. No parser: enough to walk object literals.
//   SCRIPT-TOKENS-1. What does not come out even (a bracket without its partner, a template or a pattern without its end) gives nothing.

export interface Token {
  kind: 'name' | 'text' | 'number' | 'pattern' | 'template' | 'sign';
  /** As written; of a text its value. */
  text: string;
  /** Of an opening bracket: the index of its partner. */
  partner: number;
}

/** After these a slash begins a pattern; after any other name, text, number or closing bracket it divides. */
const beforePattern = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'do',
  'else',
  'instanceof',
  'yield',
]);
const blank = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
/** A name, a number or a text: one of the three. */
const word =
  /([A-Za-z_$#\u0080-\uffff][\w$\u0080-\uffff]*)|((?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)n?)|("(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/y;
const pattern = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const templatePart = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const closing: { readonly [open: string]: string } = { '(': ')', '[': ']', '{': '}' };

export function scriptTokens(script: string): Token[] | undefined {
  const tokens: Token[] = [];
  const open: { sign: string; index: number; inTemplate: boolean }[] = [];
  let at = 0;
  const take = (shape: RegExp): string | undefined => {
    shape.lastIndex = at;
    const found = shape.exec(script)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const add = (kind: Token['kind'], text: string): number => tokens.push({ kind, text, partner: -1 }) - 1;
  /** Up to the template's end, or to an expression in it. */
  const template = (): boolean => {
    add('template', take(templatePart) ?? '');
    if (script[at] === '`') at += 1;
    else if (script.startsWith('${', at)) {
      at += 2;
      open.push({ sign: '{', index: add('sign', '{'), inTemplate: true });
    } else return false;
    return true;
  };
  while (at < script.length) {
    if (take(blank)) continue;
    const sign = script[at] as string;
    word.lastIndex = at;
    const [written, name, number, text] = word.exec(script) ?? [];
    if (written !== undefined) {
      at += written.length;
      add(name !== undefined ? 'name' : number !== undefined ? 'number' : 'text', text === undefined ? written : textValue(text));
    } else if (sign === '`') {
      at += 1;
      if (!template()) return undefined;
    } else if (sign === '/' && beginsPattern(tokens.at(-1))) {
      const text = take(pattern);
      if (text === undefined) return undefined;
      add('pattern', text);
    } else {
      at += 1;
      const index = add('sign', sign);
      if (Object.hasOwn(closing, sign)) open.push({ sign, index, inTemplate: false });
      else if (')]}'.includes(sign)) {
        const begun = open.pop();
        if (begun === undefined || closing[begun.sign] !== sign) return undefined;
        (tokens[begun.index] as Token).partner = index;
        if (begun.inTemplate && !template()) return undefined;
      }
    }
  }
  return open.length === 0 ? tokens : undefined;
}

function beginsPattern(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'name') return beforePattern.has(before.text);
  return before.kind === 'sign' && !')]}'.includes(before.text);
}

/** What an escape means counts only where it is one of JSON's: ids have no other. */
function textValue(text: string): string {
  const inner = text.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return inner;
  }
}
