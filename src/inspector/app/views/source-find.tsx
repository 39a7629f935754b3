// Text found in all source of the repository: lines by file, each with the way to it. The address holds the words.
import type { SourceMatch } from '../../../contract/inspector/source.js';
import { Await, useLoad } from '../../../viewer/kit/loading.tsx';
import { Marked } from '../../../viewer/kit/marked.tsx';
import { counted } from '../../../viewer/kit/parts.tsx';
import { client } from '../state/session.tsx';
import { useTyped } from '../state/use-typed.tsx';

interface FindProps {
  words: string;
  onWords: (words: string) => void;
}

export function FindField({ words, onWords }: FindProps) {
  const [typed, setTyped] = useTyped(words, onWords);
  return (
    <input
      type="search"
      class="find"
      data-search
      placeholder="Find in all source…  /"
      aria-label="Find in all source"
      aria-keyshortcuts="/"
      maxLength={200}
      spellcheck={false}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

export function Found({ words, generation, hash }: { words: string; generation: number; hash: (match: SourceMatch) => string }) {
  const found = useLoad(`source find ${generation} ${words}`, () => client.call('findSource', { query: { q: words } }));
  return (
    <section class="found" aria-label="Found">
      <Await of={found} what="what was found" lines={6}>
        {({ matches, truncated }) => (
          <>
            <p class="quiet" role="status">
              {counted(matches.length, 'line')}
              {truncated ? ', and there are more' : ''}
            </p>
            {[...Map.groupBy(matches, ({ fileId }) => fileId)].map(([fileId, lines]) => (
              <div key={fileId}>
                <h2 class="h4">
                  {lines[0]?.toolId !== undefined && <span class="quiet">{lines[0].toolId} · </span>}
                  {lines[0]?.displayPath}
                </h2>
                <ul>
                  {lines.map((match) => (
                    <li key={match.line}>
                      <a href={hash(match)}>
                        <span class="number">{match.line}</span> <code>{<Marked text={match.text.trim()} words={words} />}</code>
                      </a>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </>
        )}
      </Await>
    </section>
  );
}
