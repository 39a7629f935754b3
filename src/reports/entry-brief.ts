// One entry as a row of a list shows it: what happened, and behind it in short what was asked and what came of it.
import { diffJson, pathText } from '../contract/json-diff.js';
import type { EvidenceEntry, OperationEntry, StateChangeEntry } from '../contract/world/evidence.js';
import { actorName, entryText, place, replayText } from './entry-text.js';
import { valueLine, valueWords } from './shown-values.js';
import { tuning } from './tuning.js';

export interface EntryBrief {
  text: string;
  /** '' where there is no more to say. */
  more: string;
}
/** What a list need not repeat in each row. */
export interface BriefOptions {
  oneTool: boolean;
  oneActor: boolean;
}

export function entryBrief(entry: EvidenceEntry, options: BriefOptions): EntryBrief {
  switch (entry.kind) {
    case 'operation':
      return operationBrief(entry, options);
    case 'state_change':
      return stateBrief(entry, options);
    case 'event':
      return { text: entryText(entry), more: valueWords(entry.payload) };
    default:
      return { text: entryText(entry), more: '' };
  }
}

function operationBrief(entry: OperationEntry, { oneTool, oneActor }: BriefOptions): EntryBrief {
  const { invocation, outcome, toolOverride } = entry;
  const owner = oneTool && place(invocation) === invocation.packageId ? '' : `${place(invocation)}.`;
  const result = outcome.kind === 'ok' ? valueWords(outcome.value) || 'ok' : outcome.error.code;
  const notes = [
    ...(entry.idempotency === 'replayed' ? [replayText(entry)] : []),
    ...(toolOverride === undefined ? [] : [`override ${toolOverride.id}`]),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const asked = valueWords(invocation.arguments);
  return {
    text: `${owner}${invocation.operationId}${oneActor ? '' : ` by ${actorName(entry)}`}`,
    more: `${asked}${asked === '' ? '' : ' '}→ ${result}${note}`,
  };
}

function stateBrief(entry: StateChangeEntry, { oneTool }: BriefOptions): EntryBrief {
  const row = `${oneTool && place(entry) === entry.packageId ? '' : `${place(entry)}/`}${entry.namespace}/${entry.rowId}`;
  if (entry.change !== 'update')
    return { text: `${row} ${entry.change === 'insert' ? 'inserted' : 'deleted'}`, more: valueWords(entry.after) };
  const { changes, total } = diffJson(entry.before ?? {}, entry.after ?? {});
  const members = changes.slice(0, tuning.storyMembers).map(({ path, before, after }) => {
    return `${pathText(path)} ${valueLine(before, tuning.storyValueChars)} → ${valueLine(after, tuning.storyValueChars)}`;
  });
  const more = total > members.length ? ` and ${total - members.length} more` : '';
  return { text: `${row} updated`, more: `${members.join(', ')}${more}` };
}
