// Texts found in other texts, many at once: an automaton of Aho and Corasick, made of what is looked for.
//   TOKEN-SEARCH-1. At each place the longest text that begins there is taken, and the next begins behind it. A search takes as many steps
//     as there are characters, whatever they are: tool code chooses both the texts and where they are looked for.

/** `replacements`: by the text that each stands for, at most 255 of ASCII, none of them empty. */
export function createReplacer(replacements: ReadonlyMap<string, string>): (text: string) => string {
  const sought = [...replacements.keys()];
  const automaton = automatonOf(sought);
  return (text) => {
    const longest = longestAt(text, automaton);
    let [replaced, end] = ['', 0];
    for (let at = 0; at < text.length; ) {
      const place = longest[at] as number;
      if (place === 0) {
        at++;
        continue;
      }
      const found = sought[place - 1] as string;
      replaced += text.slice(end, at) + replacements.get(found);
      at += found.length;
      end = at;
    }
    return end === 0 ? text : replaced + text.slice(end);
  };
}

/** It reads backwards, so that its state says what begins where it is, and not what ends there. */
interface Automaton {
  /** The column of each character that is in any of the texts; 0: no other is. */
  columns: Uint8Array;
  width: number;
  /** The next state, by state and column. */
  next: Int32Array;
  /** The place of the longest text that begins, counted from 1; 0: none does. */
  longest: Uint8Array;
}
/** Of ASCII: what is looked for has no others. */
const charCodes = 0x80;

function automatonOf(sought: readonly string[]): Automaton {
  const columns = new Uint8Array(charCodes);
  let width = 1;
  let size = 1;
  for (const text of sought) {
    size += text.length;
    for (let at = 0; at < text.length; at++) columns[text.charCodeAt(at)] ||= width++;
  }
  const next = new Int32Array(size * width);
  const longest = new Uint8Array(size);
  let states = 1;
  for (const [place, text] of sought.entries()) {
    let state = 0;
    for (let at = text.length - 1; at >= 0; at--) {
      const edge = state * width + (columns[text.charCodeAt(at)] as number);
      next[edge] ||= states++;
      state = next[edge] as number;
    }
    longest[state] = place + 1;
  }
  link({ columns, width, next, longest }, states);
  return { columns, width, next, longest };
}

/**
 * Where a character continues no text of a state, the next state is that of the longest end of what was read which begins a text. States
 * nearest to the start come first.
 */
function link({ width, next, longest }: Automaton, states: number): void {
  const fallbacks = new Int32Array(states);
  const queue = new Int32Array(states);
  let [first, last] = [0, 1];
  while (first < last) {
    const state = queue[first++] as number;
    const fallback = fallbacks[state] as number;
    longest[state] ||= longest[fallback] as number;
    for (let column = 1; column < width; column++) {
      const edge = state * width + column;
      const beside = state === 0 ? 0 : (next[fallback * width + column] as number);
      const child = next[edge] as number;
      if (child === 0) next[edge] = beside;
      else {
        fallbacks[child] = beside;
        queue[last++] = child;
      }
    }
  }
}

/** For each place of a text. */
function longestAt(text: string, { columns, width, next, longest }: Automaton): Uint8Array {
  const found = new Uint8Array(text.length);
  let state = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    state = next[state * width + (code < charCodes ? (columns[code] as number) : 0)] as number;
    found[at] = longest[state] as number;
  }
  return found;
}
