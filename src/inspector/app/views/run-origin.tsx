// A world that was forked from a run: where it comes from, and what was done in it otherwise than in the run.
import type { PlayWorld } from '../../../contract/inspector/worlds.js';
import { visibleText } from '../../../text/visible-text.js';
import { Await, useLoad } from '../../../viewer/kit/loading.tsx';
import { counted } from '../../../viewer/kit/parts.tsx';
import { runHash } from '../state/route.ts';
import { client } from '../state/session.tsx';

export function RunOrigin({ world }: { world: PlayWorld }) {
  const { worldId, origin, resets, position } = world;
  const now = `${worldId} ${resets} ${position.evidenceSequence}`;
  const compared = useLoad(`compared ${now}`, () => client.call('compareWorld', { path: { worldId } }), { keep: true });
  if (origin === undefined) return null;
  return (
    <section class="card" aria-label="Compared with the run">
      <p>
        Forked from{' '}
        <a href={runHash(origin.runId, { seq: origin.atSequence })}>
          {origin.runId} right after #{origin.atSequence}
        </a>
        .
      </p>
      <Await of={compared} what="the comparison" lines={2}>
        {({ differences, firstDivergence }) => (
          <>
            <p>{firstDivergence === undefined ? 'So far all goes as in the run.' : visibleText(firstDivergence.summary)}</p>
            {differences !== undefined && (
              <p class="quiet">
                {counted(differences.same, 'turn')} the same, {differences.changed} changed, {differences.onlyLeft} only in the run,{' '}
                {differences.onlyRight} only here
              </p>
            )}
          </>
        )}
      </Await>
    </section>
  );
}
