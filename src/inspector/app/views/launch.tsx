// Runs a drill or a suite, with the options that a run takes.
import { useRef } from 'preact/hooks';
import type { InspectorStartRunRequest } from '../../../contract/inspector/runs.js';
import { limits } from '../../../contract/limits.js';
import { Problem } from '../../../viewer/kit/parts.tsx';
import { isOffline, noteRequest, project } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';

interface LaunchProps {
  what: Pick<InspectorStartRunRequest, 'drillId' | 'suiteId'>;
  trials?: number | undefined;
  retries?: number;
  concurrency?: number;
}

export function Launch({ what, trials, retries, concurrency }: LaunchProps) {
  const { busy, problem, run } = useBusy();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const number = (name: string): { [name: string]: number } => (given.get(name) === '' ? {} : { [name]: Number(given.get(name)) });
    const seed = String(given.get('seed') ?? '').trim();
    const body = { ...what, ...(seed === '' ? {} : { seed }), ...number('trials'), ...number('retries'), ...number('concurrency') };
    run(async () => noteRequest((await client.call('startRun', { body })).request));
  };
  return (
    <form class="launch" onSubmit={submit}>
      <SeedField />
      <label class="field">
        Trials
        <input name="trials" type="number" min={1} max={limits.trialsMax} placeholder={trials === undefined ? 'its own' : String(trials)} />
      </label>
      <label class="field">
        Retries
        <input name="retries" type="number" min={0} max={limits.retriesMax} placeholder={String(retries ?? 0)} />
      </label>
      <label class="field">
        In parallel
        <input name="concurrency" type="number" min={1} max={limits.runConcurrencyMax} placeholder={String(concurrency ?? 1)} />
      </label>
      <button type="submit" class="primary" aria-disabled={busy} disabled={isOffline.value}>
        {busy ? 'Starting…' : 'Run'}
      </button>
      <Problem text={problem} />
      {problem !== undefined && project.value?.buildHash === undefined && (
        <a href={routeHash('world', ['diagnostics'])}>Every diagnostic, with its line</a>
      )}
    </form>
  );
}

/** Empty is the world's own seed; the button writes another one into it, so that it can be read and used again. */
export function SeedField() {
  const input = useRef<HTMLInputElement>(null);
  const seed = project.value?.world?.seed;
  const roll = (): void => {
    if (input.current !== null) input.current.value = String(crypto.getRandomValues(new Uint32Array(1))[0]);
  };
  return (
    <div class="field wide seed-field">
      <label for="seed">Seed</label>
      <span class="joined">
        <input
          id="seed"
          name="seed"
          ref={input}
          placeholder={seed === undefined ? "the world's" : `the world's, ${seed}`}
          autocomplete="off"
          spellcheck={false}
          inputMode="numeric"
        />
        <button type="button" onClick={roll} aria-label="Fill in a random number" title="A random number">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <rect x="3" y="3" width="14" height="14" rx="3" />
            <circle cx="7" cy="7" r="1.2" />
            <circle cx="13" cy="13" r="1.2" />
            <circle cx="10" cy="10" r="1.2" />
          </svg>
        </button>
      </span>
    </div>
  );
}
