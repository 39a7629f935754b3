// Why a run did not pass: what broke or cut it short, then the assertions that do not hold, each one click from its evidence.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { AssertionResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { type AgentCause, type Cause, causesOf, type FilePlace, undecidedMessage } from '../reports/causes.js';
import type { ReportFinding } from '../reports/findings.js';
import { locationText } from '../reports/shown-values.js';
import { advisory, boundsText } from '../reports/words.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import { EvidenceLinks } from './evidence-links.tsx';
import type { EvidenceSource } from './evidence-source.ts';
import { useLoad } from './kit/loading.tsx';
import { counted, Json, Status } from './kit/parts.tsx';
import { tuning } from './tuning.js';

export interface FindingsProps {
  report: RunReport;
  source: EvidenceSource;
  chosen: string | undefined;
  onEvidence: (sequence: number, assertionId?: string) => void;
}

export function Findings(props: FindingsProps) {
  const { report, chosen } = props;
  const causes = causesOf(report);
  if (causes.length === 0) return null;
  const [first, rest] = [causes.slice(0, tuning.causesOpen), causes.slice(tuning.causesOpen)];
  const names = (cause: Cause): boolean => cause.kind === 'finding' && cause.finding.assertion.assertionId === chosen;
  const card = (cause: Cause, index: number) => <CauseCard key={index} cause={cause} {...props} />;
  return (
    <section class="findings" aria-labelledby="findings">
      <h2 id="findings">{findingsTitle(causes, report)}</h2>
      {first.map(card)}
      {rest.length > 0 && (
        <details open={rest.some(names)}>
          <summary>{counted(rest.length, 'further finding')}</summary>
          {rest.map(card)}
        </details>
      )}
    </section>
  );
}

function findingsTitle(causes: readonly Cause[], { result: { verdict } }: RunReport): string {
  const findings = causes.filter((cause) => cause.kind === 'finding');
  if (findings.length === causes.length)
    return findings.length === 1 ? 'One assertion does not hold' : `${counted(findings.length, 'assertion')} do not hold`;
  return verdict === 'passed' ? 'What else went wrong' : verdict === 'failed' ? 'Why it failed' : 'Why it is undecided';
}

function CauseCard({ cause, report, source, chosen, onEvidence }: FindingsProps & { cause: Cause }) {
  switch (cause.kind) {
    case 'finding':
      return (
        <Finding
          {...cause.finding}
          source={source}
          chosen={cause.finding.assertion.assertionId === chosen}
          onEvidence={(sequence) => onEvidence(sequence, cause.finding.assertion.assertionId)}
        />
      );
    case 'agent':
      return <AgentCard cause={cause} />;
    case 'undecided':
      return (
        <Card title={cause.title} tone="inconclusive">
          <ul class="undecided">
            {cause.findings.map((finding) => (
              <li key={finding.assertion.assertionId}>
                <strong>{finding.assertion.assertionId}</strong> {visibleText(undecidedMessage(finding, report.cutShort))}
              </li>
            ))}
          </ul>
        </Card>
      );
    case 'tool':
      return (
        <Card title={cause.title} message={cause.message}>
          <EvidenceLinks source={source} sequences={[cause.sequence]} onEvidence={onEvidence} />
        </Card>
      );
    case 'run':
      return (
        <Card title={cause.title} message={cause.message}>
          {cause.issues.length > 0 && (
            <ul class="issues">
              {cause.issues.map((issue) => (
                <li key={issue}>{visibleText(issue)}</li>
              ))}
            </ul>
          )}
          {cause.sequence !== undefined && <EvidenceLinks source={source} sequences={[cause.sequence]} onEvidence={onEvidence} />}
        </Card>
      );
    case 'budget':
      return <Card title={cause.title} message={cause.message} />;
  }
}

function Card({
  title,
  message,
  tone = '',
  children,
}: {
  title: string;
  message?: string | undefined;
  tone?: string;
  children?: ComponentChildren;
}) {
  return (
    <article class={`finding ${tone}`}>
      <header>
        <h3>{visibleText(title)}</h3>
      </header>
      {message !== undefined && <p class="message">{visibleText(message)}</p>}
      {children}
    </article>
  );
}

