// The tokens of a script, with the place of each bracket's partner. No parser: enough to walk object literals, and to know which words are
// code and which are text.
//   SCRIPT-TOKENS-1. What does not come out even (a bracket without its partner, a template or a pattern without its end) gives nothing.
//   SCRIPT-TOKENS-2. What V8 runs as code is never part of a text, a pattern, a template or a comment: a script that only a parser could
//     take apart (a slash after a block or after `++`, comments of HTML) gives nothing.

export interface Token {
  kind: 'name' | 'text' | 'number' | 'pattern' | 'template' | 'sign';
  /** As written; of a text its value. */
  text: string;
  /** Where it begins. */
  at: number;
  /** Of a bracket: the index of its partner. */
  partner: number;
}

/** Reserved words before an expression or a statement: a slash after them begins a pattern. After any other name it divides. */
const beforePattern = new Set([
  ...['break', 'case', 'continue', 'debugger', 'default', 'delete', 'do', 'else', 'extends', 'finally', 'in', 'instanceof', 'new'],
  ...['return', 'throw', 'try', 'typeof', 'void'],
]);
/** Names in some places, and words before an expression in others. */
const unclear = new Set(['await', 'of', 'yield']);
/** Their brackets stand before a statement. */
const heads = new Set(['if', 'while', 'for', 'with']);
const blank = /(?:\s+|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)+/y;
/** A name, a number or a text: one of the three. */
const word =
  /((?:[A-Za-z_$#]|[^\s\0-\x7f])(?:[\w$]|[^\s\0-\x7f])*)|((?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)n?)|("(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/y;
const pattern = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const templatePart = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
/** Comments of HTML and of a shell, escapes in names, numbers of the old octal form. */
const unread = /<!--|-->|#!|\\|0\d/y;
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
  let begin = 0;
  const add = (kind: Token['kind'], text: string): number => tokens.push({ kind, text, at: begin, partner: -1 }) - 1;
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
    if (take(unread) !== undefined) return undefined;
    begin = at;
    const sign = script[at] as string;
    word.lastIndex = at;
    const [written, name, number, text] = word.exec(script) ?? [];
    if (written !== undefined) {
      at += written.length;
      add(name !== undefined ? 'name' : number !== undefined ? 'number' : 'text', text === undefined ? written : textValue(text));
    } else if (sign === '`') {
      at += 1;
      if (!template()) return undefined;
    } else if (sign === '/' && slashAfter(tokens) !== 'divides') {
      const text = slashAfter(tokens) === 'begins' ? take(pattern) : undefined;
      if (text === undefined) return undefined;
      add('pattern', text);
    } else if (sign === '"' || sign === "'") return undefined;
    else {
      at += 1;
      const index = add('sign', sign);
      if (Object.hasOwn(closing, sign)) open.push({ sign, index, inTemplate: false });
      else if (')]}'.includes(sign)) {
        const begun = open.pop();
        if (begun === undefined || closing[begun.sign] !== sign) return undefined;
        (tokens[begun.index] as Token).partner = index;
        (tokens[index] as Token).partner = begun.index;
        if (begun.inTemplate && !template()) return undefined;
      }
    }
  }
  return open.length === 0 ? tokens : undefined;
}

/** What a slash after these tokens does. */
function slashAfter(tokens: readonly Token[]): 'begins' | 'divides' | 'unclear' {
  const last = tokens.at(-1);
  if (last === undefined) return 'begins';
  if (last.kind === 'name') return afterName(tokens, tokens.length - 1, beforePattern);
  if (last.kind !== 'sign' || last.text === ']') return 'divides';
  if (last.text === ')') return afterName(tokens, last.partner - 1, heads);
  const isDouble = '+-'.includes(last.text) && isSign(tokens.at(-2), last.text);
  return last.text === '}' || isDouble ? 'unclear' : 'begins';
}

function afterName(tokens: readonly Token[], index: number, beginning: ReadonlySet<string>): 'begins' | 'divides' | 'unclear' {
  const name = tokens[index];
  if (name?.kind !== 'name' || isMember(tokens, index)) return 'divides';
  return unclear.has(name.text) ? 'unclear' : beginning.has(name.text) ? 'begins' : 'divides';
}

/** Whether a name there is one behind a dot, and not behind the three of a spread. */
export function isMember(tokens: readonly Token[], index: number): boolean {
  return isSign(tokens[index - 1], '.') && !isSign(tokens[index - 2], '.');
}

export function isSign(token: Token | undefined, text: string): token is Token {
  return token?.kind === 'sign' && token.text === text;
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
