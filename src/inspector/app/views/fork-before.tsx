// A call of a run, made again by hand: a world as the run stood before it, in Play, with the call filled in.
import { useState } from 'preact/hooks';
import type { OperationEntry } from '../../../contract/world/evidence.js';
import { Problem } from '../../../viewer/kit/parts.tsx';
import { isOffline, noteWorld } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client, go } from '../state/session.tsx';

export function ForkBefore({ runId, entry }: { runId: string; entry: OperationEntry }) {
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const fork = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const atSequence = entry.sequence - entry.transactionIndex - 1;
      const { world } = await client.call('createWorld', { body: { runId, atSequence } });
      noteWorld(world);
      go(routeHash('play', [world.worldId]));
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" onClick={fork} disabled={busy || isOffline.value}>
        {busy ? 'Forking…' : 'Fork before this call'}
      </button>
      <Problem text={problem} />
    </>
  );
}