export function AgentCard({ cause: { title, interactionId, code, message, log, answer, place } }: { cause: AgentCause }) {
  const said = [...log, ...answer];
  return (
    <Card title={title} message={message}>
      <p class="row quiet">
        {place !== undefined && <EditorLink place={place} />}
        <span>in interaction {interactionId}</span>
        {code !== undefined && <code>{code}</code>}
      </p>
      {said.length > 0 && (
        <pre class="json log" tabIndex={0} role="group" aria-label="What the agent said last">
          {said.map(visibleLine).join('\n')}
        </pre>
      )}
    </Card>
  );
}

/** Opens the file in an editor that takes `vscode:` addresses. */
function EditorLink({ place: { file, line, column } }: { place: FilePlace }) {
  const short = file.split(/[\\/]/).slice(-2).join('/');
  return (
    <a href={`vscode://file${file.startsWith('/') ? '' : '/'}${encodeURI(file)}:${line}:${column}`} title={`${file}:${line}:${column}`}>
      <code>
        {short}:{line}
      </code>
    </a>
  );
}

/** What led to the failure, line by line; each leads to its entry. */
export function Story({ source, onEvidence }: Pick<FindingsProps, 'source' | 'onEvidence'>) {
  const story = useLoad(`story ${source.id}`, () => source.story());
  const lines = story.value ?? [];
  if (lines.length === 0) return null;
  return (
    <section class="story-card" aria-labelledby="story">
      <h2 id="story">What happened</h2>
      <ol class="story">
        {lines.map(({ role, text, sequence, assertionId }, index) => (
          <li key={index} class={`story-${role}`}>
            {sequence === undefined ? (
              visibleLine(text)
            ) : (
              <button type="button" class="story-line" onClick={() => onEvidence(sequence, assertionId)}>
                <span class="number">#{sequence}</span> {visibleLine(text)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface FindingProps extends ReportFinding {
  source: EvidenceSource;
  chosen: boolean;
  onEvidence: (sequence: number) => void;
}

export function Finding({ assertion, checkpointIds, source, chosen, onEvidence }: FindingProps) {
  const here = useRef<HTMLElement>(null);
  useEffect(() => {
    if (chosen) here.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const { evidenceSequences, location, status } = assertion;
  const tone = status === 'failed' || status === 'invalid' ? '' : status === 'passed' ? 'holds' : 'inconclusive';
  return (
    <article
      class={`finding ${assertion.gate ? tone : `${tone} advisory`} ${chosen ? 'chosen' : ''}`}
      ref={here}
      id={`assertion-${assertion.assertionId}`}
    >
      <header>
        <h3>{assertion.assertionId}</h3>
        <Status value={status} />
        <span class="kind">{assertion.kind}</span>
        {!assertion.gate && <span class="quiet">{advisory}</span>}
        {location !== undefined && <code class="where">{visibleLine(locationText(location))}</code>}
      </header>
      <p class="message">{visibleText(assertion.message)}</p>
      {checkpointIds.length > 0 && <p class="quiet">{checkpointText(checkpointIds)}</p>}
      {(status === 'failed' || status === 'invalid') && <Comparison assertion={assertion} />}
      <EvidenceLinks source={source} sequences={evidenceSequences} onEvidence={onEvidence} />
    </article>
  );
}

const checkpointText = (ids: readonly string[]): string =>
  `At ${ids.length === 1 ? 'checkpoint' : 'checkpoints'} ${ids.slice(0, tuning.checkpointsNamed).join(', ')}${
    ids.length > tuning.checkpointsNamed ? ` and ${ids.length - tuning.checkpointsNamed} more` : ''
  }`;

/** Values of a word each stand on one line. */
function Comparison({ assertion: { expected, actual } }: { assertion: AssertionResult }) {
  if (expected === undefined && actual === undefined) return null;
  const wanted = boundsText(expected) ?? wordOf(expected);
  const found = wordOf(actual);
  if (wanted !== undefined && found !== undefined)
    return (
      <p class="scalars">
        <span class="quiet">Expected</span> <code class="after">{visibleText(wanted)}</code> <span class="quiet">Actual</span>{' '}
        <code class="before">{visibleText(found)}</code>
      </p>
    );
  return (
    <div class="compare">
      <figure class="expected">
        <figcaption>Expected</figcaption>
        <Json value={expected} label="Expected" />
      </figure>
      <figure class="actual">
        <figcaption>Actual</figcaption>
        <Json value={actual} label="Actual" />
      </figure>
    </div>
  );
}

function wordOf(value: AssertionResult['expected']): string | undefined {
  const text = JSON.stringify(value) ?? 'nothing';
  return (typeof value === 'object' && value !== null) || text.length > tuning.scalarCharsMax ? undefined : text;
}
