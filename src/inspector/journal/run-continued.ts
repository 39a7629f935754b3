// A run and a journal that continues from one of its entries, side by side: what the agent did then, and what was done instead.
import type { ComparedRun } from '../../drills/stored/compare-runs.js';
import { runDifferences } from '../../drills/stored/run-differences.js';
import { tuning } from '../tuning.js';
import type { ArchiveCalls } from './archive-calls.js';
import type { JournalFile } from './journal-file.js';

export function runContinued(
  { evidence, afterSequence }: { evidence: ComparedRun['evidence']; afterSequence: number },
  continued: JournalFile,
): Promise<ArchiveCalls['continued']['answer']> {
  const from = (fromSequence: number) => ({ result: { evidenceRange: { fromSequence, toSequence: 0 } }, observe: () => {} });
  return runDifferences(
    { ...from(afterSequence + 1), evidence: unjudged(evidence) },
    { ...from(1), evidence: unjudged(linesOf(continued)) },
  );
}

/** A world to play with is never judged, so that a run was is no difference. */
async function* unjudged(chunks: ComparedRun['evidence']): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    const lines = chunk.split('\n').filter((line) => line !== '' && !isVerification(line));
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
