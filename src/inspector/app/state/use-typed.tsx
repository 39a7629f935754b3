// Words in a field that the address holds too: typed they go there after a moment, and a new address brings its own.
import { useEffect, useState } from 'preact/hooks';
import { tuning as viewerTuning } from '../../../viewer/tuning.js';

export function useTyped(words: string, onWords: (words: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(words);
  // A space at the end of what was typed is none of the words, and stays.
  useEffect(() => setTyped((text) => (text.trim() === words ? text : words)), [words]);
  useEffect(() => {
    if (typed.trim() === words) return;
    const timer = setTimeout(() => onWords(typed.trim()), viewerTuning.typingMs);
    return () => clearTimeout(timer);
  }, [typed, words]);
  return [typed, setTyped];
}
