// A repository in which each drill goes wrong in another way, and the reports of its drills.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { runDrills } from '../../src/index.js';
import { createTerminalReporter } from '../../src/reports/terminal-reporter.js';
import { createRepository, drill, moduleAgent, noteIs, notesBehavior, notesTool, type Repository } from '../drills/repository.js';

const written = (id: string, text: string): string => `await context.world.call('notes', 'note.write', { id: '${id}', text: '${text}' });`;
const timeline = {
  horizonUs: 2000,
  interactions: [{ id: 'only', afterStartUs: 0, actorId: 'writer', task: { instruction: 'Write the note "a".' } }],
};
const atMostTwo = { id: 'never-three', kind: 'state.count', packageId: 'notes', namespace: 'notes', count: { atMost: 2 } };
const faultMeaning = 'The store of notes does not answer.';

const files: { [path: string]: string | object } = {
  'notes/notes.tool.json': {
    ...notesTool,
    manifest: { ...notesTool.manifest, faults: notesTool.manifest.faults.map((fault) => ({ ...fault, description: faultMeaning })) },
  },
  'notes/behavior.ts': notesBehavior.replace("'note.remove': ({ id }", "'note.remove': ({ id, broken: { piece } }"),
  'drillyard/down.scenario.json': { schemaVersion: 1, id: 'down', faults: [{ packageId: 'notes', faultId: 'down' }] },
  ...moduleAgent('crashing', `context.log('it begins');\n${written('a', 'x')}\nreturn { subject: invocation.missing.subject };`),
  ...moduleAgent('busy', `${written('a', 'one')}\n${written('b', 'one')}\nreturn {};`),
  ...moduleAgent('greedy', `for (let at = 0; at < 9; at++) await context.world.call('notes', 'note.write', { id: 'n' + at, text: 'x' });`),
  ...moduleAgent('slow', `${written('a', 'one')}\ncontext.log('now it waits');\nawait new Promise(() => setInterval(() => {}, 1000));`, {
    timeoutMs: 300,
  }),
  ...moduleAgent(
    'careless',
    `await context.world.call('notes', 'note.get', { id: 'first' });\n${written('first', 'overwritten')}\nreturn {};`,
  ),
  ...moduleAgent('removing', `await context.world.call('notes', 'note.remove', { id: 'first' });`),
  ...drill('invariant', 'busy', [noteIs('a', 'one')], { timeline: { ...timeline, invariants: [atMostTwo] } }),
  ...drill('crash', 'crashing', [noteIs('a', 'two')], { timeline }),
  ...drill('fault', 'careless', [noteIs('first', 'here from the start')], { timeline, scenarioId: 'down' }),
  ...drill('budget', 'greedy', [noteIs('n8', 'x')], { timeline: { ...timeline, maxToolCalls: 4 } }),
  ...drill('timeout', 'slow', [noteIs('a', 'two')], { timeline }),
  ...drill('tool', 'removing', [noteIs('gone', 'x')], { timeline }),
};

export interface PlayedFailures {
  repository: Repository;
  /** By drill. */
  reports: { [drillId: string]: { runId: string; folder: string; report: RunReport; text: string; page: string } };
  /** What the terminal said of all of them, without color. */
  terminal: string;
}

export async function playFailures(): Promise<PlayedFailures> {
  const grants = [{ packageId: 'notes', operationId: 'note.remove' }];
  const repository = createRepository(files);
  const world = JSON.parse(readFileSync(join(repository.root, 'drillyard/world.json'), 'utf8')) as { actors: { grants: object[] }[] };
  world.actors[0]?.grants.push(...grants);
  repository.write('drillyard/world.json', world);
  let terminal = '';
  const write = (text: string): boolean => {
    terminal += text;
    return true;
  };
  const stream = { isTTY: false, write };
  const reporter = createTerminalReporter({ stream: stream as never, color: false });
  await runDrills({ root: repository.root, onEvent: (event) => reporter.onEvent(event) });
  reporter.close();
  const directory = join(repository.root, '.service/reports');
  const reports: PlayedFailures['reports'] = {};
  for (const runId of readdirSync(directory).filter((name) => name.startsWith('run_'))) {
    const folder = join(directory, runId);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const report = JSON.parse(read('report.json')) as RunReport;
    reports[report.drill.id] = { runId, folder, report, text: read('report.txt'), page: read('index.html') };
  }
  return { repository, reports, terminal };
}
