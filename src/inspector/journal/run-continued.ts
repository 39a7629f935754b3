// A run and a journal that continues from one of its entries, side by side: what the agent did then, and what was done instead.
import { defined } from '../../contract/defined.js';
import type { ComparedRun } from '../../drills/stored/compare-runs.js';
import { textOf } from '../../drills/stored/journal-text.js';
import { readSide } from '../../drills/stored/read-side.js';
import { alignRuns } from '../../drills/stored/run-differences.js';
import { tuning } from '../tuning.js';
import type { ArchiveCalls } from './archive-calls.js';
import type { JournalFile } from './journal-file.js';

export async function runContinued(
  { result: { identity }, evidence, afterSequence }: ComparedRun & { afterSequence: number },
  { journal, worldInstanceId }: { journal: JournalFile; worldInstanceId: string },
): Promise<ArchiveCalls['continued']['answer']> {
  const from = (fromSequence: number) => ({ fromSequence, toSequence: 0 });
  const [run, world] = [
    await readSide({ result: { evidenceRange: from(afterSequence + 1), identity }, evidence: unjudged(evidence) }),
    await readSide({
      result: { evidenceRange: from(1), identity: { ...identity, worldInstanceId } },
      evidence: unjudged(linesOf(journal)),
    }),
  ];
  const { differences, parting } = alignRuns(run.turns, world.turns);
  if (parting === undefined) return { differences };
  const { leftSequence, rightSequence, summary } = parting;
  return { differences, firstDivergence: { ...defined({ leftSequence, rightSequence }), summary } };
}

/** A world to play with is never judged, so that a run was is no difference. */
async function* unjudged(chunks: ComparedRun['evidence']): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    const lines = textOf(chunk)
      .split('\n')
      .filter((line) => line !== '' && !isVerification(line));
    if (lines.length > 0) yield `${lines.join('\n')}\n`;
  }
}

function isVerification(line: string): boolean {
  // A value of a tool may hold the same text.
  return line.includes('"kind":"verification"') && (JSON.parse(line) as { kind: string }).kind === 'verification';
}

function* linesOf(journal: JournalFile): Generator<string> {
  for (let from = 1; from <= journal.length; from += tuning.linesAtOnce)
    yield journal.lines(from, Math.min(from + tuning.linesAtOnce - 1, journal.length)).toString();
}
