// One file of source: read-only, colored, with line numbers, one of which can be marked.
import { useEffect, useRef } from 'preact/hooks';
import { type CodePiece, colorCode } from '../kit/code-colors.ts';

interface CodeProps {
  name: string;
  content: string;
  /** From 1; 0 marks none. */
  line: number;
}

export function Code({ name, content, line }: CodeProps) {
  const marked = useRef<HTMLLIElement>(null);
  useEffect(() => {
    marked.current?.scrollIntoView({ block: 'center' });
  }, [line, content]);
  return (
    <div class="code" data-place="code" tabIndex={0} role="region" aria-label={name}>
      <ol>
        {content
          .replace(/\n$/, '')
          .split('\n')
          .map((text, index) => (
            <li key={index} id={`L${index + 1}`} class={index + 1 === line ? 'marked' : undefined} ref={index + 1 === line ? marked : null}>
              {colorCode(text).map(piece)}
            </li>
          ))}
      </ol>
    </div>
  );
}

function piece({ kind, text }: CodePiece, at: number) {
  return kind === '' ? (
    text
  ) : (
    <span key={at} class={`code-${kind}`}>
      {text}
    </span>
  );
}
