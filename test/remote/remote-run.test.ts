// Remote runs past a machine in between that answers late, twice, wrongly or never: `runDrillsRemotely` and `pushSource`, a service inside.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { RunEvent } from '../../src/contract/run/run-events.js';
import { pushSource, type RemoteRunOptions, type RunDrillsResult, runDrills, runDrillsRemotely } from '../../src/index.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { warmDrillyard } from '../cli/warm-cli.js';
import { drill, moduleAgent, type Repository, temporaryRepositories, written } from '../drills/repository.js';
import { clientOf, startInside } from '../e2e/service.js';
import { between, type Passing, type Rule, refusal } from './between.js';

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
  const slow = await play(root, ({ key, count }) => (key.endsWith('/attachments/_/complete') && count <= 5 ? busy : undefined));
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

// Of the deepest and the largest output of a local run, and of one that grows as it is written again.
const largest = {
  deep: 'let value = 1; for (let level = 0; level < 64; level++) value = { value }; return value;',
  large: `return 'x'.repeat(${limits.targetOutputBytesMax - 2});`,
  grown: `return { status: 'failed', error: { message: 'no', details: { text: 'x'.repeat(1000000) } } };`,
};
for (const [what, agent] of Object.entries(largest))
  test(`an output that a local run takes is taken by a service: ${what}`, async () => {
    const { root } = made(`most-${what}`, moduleAgent('agent', agent), drill('d', 'agent', [written({ equals: 0 })]));
    const local = await runDrills({ root, reportDirectory: false });
    const remote = await play(root, () => undefined);
    const ends = (result: RunDrillsResult) =>
      attemptsOf(result).map(({ result: { interactions, verdict, evidenceHash, stateHash } }) => {
        const results = interactions.map(({ targetResult: { status, output, error } }) => [status, output, error?.code]);
        return { verdict, evidenceHash, stateHash, results };
      });
    assert.deepEqual(ends(remote.result), ends(local));
    assert.notEqual(ends(local)[0]?.results[0]?.[1], undefined);
  });

// REMOTE-INTERACTION-3
test('a result that the service refuses is a failure of the interaction: the run ends, and its journal is kept', async () => {
  const { root } = made('refused', moduleAgent('agent', writes()), drill('d', 'agent', [written({ equals: 1 })]));
  for (const [answer, code] of [
    [refusal(400, 'control.INVALID_REQUEST'), 'target.OUTPUT_INVALID'],
    [refusal(413, 'control.PAYLOAD_TOO_LARGE'), 'target.OUTPUT_TOO_LARGE'],
  ] as const) {
    const { result, events } = await play(root, ({ key, count }) =>
      key.endsWith('/interactions/complete') && count === 1 ? answer : undefined,
    );
    const [attempt] = attemptsOf(result);
    const [interaction] = attempt?.result.interactions ?? [];
    assert.deepEqual([result.verdict, attempt?.result.status, attempt?.result.failure], ['inconclusive', 'sealed', undefined]);
    assert.deepEqual([interaction?.targetResult.status, interaction?.targetResult.error?.code], ['failed', code]);
    assert.equal(attempt?.result.budgetUsage.toolCalls.attempted, 1);
    const finished = events.find((event) => event.event === 'interaction' && event.phase === 'finished');
    const error = { code, message: 'The service refuses the result: not now' };
    assert.deepEqual(finished, { ...finished, status: 'failed', error });
  }
});

