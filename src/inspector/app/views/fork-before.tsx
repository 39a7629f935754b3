// A call of a run, made again by hand: a world as the run stood before it, in Play, with the call filled in.
import type { OperationEntry } from '../../../contract/world/evidence.js';
import { Problem } from '../../../viewer/kit/parts.tsx';
import { isOffline, noteWorld } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client, go, pageWatch } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';

export function ForkBefore({ runId, entry }: { runId: string; entry: OperationEntry }) {
  const { busy, problem, run } = useBusy();
  const fork = async (): Promise<void> => {
    const atSequence = entry.sequence - entry.transactionIndex - 1;
    const isHere = pageWatch();
    const { world } = await client.call('createWorld', { body: { runId, atSequence } });
    noteWorld(world);
    if (isHere()) go(routeHash('play', [world.worldId]));
  };
  return (
    <>
      <button type="button" onClick={() => run(fork)} aria-disabled={busy} disabled={isOffline.value}>
        {busy ? 'Forking…' : 'Fork before this call'}
      </button>
      <Problem text={problem} />
    </>
  );
}
