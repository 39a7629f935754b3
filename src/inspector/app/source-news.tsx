// What changed in the repository while the page is open: which drills it concerns, or why it does not compile any more.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { keepText, keptText } from '../../viewer/kit/kept-text.tsx';
import { counted, Problem } from '../../viewer/kit/parts.tsx';
import { noteRequest, projectReply, sourceChange } from './state/live.tsx';
import { routeHash } from './state/route.ts';
import { client, go, pageWatch } from './state/session.tsx';
import { useBusy } from './state/use-busy.tsx';
import { DiagnosticList } from './views/diagnostic-list.tsx';

const rerunKey = 'drillyard.rerun';
const runsByItself = signal(keptText('localStorage', rerunKey) === 'yes');

export function SourceNews() {
  const change = sourceChange.value;
  const reply = projectReply.value;
  if (change === undefined || reply === undefined) return null;
  const errors = reply.project.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return <Broken files={change.files} />;
  return change.drills.length === 0 ? null : <Concerned key={change.drills.join()} {...change} />;
}

function dismiss(): void {
  sourceChange.value = undefined;
}

const named = (files: readonly string[]): string =>
  files.length <= 3 ? files.join(', ') : `${files.slice(0, 2).join(', ')} and ${files.length - 2} more`;

function Broken({ files }: { files: readonly string[] }) {
  const { project, excerpts } = projectReply.value!;
  const errors = project.diagnostics.filter(({ severity }) => severity === 'error').length;
  return (
    <section class="broken-source" aria-label="The source does not compile">
      <header class="row">
        <strong class="grow">
          {named(files)} changed, and the source does not compile: {counted(errors, 'error')}
        </strong>
        <a href={routeHash('world', ['diagnostics'])} onClick={dismiss}>
          All diagnostics
        </a>
        <button type="button" class="icon" aria-label="Dismiss" onClick={dismiss}>
          ✕
        </button>
      </header>
      <div class="broken-list" role="alert">
        <DiagnosticList list={project.diagnostics} excerpts={excerpts} />
      </div>
    </section>
  );
}

function Concerned({ files, drills }: { files: readonly string[]; drills: readonly string[] }) {
  const { busy, problem, run } = useBusy();
  const start = (): void =>
    run(async () => {
      const isHere = pageWatch();
      for (const drillId of drills) noteRequest((await client.call('startRun', { body: { drillId } })).request);
      dismiss();
      if (drills.length === 1 && isHere()) go(routeHash('drills', [drills[0]!]));
    });
  useEffect(() => {
    // One tab of several does it: the one that is looked at.
    if (runsByItself.value && document.visibilityState === 'visible') start();
  }, []);
  return (
    <section class="notice source-news row" role="status" aria-label="The source changed">
      <span class="grow">
        <strong>{named(files)}</strong> changed.{' '}
        {drills.length === 1 ? `It concerns ${drills[0]}.` : `It concerns ${counted(drills.length, 'drill')}.`}
      </span>
      <label class="toggle">
        <input
          type="checkbox"
          checked={runsByItself.value}
          onChange={(event) => {
            runsByItself.value = event.currentTarget.checked;
            keepText('localStorage', rerunKey, runsByItself.value ? 'yes' : 'no');
          }}
        />
        Always run what a change concerns
      </label>
      <button type="button" class="primary" aria-disabled={busy} onClick={start}>
        Run {drills.length === 1 ? 'it' : counted(drills.length, 'drill')}
      </button>
      <button type="button" class="icon" aria-label="Dismiss" onClick={dismiss}>
        ✕
      </button>
      <Problem text={problem} />
    </section>
  );
}
