// How an entry came about and what came of it, as a list of links. A fault is the cause of what it hit, whatever the order of the entries.
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { entryIsProblem, entryText } from '../reports/entry-text.js';
import { visibleText } from '../text/visible-text.js';
import { type EntryContext, flowOf } from './entry-context.tsx';
import { counted } from './kit/parts.tsx';
import { tuning } from './tuning.js';

type Select = (sequence: number) => void;

export function Chain({ entry, causes, effects, effectsTotal, nextCall, onSelect }: EntryContext & { onSelect: Select }) {
  const isFault = entry.kind === 'fault';
  const { before, after } = flowOf({ entry, causes, effects });
  if (before.length + after.length === 0 && nextCall === undefined) return null;
  const hidden = Math.max(after.length - tuning.effectsShown, 0);
  const more = effectsTotal - effects.length + hidden;
  return (
    <>
      <h3>{isFault ? 'What it did' : 'How it came about'}</h3>
      <ol class="chain">
        {before.map((cause) => (
          <Link key={cause.sequence} entry={cause} onSelect={onSelect} />
        ))}
        <Link entry={entry} here onSelect={onSelect} />
        {after.slice(0, tuning.effectsShown).map((effect) => (
          <Link key={effect.sequence} entry={effect} effect onSelect={onSelect} />
        ))}
        {more > 0 && <li class="quiet effect">and {counted(more, 'more effect')}</li>}
        {nextCall !== undefined && (
          <li class="effect">
            <button type="button" class="link" onClick={() => onSelect(nextCall)}>
              #{nextCall}
            </button>{' '}
            <span class="quiet">the next call of the same actor</span>
          </li>
        )}
      </ol>
    </>
  );
}

interface LinkProps {
  entry: EvidenceEntry;
  here?: boolean;
  effect?: boolean;
  onSelect: Select;
}

function Link({ entry, here = false, effect = false, onSelect }: LinkProps) {
  return (
    <li class={here ? 'here' : effect ? 'effect' : undefined}>
      <button type="button" class="link" aria-current={here ? 'true' : undefined} onClick={() => onSelect(entry.sequence)}>
        #{entry.sequence}
      </button>{' '}
      <span class={entryIsProblem(entry) ? 'bad-text' : undefined}>{visibleText(entryText(entry))}</span>
    </li>
  );
}
