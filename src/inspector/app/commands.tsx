// What the palette offers: where one can go, and what can be done here.
import type { SavedRun } from '../../contract/inspector/runs.js';
import type { Findable } from './kit/find-words.ts';
import { agoText } from './kit/host-time.tsx';
import { failureMarkdown } from './state/failure-markdown.tsx';
import { noteRequest, project, refreshProject } from './state/live.tsx';
import { routeHash, runHash } from './state/route.ts';
import { applyTheme, client, commandProblem, go, overlay, route } from './state/session.tsx';
import { copyText, saveZip } from './state/share.tsx';
import { views } from './view-names.tsx';

export interface PaletteCommand extends Findable {
  run: () => void;
}

export function commandsOf(runs: readonly SavedRun[]): PaletteCommand[] {
  return [...here(), ...places(), ...drills(), ...savedRuns(runs), ...tools(), ...settings()];
}

/** The palette is closed by then: the page says what went wrong. */
function attempt(work: Promise<void>): void {
  commandProblem.value = undefined;
  work.catch((error: Error) => {
    commandProblem.value = error.message;
  });
}

/** What concerns the page one is at. */
function here(): PaletteCommand[] {
  const { view, path } = route.value;
  const runId = view === 'runs' ? path[0] : undefined;
  const copyLink = { group: 'Do', title: 'Copy a link to this page', run: () => attempt(copyText(async () => location.href)) };
  if (runId === undefined) return [copyLink];
  return [
    copyLink,
    {
      group: 'Do',
      title: 'Copy the failure as Markdown',
      note: 'for an issue or a model',
      run: () => attempt(copyText(() => failureMarkdown(runId))),
    },
    { group: 'Do', title: 'Save this run as a zip', note: 'the whole report', run: () => attempt(saveZip(runId)) },
    { group: 'Do', title: 'Compare this run with another', run: () => go(routeHash('compare', [], { left: runId })) },
  ];
}

function places(): PaletteCommand[] {
  return views.map(({ name, title, key }) => ({ group: 'Go to', title, note: key, run: () => go(routeHash(name)) }));
}

function drills(): PaletteCommand[] {
  const { drills: all = [], suites = [] } = project.value ?? {};
  const start = (body: { drillId: string } | { suiteId: string }, hash: string) => () => {
    go(hash);
    attempt(client.call('startRun', { body }).then(({ request }) => noteRequest(request)));
  };
  return [
    ...all.flatMap(({ id, title = '' }) => [
      { group: 'Drill', title: id, note: title, run: () => go(routeHash('drills', [id])) },
      { group: 'Run', title: `Run ${id}`, note: title, run: start({ drillId: id }, routeHash('drills', [id])) },
      { group: 'Runs', title: `Runs of ${id}`, run: () => go(routeHash('runs', [], { drill: id })) },
    ]),
    ...suites.flatMap(({ id, title = '' }) => [
      { group: 'Suite', title: id, note: title, run: () => go(routeHash('drills', [`suite:${id}`])) },
      { group: 'Run', title: `Run the suite ${id}`, note: title, run: start({ suiteId: id }, routeHash('drills', [`suite:${id}`])) },
    ]),
  ];
}

function savedRuns(runs: readonly SavedRun[]): PaletteCommand[] {
  return runs.map((run) => ({
    group: run.verdict,
    title: `${run.drill.id} ${run.runId.slice(-6)}`,
    note: agoText(run.finishedAtMs, Date.now()),
    run: () => go(runHash(run.runId)),
  }));
}

function tools(): PaletteCommand[] {
  const { tools: all = [], scenarios = [] } = project.value ?? {};
  return [
    ...all.flatMap(({ toolId, implementation, definition }) => [
      { group: 'Tool', title: toolId, note: definition.title ?? '', run: () => go(routeHash('world', ['tools', toolId])) },
      ...implementation.files.map(({ fileId, displayPath }) => ({
        group: 'Source',
        title: displayPath,
        run: () => go(routeHash('source', [toolId, fileId])),
      })),
    ]),
    ...scenarios.map(({ id, title = '' }) => ({
      group: 'Scenario',
      title: id,
      note: title,
      run: () => go(routeHash('world', ['scenarios', id])),
    })),
  ];
}

function settings(): PaletteCommand[] {
  return [
    { group: 'Do', title: 'Compile again', run: () => void refreshProject() },
    ...(['light', 'dark', 'auto'] as const).map((name) => ({ group: 'Theme', title: `Theme: ${name}`, run: () => applyTheme(name) })),
    {
      group: 'Do',
      title: 'Show the keys',
      note: '?',
      run: () => {
        overlay.value = 'help';
      },
    },
  ];
}
