// The small pieces every view is made of.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { defined } from '../../contract/defined.js';
import type { JsonValue } from '../../contract/json.js';
import { diffJson, pathText } from '../../contract/json-diff.js';
import { minuteMs } from '../../contract/units.js';
import { statusText } from '../../reports/words.js';
import { virtualClock } from '../../text/virtual-time.js';
import { visibleLine, visibleText } from '../../text/visible-text.js';
import { tuning } from '../tuning.js';
import { copyToClipboard } from './clipboard.tsx';

/** A verdict or a status, never by color alone. */
export function Status({ value }: { value: string }) {
  return <span class={`status ${value}`}>{statusText(value)}</span>;
}

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** By keyboard only what is wider or higher than its place: the others would be stops for nothing. */
function useOverflow<T extends HTMLElement>(): { ref: { current: T | null }; tabIndex: 0 | undefined } {
  const ref = useRef<T>(null);
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const look = (): void => setOverflows(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  });
  return { ref, tabIndex: overflows ? 0 : undefined };
}

export function Json({ value, label }: { value: JsonValue | undefined; label?: string }) {
  const overflow = useOverflow<HTMLPreElement>();
  const line = JSON.stringify(value) ?? 'absent';
  const text = visibleText(line.length <= tuning.valueLineCharsMax ? line : JSON.stringify(value, null, 2));
  return (
    <pre class="json" {...overflow} role="group" aria-label={label ?? 'JSON'}>
      {text.length > tuning.coloredValueCharsMax ? text : colored(text)}
    </pre>
  );
}

function colored(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(tokens)) {
    const kind = match[1] === undefined ? (match[3] === undefined ? 'number' : 'word') : match[2] === undefined ? 'string' : 'key';
    const word = kind === 'key' ? match[1]! : match[0];
    parts.push(text.slice(from, match.index), <span class={`json-${kind}`}>{word}</span>);
    from = match.index + word.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** One value on one line, for tables. */
export function Short({ value, max = tuning.shortChars }: { value: JsonValue | undefined; max?: number }) {
  if (value === undefined) return <span class="nothing">absent</span>;
  const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <code title={text.length > max ? text.slice(0, tuning.titleChars) : undefined}>
      {text.length > max ? `${text.slice(0, max)}…` : text}
    </code>
  );
}

/** What changed in a row, member by member; of a new or deleted row its members alone. */
export function ChangeTable({ before, after }: { before: JsonValue; after: JsonValue }) {
  const { changes, total } = diffJson(before ?? {}, after ?? {});
  if (changes.length === 0) return <p class="quiet">Nothing changed.</p>;
  return (
    <>
      <Scroll label="What changed" flat>
        <table class="diff">
          <thead>
            <tr>
              <th scope="col">Member</th>
              {before !== null && <th scope="col">Before</th>}
              {after !== null && <th scope="col">After</th>}
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={pathText(change.path)}>
                <th scope="row">
                  <code>{visibleLine(pathText(change.path))}</code>
                </th>
                {before !== null && <td>{side('before', change.before)}</td>}
                {after !== null && <td>{side('after', change.after)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <MoreMembers count={total - changes.length} />
    </>
  );
}

/** Of a list of members that was cut: how many are not in it. */
export function MoreMembers({ count }: { count: number }) {
  return count <= 0 ? null : <p class="quiet">and {counted(count, 'more member')}</p>;
}

function side(name: 'before' | 'after', value: JsonValue | undefined): ComponentChildren {
  return value === undefined ? <span class="nothing">absent</span> : <code class={name}>{visibleText(JSON.stringify(value))}</code>;
}

/** A table that may be wider than its place: it scrolls by itself, by keyboard too. */
export function Scroll({ label, flat = false, children }: { label: string; flat?: boolean; children: ComponentChildren }) {
  const overflow = useOverflow<HTMLDivElement>();
  return (
    <div class={flat ? 'scroll flat' : 'scroll'} {...overflow} role="group" aria-label={label}>
      {children}
    </div>
  );
}

/** The heads of a table whose columns need nothing but their names. */
export function ColumnHeads({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function Copy({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState('Copy');
  const say = (words: string): void => {
    setSaid(words);
    setTimeout(() => setSaid('Copy'), tuning.copiedShownMs);
  };
  return (
    <button
      type="button"
      class="link"
      onClick={() =>
        copyToClipboard(text).then(
          () => say('Copied'),
          () => say('Select and copy'),
        )
      }
      aria-label={`Copy ${label}`}
    >
      {said}
    </button>
  );
}

export function Hash({ name, value }: { name: string; value: string }) {
  return (
    <div class="hash">
      <dt>{name}</dt>
      <dd>
        <code title={value}>{value.replace(/^sha256:/, '').slice(0, 12)}</code> <Copy text={value} label={name} />
      </dd>
    </div>
  );
}

/** Digests, folded: they tell apart, and explain nothing. Those that are not known are left out. */
export function Identity({ of }: { of: { [name: string]: string } }) {
  const known = Object.entries(of).filter(([, value]) => value !== '');
  if (known.length === 0) return null;
  return (
    <details class="identity">
      <summary>Identity</summary>
      <dl class="hashes-row">
        {known.map(([name, value]) => (
          <Hash key={name} name={name} value={value} />
        ))}
      </dl>
    </details>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function PageHead({ title, lead, children }: { title: string; lead?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}

/** Host time as people read it, in their own zone. */
export function hostTime(ms: number): string {
  return new Date(ms).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
}

export function hostDuration(ms: number): string {
  return ms < 1000
    ? `${Math.round(ms)} ms`
    : ms < minuteMs
      ? `${(ms / 1000).toFixed(1)} s`
      : `${Math.floor(ms / minuteMs)} min ${Math.round((ms % minuteMs) / 1000)} s`;
}

/** What went wrong with something that somebody asked for; said aloud as it appears. */
export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="bad-text" role="alert">
      {text}
    </p>
  );
}

/** An event that is still to come. */
export function DueEvent({ of: { atUs, event, payload }, max }: { of: DueEventFacts; max?: number }) {
  return (
    <div class="data-row">
      <span class="quiet">{virtualClock(atUs)}</span>
      <code>
        {event.packageId}.{event.eventId}
      </code>
      <Short value={payload} {...defined({ max })} />
    </div>
  );
}
interface DueEventFacts {
  atUs: number;
  event: { packageId: string; eventId: string };
  payload: JsonValue;
}
