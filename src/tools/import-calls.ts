// `import()`, of which the promise is rejected with an error of the host: code that runs in the realm has none. Asked of the text itself,
// as a bundler says only what it knows how to rewrite.
//   IMPORT-CALLS-1. A script that may not import has no call of `import` in its code, however it is written. Where only a parser could say
//     so, the script may.
import { isMember, isSign, scriptTokens, type Token } from './script-tokens.js';

/** What follows the word where it loads: a bracket, a dot (`import.meta`), a comment. */
const mention = /\bimport\b(?=\s*[(./<-])/;

/** Behind the brackets of a method, and never behind those of a call, but for the one that a class extends. */
const blockOnLine = /[^\S\n\r\u2028\u2029]*\{/y;

/** Whether the script loads, or may load, other code at run time. A member, a method or a text of that name does not. */
export function mayImport(script: string): boolean {
  if (!mention.test(script)) return false;
  const tokens = scriptTokens(script);
  if (tokens === undefined) return true;
  return tokens.some((token, index) => {
    if (token.kind !== 'name' || token.text !== 'import' || isMember(tokens, index)) return false;
    const next = tokens[index + 1];
    if (!isSign(next, '(')) return isSign(next, '.');
    blockOnLine.lastIndex = (tokens[next.partner] as Token).at + 1;
    const isMethod = blockOnLine.test(script) && tokens[index - 1]?.text !== 'extends';
    return !isMethod;
  });
}
