// Why a run did not pass: the assertions that do not hold, first, each one click from its evidence.
import { useEffect, useRef } from 'preact/hooks';
import type { AssertionLocation, AssertionResult } from '../../../contract/run/run.js';
import { tuning } from '../../tuning.js';
import { counted, Json, Status } from '../kit/parts.tsx';

export interface FindingsProps {
  assertions: readonly AssertionResult[];
  chosen: string | undefined;
  onEvidence: (assertion: AssertionResult, sequence: number) => void;
}

export function Findings({ assertions, chosen, onEvidence }: FindingsProps) {
  const broken = assertions
    .filter((assertion) => assertion.status !== 'passed')
    .sort((left, right) => Number(right.gate) - Number(left.gate));
  if (broken.length === 0) return null;
  return (
    <section class="findings" aria-labelledby="findings">
      <h2 id="findings">{broken.length === 1 ? 'One assertion does not hold' : `${counted(broken.length, 'assertion')} do not hold`}</h2>
      {broken.map((assertion) => (
        <Finding key={assertion.assertionId} assertion={assertion} chosen={assertion.assertionId === chosen} onEvidence={onEvidence} />
      ))}
    </section>
  );
}

export function Finding({
  assertion,
  chosen,
  onEvidence,
}: {
  assertion: AssertionResult;
  chosen: boolean;
  onEvidence: FindingsProps['onEvidence'];
}) {
  const here = useRef<HTMLElement>(null);
  useEffect(() => {
    if (chosen) here.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const { evidenceSequences, location } = assertion;
  const tone =
    assertion.status === 'failed' || assertion.status === 'invalid' ? '' : assertion.status === 'passed' ? 'holds' : 'inconclusive';
  return (
    <article
      class={`finding ${assertion.gate ? tone : `${tone} advisory`} ${chosen ? 'chosen' : ''}`}
      ref={here}
      id={`assertion-${assertion.assertionId}`}
    >
      <header>
        <h3>{assertion.assertionId}</h3>
        <Status value={assertion.status} />
        <span class="kind">{assertion.kind}</span>
        {!assertion.gate && <span class="quiet">advisory</span>}
      </header>
      <p class="message">{assertion.message}</p>
      {location !== undefined && (
        <p class="where">
          <code>{locationText(location)}</code>
        </p>
      )}
      {(assertion.expected !== undefined || assertion.actual !== undefined) && assertion.status !== 'passed' && (
        <div class="compare">
          <figure class="expected">
            <figcaption>Expected</figcaption>
            <Json value={assertion.expected} label="Expected" />
          </figure>
          <figure class="actual">
            <figcaption>Actual</figcaption>
            <Json value={assertion.actual} label="Actual" />
          </figure>
        </div>
      )}
      {evidenceSequences.length > 0 && (
        <p class="evidence-links">
          <span class="quiet">Evidence</span>
          {evidenceSequences.slice(0, tuning.findingLinksMax).map((sequence) => (
            <button
              key={sequence}
              type="button"
              class="chip"
              aria-label={`Evidence, entry ${sequence}`}
              onClick={() => onEvidence(assertion, sequence)}
            >
              #{sequence}
            </button>
          ))}
          {evidenceSequences.length > tuning.findingLinksMax && (
            <span class="quiet">and {evidenceSequences.length - tuning.findingLinksMax} more</span>
          )}
        </p>
      )}
    </article>
  );
}

function locationText(location: AssertionLocation): string {
  const { packageId, instanceId, namespace, rowId, path, operationId, eventId, callbackId, faultId, interactionId, subject } = location;
  const owner = instanceId === undefined || instanceId === packageId ? packageId : `${packageId}@${instanceId}`;
  const parts = [owner, namespace, rowId].filter((part) => part !== undefined).join('/');
  const name = faultId ?? operationId ?? eventId ?? callbackId;
  const inside = [parts, name].filter((part) => part !== undefined && part !== '').join('.') || subject;
  const where = interactionId === undefined ? inside : `output of ${interactionId}`;
  return where + (path === undefined ? '' : ` ${path.join('.')}`);
}
