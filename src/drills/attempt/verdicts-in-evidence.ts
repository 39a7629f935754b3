// What was judged is evidence too: each checkpoint's verdict enters the journal.
import type { AssertionResult, Verdict } from '../../contract/run/run.js';
import { runVerdict } from '../../contract/run/verdict.js';
import type { CheckpointKind } from '../../contract/world/evidence.js';
import type { WorldRef } from '../../worlds/api.js';
import type { OnceGuard } from './attempt-environment.js';

export interface Checkpoint {
  checkpointId: string;
  kind: CheckpointKind;
}

export async function recordVerdict(
  world: WorldRef,
  { checkpointId, kind }: Checkpoint,
  results: readonly AssertionResult[],
  once: OnceGuard,
): Promise<Verdict> {
  const verdict = runVerdict(results);
  const assertions = results.map(({ assertionId, status, gate }) => ({ assertionId, status, gate }));
  await world.command({
    kind: 'verify',
    checkpointId,
    checkpointKind: kind,
    result: { verdict, assertions },
    ...once(`verify ${kind} ${checkpointId}`),
  });
  return verdict;
}
