// Remote runs past a machine in between that answers late, twice, wrongly or never: `runDrillsRemotely` and `pushSource`, a service inside.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunEvent } from '../../src/contract/run/run-events.js';
import { type RemoteRunOptions, type RunDrillsResult, runDrillsRemotely } from '../../src/index.js';
import { drill, moduleAgent, noteIs, type Repository, temporaryRepositories, written } from '../drills/repository.js';
import { clientOf, startInside } from '../e2e/service.js';
import { between, type Rule, refusal } from './between.js';

const service = await startInside();
const { baseUrl, projectId, credential = '' } = service.ready;
const client = clientOf(service, credential);
const repository = temporaryRepositories();

const writes = (id = 'a') =>
  `const outcome = await context.world.call('notes', 'note.write', { id: '${id}', text: 'said' }); return outcome.value;`;

/** Of its own world, and so of a source draft of its own. */
function made(worldId: string, ...parts: { [path: string]: string | object }[]): Repository {
  const one = repository(...parts);
  const world = JSON.parse(readFileSync(join(one.root, 'drillyard/world.json'), 'utf8')) as object;
  one.write('drillyard/world.json', { ...world, id: worldId });
  return one;
}

interface Played {
  result: RunDrillsResult;
  events: RunEvent[];
  notices: string[];
  asked: readonly string[];
}
async function play(root: string, rule: Rule, options: Partial<RemoteRunOptions> = {}): Promise<Played> {
  const { url, asked } = await between(baseUrl, rule);
  const events: RunEvent[] = [];
  const notices: string[] = [];
  const result = await runDrillsRemotely({
    root,
    remote: { url, credential },
    onEvent: (event) => events.push(event),
    onNotice: (text) => notices.push(text),
    ...options,
  });
  return { result, events, notices, asked };
}
const phases = (events: RunEvent[]): string[] => events.flatMap((event) => (event.event === 'interaction' ? [event.phase] : []));
const attemptsOf = ({ drills }: RunDrillsResult) => drills.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts));

// REMOTE-INTERACTION-2
test('an interaction is played once, however often its result is not taken', async () => {
  const { root } = made(
    'once',
    moduleAgent('agent', `context.attach('said.txt', 'x'); ${writes()}`),
    drill('d', 'agent', [written({ equals: 1 })], { capture: { files: 'always' } }),
  );
  const busy = refusal(409, 'control.IDEMPOTENCY_IN_PROGRESS', { retryable: true });
  const slow = await play(root, ({ key, count }) => (key.endsWith('/attachments/_/complete') && count <= 6 ? busy : undefined));
  assert.deepEqual([slow.result.verdict, phases(slow.events)], ['passed', ['started', 'finished']]);

  // Refused as if the run had moved on: it has not, and what was kept is handed in.
  const changed = refusal(409, 'control.VERSION_CONFLICT');
  const stale = await play(root, ({ key, count }) =>
    /\/runs\/_\/(attachments|complete-interaction|interactions.*)$/.test(key) && count <= 2 ? changed : undefined,
  );
  assert.deepEqual([stale.result.verdict, phases(stale.events)], ['passed', ['started', 'finished']]);
  const [attempt] = attemptsOf(stale.result);
  assert.deepEqual(
    attempt?.result.interactions.map(({ targetResult }) => targetResult.attachments.length),
    [1],
  );

  // A refusal that another look cannot help.
  const never = await play(root, ({ key }) => (key.endsWith('/attachments') ? refusal(409, 'world.BUILD_QUARANTINED') : undefined));
  assert.deepEqual([never.result.verdict, phases(never.events)], ['inconclusive', ['started', 'finished']]);
});
void [client, projectId, noteIs];
