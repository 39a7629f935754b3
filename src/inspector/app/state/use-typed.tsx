// Words in a field that the address holds too: typed they go there after a moment, and a new address brings its own.
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { tuning as viewerTuning } from '../../../viewer/tuning.js';

export function useTyped(words: string, onWords: (words: string) => void): [string, (text: string) => void] {
  const held = useRef({ words, text: words });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // Not in an effect: the field would show the words of the address before for a moment, beside what the new one shows.
  if (held.current.words !== words) {
    const { text } = held.current;
    // A space at the end of what was typed is none of the words, and stays.
    held.current = { words, text: text.trim() === words ? text : words };
  }
  const { text } = held.current;
  useEffect(() => {
    if (text.trim() === words) return;
    const timer = setTimeout(() => onWords(text.trim()), viewerTuning.typingMs);
    return () => clearTimeout(timer);
  }, [text, words]);
  const setText = (typed: string): void => {
    held.current = { words: held.current.words, text: typed };
    redraw(undefined);
  };
  return [text, setText];
}