// REMOTE-IDENTITY-1
test('a run that was not asked for is believed in nothing', async () => {
  const { root, write } = made('swapped', moduleAgent('agent', writes()), drill('d', 'agent', [written({ equals: 1 })]));
  const first = await play(root, () => undefined);
  assert.equal(first.result.verdict, 'passed');
  const { items } = await client.listRuns({ path: { projectId }, query: { drillId: 'd' } });
  const other = items.find(({ request }) => request.runId === attemptsOf(first.result)[0]?.runId);
  const wrong = (played: Played): [string, string | undefined] => {
    const [attempt] = attemptsOf(played.result);
    return [played.result.verdict, attempt?.result.failure?.code];
  };
  for (const [path, file] of Object.entries(drill('e', 'agent', [written({ equals: 9 })]))) write(path, file as object);
  // The run of another drill, which passed, where the one of this drill is read.
  const shown = async (): Promise<string> => JSON.stringify({ run: other });
  const swapped = await play(root, ({ key }) => (/^GET .*\/runs\/_$/.test(key) ? { shown } : undefined), { drills: ['e'] });
  assert.deepEqual(wrong(swapped), ['inconclusive', 'reporter.EVIDENCE_INVALID']);
  // A run of another seed than was asked for.
  const seeded = (text: string): string => text.replace(/"seed":"[^"]*"/, '"seed":"0"');
  const reseeded = await play(root, ({ key }) => (/^POST .*\/sessions\/_\/runs$/.test(key) ? { shown: seeded } : undefined), {
    drills: ['d'],
  });
  assert.deepEqual(wrong(reseeded), ['inconclusive', 'reporter.EVIDENCE_INVALID']);
  // The identity of its result alone.
  const setUp = (text: string): string => text.replace(/"setupHash":"sha256:/g, '"setupHash":"sha256:0');
  const unlike = await play(root, ({ key }) => (/^GET .*\/runs\/_$/.test(key) ? { shown: setUp } : undefined), { drills: ['d'] });
  assert.deepEqual(wrong(unlike), ['inconclusive', 'reporter.EVIDENCE_INVALID']);
});

// REMOTE-ATTEMPT-3
for (const [what, isSilent] of [
  ['its first request', ({ key }) => key === 'GET /v1/me'],
  ['the build', ({ key }) => key.includes('/operations/')],
  ['the session', ({ key }) => /\/operations\/|\/sessions\/_$/.test(key)],
  ['the run', ({ key }) => /\/runs\/_(\/cancel)?$|\/sessions\/_(\/destroy)?$/.test(key)],
] as [string, (passing: Passing) => boolean][])
  test(`a cancelled run ends though the service is silent about ${what}`, async () => {
    const { root } = made(
      `silent-${what.replaceAll(' ', '-')}`,
      moduleAgent('agent', writes()),
      drill('d', 'agent', [written({ equals: 1 })]),
    );
    if (what !== 'its first request' && what !== 'the build') await pushSource({ root, remote: { url: baseUrl, credential } });
    const abort = new AbortController();
    const rule: Rule = (passing) => {
      if (!isSilent(passing)) return undefined;
      abort.abort();
      return { silent: true };
    };
    // Before anything was played it rejects.
    const end = await play(root, rule, { signal: abort.signal }).then(
      ({ result }) => [result.cancelled, attemptsOf(result)[0]?.result.status],
      (error: unknown) => [abort.signal.aborted, (error as Error).name],
    );
    assert.deepEqual(end, what === 'the session' || what === 'the run' ? [true, 'cancelled'] : [true, 'AbortError']);
  });

// FETCH-EVIDENCE-1, FETCH-EVIDENCE-2
test('hiccups in files of the evidence cost no verdict, each file having tries of its own', async () => {
  const { root } = made('hiccups', moduleAgent('agent', writes()), drill('d', 'agent', [written({ equals: 1 })]));
  const failing = new Map<string, number>();
  const later = refusal(503, 'control.UNAVAILABLE', { retryable: true, retryAfterMs: 1 });
  const rule: Rule = ({ path }) => {
    const file = /artifacts\?path=(.*)$/.exec(path)?.[1];
    if (file === undefined) return undefined;
    const times = (failing.get(file) ?? 0) + 1;
    failing.set(file, times);
    return times === 1 ? later : times === 2 ? { cut: true } : undefined;
  };
  const { result } = await play(root, rule);
  const [attempt] = attemptsOf(result);
  assert.deepEqual([result.verdict, attempt?.reportError], ['passed', undefined]);
  assert.ok(failing.size >= 5 && [...failing.values()].every((times) => times === 3), JSON.stringify([...failing]));
  assert.equal((await verifyReport(join(root, attempt?.report as string))).ok, true);
});

test('a refusal with members of other types is what its attempt came to; other attempts are played', async () => {
  const { root } = made(
    'malformed',
    moduleAgent('agent', writes()),
    drill('d', 'agent', [written({ equals: 1 })]),
    drill('e', 'agent', [written({ equals: 1 })]),
  );
  const rule: Rule = ({ key, count }) =>
    /^POST .*\/sessions\/_\/runs$/.test(key) && count === 1
      ? { answer: { status: 400, body: { code: 'control.INVALID_REQUEST', message: 'no', issues: { a: 1 } } } }
      : undefined;
  const { result } = await play(root, rule);
  assert.deepEqual(
    attemptsOf(result).map(({ verdict, result: { failure } }) => [verdict, failure?.code]),
    [
      ['inconclusive', 'control.INVALID_REQUEST'],
      ['passed', undefined],
    ],
  );
});

test('a page in place of the service is named as no service; so is another JSON', async () => {
  const { root } = made('elsewhere', moduleAgent('agent', writes()), drill('d', 'agent', [written({ equals: 1 })]));
  const html = { answer: { status: 200, body: '<h1>login</h1>', headers: { 'content-type': 'text/html' } } };
  const cases: [Rule, RegExp][] = [
    [() => html, /^http:\S+ is not a Drillyard service: it answers with text\/html/],
    [() => ({ answer: { status: 200, body: 'null' } }), /^http:\S+ is not a Drillyard service: it does not say/],
    [() => ({ answer: { status: 200, body: { projects: [{}] } } }), /^http:\S+ is not a Drillyard service: it does not say/],
  ];
  for (const [rule, message] of cases) await assert.rejects(play(root, rule), { code: 'control.UNAVAILABLE', message });
  for (const url of [`${baseUrl}/v1`, baseUrl.replace('//', '//user:secret@'), `${baseUrl}/?x=1`])
    await assert.rejects(runDrillsRemotely({ root, remote: { url, credential } }), (error: Error) => {
      assert.match(error.message, /The URL of a service is its scheme, host and port/);
      return !error.message.includes('secret');
    });
});

test('a long name of an attachment is cut between characters, and keeps its ending', async () => {
  const named = `const name = 'x' + '\u{1F600}'.repeat(110) + '.txt'; context.attach(name, 'said'); ${writes()}`;
  const { root } = made(
    'named',
    moduleAgent('agent', named),
    drill('d', 'agent', [written({ equals: 1 })], { capture: { files: 'always' } }),
  );
  const { result, notices } = await play(root, () => undefined);
  const [attempt] = attemptsOf(result);
  assert.deepEqual(
    attempt?.result.interactions.map(({ targetResult }) => targetResult.attachments.map(({ name }) => name)),
    [[`x${'\u{1F600}'.repeat(97)}.txt`]],
    notices.join(),
  );
});

test('what a service says goes to the terminal as one line without controls, and no command is shown for a report that is not there', async () => {
  const { root } = made('escapes', moduleAgent('agent', writes()), drill('d', 'agent', [written({ equals: 9 })]));
  const evil = '\u001b]0;OWNED\u0007\n::error::said';
  const within = (text: string): string => text.replace(/("buildHash":"sha256:[0-9a-f]+)"/g, `$1${JSON.stringify(evil).slice(1, -1)}"`);
  const { url } = await between(baseUrl, ({ key }) => (/\/(builds|operations)\/_?/.test(key) ? { shown: within } : undefined));
  const env = { DRILLYARD_TOKEN: credential };
  const pushed = await warmDrillyard(['push', '--remote', url, '--root', root], { env });
  assert.match(pushed.stdout, /Build sha256:[0-9a-f]+\\u001b\]0;OWNED\\u0007\\n::error::said\./);
  const gone = refusal(404, 'control.NOT_FOUND', { message: `gone${evil}` });
  const other = await between(baseUrl, ({ key }) => (/\/evidence\/_$/.test(key) ? gone : undefined));
  const ran = await warmDrillyard(['run', '--remote', other.url, '--root', root], { env });
  for (const { stdout, stderr } of [pushed, ran]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    assert.doesNotMatch(stdout + stderr, /[\u001b\u0007]|^::error/m);
  }
  assert.match(ran.stderr, /gone/);
  assert.match(ran.stdout, /no report was written/);
  assert.doesNotMatch(ran.stdout, /drillyard show/);
});
