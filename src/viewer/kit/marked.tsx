// Text with what was looked for in it marked.
import { placeOf } from './marked-text.ts';

export function Marked({ text, words }: { text: string; words: string }) {
  const at = placeOf(text, words);
  if (at < 0) return <>{text}</>;
  const end = at + words.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}
