// What a view waits for, and what it shows meanwhile: a skeleton, what went wrong and what to do, or why there is nothing.
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** A refusal of a service says more than its message. */
interface Refusal extends Error {
  code?: string;
  issues?: readonly { path: string; message: string }[];
}

export interface LoadState<T> {
  value?: T;
  error?: Error;
  reload: () => void;
}

/** Loads whenever `key` changes; the last value of the same key stays while it reloads, with `keep` that of any key. */
export function useLoad<T>(key: string, load: () => Promise<T>, { keep = false } = {}): LoadState<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ key: string; value?: T; error?: Error }>({ key });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let stale = false;
    latest.current().then(
      (value) => !stale && setState({ key, value }),
      (error: Error) => {
        if (stale) return;
        setState((before) => (before.key === key && before.value !== undefined ? { key, value: before.value, error } : { key, error }));
      },
    );
    return () => {
      stale = true;
    };
  }, [key, turn]);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  if (state.key === key) return { ...state, reload };
  return keep && state.value !== undefined ? { value: state.value, reload } : { reload };
}

/** The value once it is there; before that, or without it, what stands in its place. */
export function Await<T>({
  of,
  what,
  lines = 6,
  head,
  children,
}: {
  of: LoadState<T>;
  what: string;
  lines?: number;
  /** Above what stands in its place, where the value brings a heading of its own. */
  head?: ComponentChildren;
  children: (value: T) => ComponentChildren;
}) {
  if (of.value !== undefined) return <>{children(of.value)}</>;
  return (
    <>
      {head}
      {of.error === undefined ? <Skeleton what={what} lines={lines} /> : <Failure error={of.error} what={what} retry={of.reload} />}
    </>
  );
}

export function Skeleton({ what, lines = 6 }: { what: string; lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class={`bone bone-${index % 4}`} />
      ))}
    </div>
  );
}

export function Failure({ error, what, retry }: { error: Error; what: string; retry?: () => void }) {
  const { code, issues = [] } = error as Refusal;
  return (
    <div class="notice bad" role="alert">
      <h2 class="h3">Could not load {what}</h2>
      <p>{error.message}</p>
      {issues.length > 0 && (
        <ul class="issues">
          {issues.map((issue) => (
            <li key={issue.path + issue.message}>
              <code>{issue.path === '' ? '(request)' : issue.path}</code> {issue.message}
            </li>
          ))}
        </ul>
      )}
      <p class="row">
        {retry !== undefined && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
        {code !== undefined && <code class="quiet">{code}</code>}
      </p>
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 48 48" aria-hidden="true">
        <circle cx="24" cy="24" r="19" />
        <path d="M5 24h10m18 0h10M24 5v10m0 18v10" />
        <circle cx="24" cy="24" r="3" />
      </svg>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
