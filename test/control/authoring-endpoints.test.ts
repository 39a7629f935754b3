import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import type { AuthoringProposal, AuthoringTurn, CreateAuthoringSessionRequest } from '../../src/contract/hosted/authoring.js';
import type { AuthoringSession } from '../../src/contract/hosted/resources.js';
import type { SourceChange } from '../../src/contract/hosted/source.js';
import { askCommandAuthor } from '../../src/control/authoring/author.js';
import { authoringEndpoints, defineAuthoringRunners } from '../../src/control/authoring/authoring-endpoints.js';
import { createTurn } from '../../src/control/authoring/authoring-turns.js';
import { sourceDraftTable } from '../../src/control/source/source-records.js';
import { CompileWorkers } from '../../src/control/tasks/compile-port.js';
import { canBox } from '../../src/processes/bubblewrap.js';
import { type ControlKit, type ControlKitOptions, openControlKit } from './control-kit.js';

const compiler = new CompileWorkers({ workers: 1 });
after(() => compiler.close());

const put = (path: string, content: string): SourceChange => ({ action: 'put', path, content });
const world = 'schemaVersion: 1\nid: small-world\n';
const sound = [put('drillyard.json', '{"schemaVersion": 1}'), put('drillyard/world.yaml', world)];

async function open(options: ControlKitOptions = {}): Promise<ControlKit> {
  return await openControlKit({ endpoints: authoringEndpoints, runners: defineAuthoringRunners, services: { compiler }, ...options });
}
async function begin(kit: ControlKit, body: Partial<CreateAuthoringSessionRequest> = {}): Promise<AuthoringSession> {
  return (await kit.call('createAuthoringSession', { body: { author: 'manual', ...body } })).session;
}
async function say(kit: ControlKit, session: AuthoringSession, changes: SourceChange[] | undefined, prompt = 'next') {
  const { authoringSessionId, version: expectedVersion } = session;
  const body = { expectedVersion, prompt, ...(changes === undefined ? {} : { changes }) };
  const { operation, turn } = await kit.call('createAuthoringTurn', { path: { authoringSessionId }, body });
  const ended = await kit.services.operations.whenEnded(operation.operationId);
  const now = await kit.call('getAuthoringSession', { path: { authoringSessionId } });
  const turns = await kit.call('listAuthoringTurns', { path: { authoringSessionId } });
  const after: AuthoringTurn = turns.items.find(({ turnId }) => turnId === turn.turnId)!;
  return { queued: turn, turn: after, session: now.session, operation: ended };
}
const proposalOf = async (kit: ControlKit, { authoringSessionId, currentProposalId }: AuthoringSession): Promise<AuthoringProposal> =>
  (await kit.call('getAuthoringProposal', { path: { authoringSessionId, proposalId: currentProposalId! } })).proposal;
const code = (wanted: string) => (error: unknown) => (error as { code: string }).code === wanted;

test('a manual conversation ends in a source draft that compiles', async () => {
  const kit = await open();
  try {
    const first = await say(kit, await begin(kit, { title: 'A small world' }), [put('drillyard.json', '{"schemaVersion": 1}')]);
    assert.equal(first.queued.state, 'queued');
    assert.equal(first.turn.state, 'succeeded');
    const broken = await proposalOf(kit, first.session);
    assert.equal(broken.compiles, false);
    assert.ok(broken.diagnostics.some(({ severity }) => severity === 'error'));
    const { authoringSessionId } = first.session;
    const publishAt = (proposal: AuthoringProposal, session: AuthoringSession) =>
      kit.call('publishAuthoringProposal', {
        path: { authoringSessionId, proposalId: proposal.proposalId },
        body: { expectedVersion: session.version },
      });
    await assert.rejects(publishAt(broken, first.session), (error: ServiceError) => {
      const { file, path } = broken.diagnostics.find(({ severity }) => severity === 'error')!;
      assert.deepEqual([error.code, error.extra.issues?.[0]?.path], ['control.SOURCE_INVALID', `${file}#${path}`]);
      return true;
    });

    const second = await say(kit, first.session, [put('drillyard/world.yaml', world)]);
    const proposal = await proposalOf(kit, second.session);
    assert.deepEqual([proposal.compiles, proposal.diagnostics.filter(({ severity }) => severity === 'error')], [true, []]);
    await assert.rejects(publishAt(broken, second.session), code('control.STATE_CONFLICT'), 'a proposal whose place was taken');
    const published = await publishAt(proposal, second.session);
    assert.equal(published.session.state, 'published');
    assert.ok(published.session.closedAtMs !== undefined);
    assert.deepEqual([published.sourceDraft.name, published.sourceDraft.currentRevision], ['A small world', 1]);
    assert.equal(published.revision.sourceDigest, proposal.sourceDigest);
    await assert.rejects(say(kit, published.session, sound), code('control.STATE_CONFLICT'));
  } finally {
    await kit.close();
  }
});

test('a conversation on a base makes its next revision, unless the base moved on', async () => {
  const kit = await open();
  try {
    const made = await say(kit, await begin(kit), sound);
    const publish = async (session: AuthoringSession) => {
      const path = { authoringSessionId: session.authoringSessionId, proposalId: session.currentProposalId! };
      return await kit.call('publishAuthoringProposal', { path, body: { expectedVersion: session.version } });
    };
    const { sourceDraft } = await publish(made.session);
    const base = { sourceDraftId: sourceDraft.sourceDraftId, revision: 1 };
    const [left, right] = [await begin(kit, { base }), await begin(kit, { base })];
    assert.deepEqual([left.repositoryBindingId, left.baseRevision], [sourceDraft.sourceDraftId, '1']);
    const [leftDone, rightDone] = [
      await say(kit, left, [put('drillyard/world.yaml', `${world}title: Left\n`)]),
      await say(kit, right, [put('drillyard/world.yaml', `${world}title: Right\n`)]),
    ];
    assert.equal((await publish(leftDone.session)).sourceDraft.currentRevision, 2);
    await assert.rejects(publish(rightDone.session), code('control.VERSION_CONFLICT'));
    assert.equal(kit.services.catalog.view.get(sourceDraftTable, sourceDraft.sourceDraftId)?.currentRevision, 2);
    await assert.rejects(begin(kit, { base: { ...base, revision: 9 } }), code('control.NOT_FOUND'));
  } finally {
    await kit.close();
  }
});

test('a turn that changes nothing proposes nothing, one that cannot be applied fails', async () => {
  const kit = await open();
  try {
    const first = await say(kit, await begin(kit), sound);
    const same = await say(kit, first.session, sound);
    assert.equal(same.turn.state, 'unchanged');
    assert.equal(same.session.currentProposalId, first.session.currentProposalId);
    const gone = await say(kit, same.session, [{ action: 'delete', path: 'no/such/file' }]);
    assert.equal(gone.turn.state, 'failed');
    assert.equal(gone.turn.error?.code, 'control.INVALID_REQUEST');
    assert.equal(gone.operation.state, 'failed');
    assert.equal(gone.session.activeTurnId, undefined);
    assert.equal(gone.session.currentProposalId, first.session.currentProposalId);
    await assert.rejects(say(kit, gone.session, undefined), code('control.INVALID_REQUEST'), 'a manual turn without changes');
    await assert.rejects(say(kit, first.session, sound), code('control.VERSION_CONFLICT'));
  } finally {
    await kit.close();
  }
});

test('discarding needs the exact id, the version seen and no turn at work', async () => {
  const kit = await open();
  try {
    const session = await begin(kit);
    const { authoringSessionId, version: expectedVersion } = session;
    const path = { authoringSessionId };
    await assert.rejects(
      kit.call('discardAuthoringSession', { path, body: { expectedVersion, confirm: 'yes' } }),
      code('control.CONFIRMATION_MISMATCH'),
    );
    await assert.rejects(
      kit.call('discardAuthoringSession', { path, body: { expectedVersion: 7, confirm: authoringSessionId } }),
      code('control.VERSION_CONFLICT'),
    );
    const {
      turn,
      operation,
      session: busy,
    } = await kit.call('createAuthoringTurn', { path, body: { expectedVersion, prompt: 'go', changes: sound } });
    assert.deepEqual([busy.activeTurnId, busy.pendingActionCount], [turn.turnId, 1]);
    const now = { expectedVersion: busy.version, confirm: authoringSessionId };
    await assert.rejects(kit.call('discardAuthoringSession', { path, body: now }), code('control.STATE_CONFLICT'));
    await kit.services.operations.whenEnded(operation.operationId);
    const { version } = (await kit.call('getAuthoringSession', { path })).session;
    const discarded = (await kit.call('discardAuthoringSession', { path, body: { ...now, expectedVersion: version } })).session;
    assert.equal(discarded.state, 'discarded');
    assert.equal(discarded.closedAtMs, kit.clock.nowMs);
    const listed = async (state: 'active' | 'discarded' | 'all') =>
      (await kit.call('listAuthoringSessions', { query: { state } })).items.length;
    assert.deepEqual([await listed('active'), await listed('discarded'), await listed('all')], [0, 1, 1]);
  } finally {
    await kit.close();
  }
});

test('a turn that a crash cut short is taken in the next incarnation', async () => {
  let kit = await open();
  const { authoringSessionId, version: expectedVersion } = await begin(kit);
  const { operation } = await kit.call('createAuthoringTurn', {
    path: { authoringSessionId },
    body: { expectedVersion, prompt: 'go', changes: sound },
  });
  const { directory } = kit;
  await kit.end('crash');
  kit = await open({ directory });
  try {
    assert.equal((await kit.services.operations.whenEnded(operation.operationId)).state, 'succeeded');
    const turns = kit.services.catalog.view.list((await import('../../src/control/authoring/authoring-records.js')).turnTable, {
      index: 'bySession',
      prefix: [authoringSessionId],
      limit: 10,
    });
    assert.deepEqual(
      turns.records.map(({ state }) => state),
      ['succeeded'],
    );
  } finally {
    await kit.close();
  }
});

test('the author command gets prompt and files on stdin and answers with changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'author-'));
  const script = join(folder, 'author.mjs');
  writeFileSync(
    script,
    `let text = ''; for await (const chunk of process.stdin) text += chunk;
     const { prompt, files } = JSON.parse(text);
     if (prompt === 'nonsense') console.log('{"changes": [{"action": "burn"}]}');
     else if (prompt === 'crash') process.exit(3);
     else if (prompt === 'secrets') console.log(JSON.stringify({ changes: [{ action: 'put', path: 'env.json', content: JSON.stringify(Object.keys(process.env)) }] }));
     else console.log(JSON.stringify({ changes: [{ action: 'put', path: 'notes.md', content: prompt + ' after ' + files.length }] }));`,
  );
  process.env.SERVER_ONLY_SECRET = 'not for authors';
  const author = { executable: 'node', arguments: [script], timeoutMs: 20_000 };
  const kit = await open({ settings: { author } });
  try {
    const first = await say(kit, await begin(kit, { author: 'command' }), undefined, 'hello');
    const proposal = await proposalOf(kit, first.session);
    assert.deepEqual(proposal.changes, [put('notes.md', 'hello after 0')]);
    const second = await say(kit, first.session, undefined, 'again');
    assert.deepEqual((await proposalOf(kit, second.session)).changes, [put('notes.md', 'again after 1')]);
    const third = await say(kit, second.session, undefined, 'nonsense');
    assert.equal(third.turn.error?.code, 'control.SOURCE_INVALID');
    const fourth = await say(kit, third.session, undefined, 'crash');
    assert.match(fourth.turn.error?.message ?? '', /exited with code 3/);
    const fifth = await say(kit, fourth.session, undefined, 'secrets');
    assert.doesNotMatch(JSON.stringify((await proposalOf(kit, fifth.session)).changes), /SERVER_ONLY_SECRET/);
    await assert.rejects(say(kit, fifth.session, sound), code('control.INVALID_REQUEST'), 'a command turn with changes');
  } finally {
    delete process.env.SERVER_ONLY_SECRET;
    await kit.close();
    rmSync(folder, { recursive: true });
  }
});

test('a turn that is cancelled before it begins frees its conversation', async () => {
  const kit = await open();
  try {
    const session = await begin(kit);
    const path = { authoringSessionId: session.authoringSessionId };
    const body = { expectedVersion: session.version, prompt: 'next', changes: sound };
    const { catalog, operations } = kit.services;
    const about = { caller: kit.caller, correlationId: 'corr_1', idempotencyKey: 'queued-turn', requestHash: 'sha256:0' };
    // In one change with its request: no moment passes in which it could begin.
    const { operation, turn } = await catalog.change((tx) => {
      const { reply } = createTurn(kit.services).apply(tx, { path: { ...path, projectId: kit.projectId }, body, ...about } as never);
      operations.cancel(tx, reply.operation.operationId);
      return reply;
    });
    assert.equal((await kit.services.operations.whenEnded(operation.operationId)).state, 'cancelled');
    const { session: freed } = await kit.call('getAuthoringSession', { path });
    assert.deepEqual([freed.activeTurnId, freed.pendingActionCount], [undefined, 0]);
    const [listed] = (await kit.call('listAuthoringTurns', { path })).items;
    assert.deepEqual([listed?.turnId, listed?.state], [turn.turnId, 'cancelled']);
    assert.equal((await say(kit, freed, sound)).turn.state, 'succeeded');
  } finally {
    await kit.close();
  }
});

const { works, reason } = canBox();
test('in a box an author sees the runtime, its own folder and what its arguments name, and no network', {
  skip: works ? false : reason,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'author-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'bin', 'author.mjs');
  mkdirSync(join(folder, 'bin', 'data'), { recursive: true });
  for (const name of ['named', 'other', 'bin/beside', 'bin/data/server.key', 'bin/elsewhere.key'])
    writeFileSync(join(folder, name), 'text');
  writeFileSync(
    program,
    `#!${process.execPath}
     import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
     import { networkInterfaces } from 'node:os';
     const codeOf = (work) => { try { return work(); } catch (error) { return error.code; } };
     const seen = {
       environment: Object.keys(process.env).filter((name) => name !== 'PWD').sort(),
       beside: codeOf(() => readFileSync('${folder}/bin/beside', 'utf8')),
       named: codeOf(() => readFileSync(process.argv[2], 'utf8')),
       other: codeOf(() => readFileSync('${folder}/other', 'utf8')),
       data: codeOf(() => readdirSync('${folder}/bin/data')),
       key: codeOf(() => readFileSync('${folder}/bin/elsewhere.key', 'utf8')),
       passwords: codeOf(() => readFileSync('/etc/passwd', 'utf8')),
       written: codeOf(() => writeFileSync('${folder}/bin/written', '')),
       temporary: codeOf(() => writeFileSync(process.env.TMPDIR + '/written', '')),
       interfaces: Object.keys(networkInterfaces()),
     };
     console.log(JSON.stringify({ changes: [{ action: 'put', path: 'seen.json', content: JSON.stringify(seen) }] }));`,
    { mode: 0o755 },
  );
  const input = { schemaVersion: 1, authoringSessionId: 'as_1', turnId: 'aturn_1', prompt: '', files: [], diagnostics: [] } as const;
  const look = async (openNetwork: boolean) => {
    const settings = {
      isolation: 'box',
      dataDirectory: join(folder, 'bin', 'data'),
      keyFile: join(folder, 'bin', 'elsewhere.key'),
    } as const;
    const author = { executable: program, arguments: [join(folder, 'named')], timeoutMs: 20_000, openNetwork };
    const [change] = await askCommandAuthor(
      { ...settings, author },
      { ...input, files: [], diagnostics: [] },
      new AbortController().signal,
    );
    return JSON.parse((change as SourceChange & { action: 'put' }).content);
  };
  process.env.SERVER_ONLY_SECRET = 'not for authors';
  t.after(() => delete process.env.SERVER_ONLY_SECRET);
  const { environment, ...seen } = await look(false);
  for (const name of environment) assert.ok(['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'].includes(name), name);
  assert.deepEqual(seen, {
    beside: 'text',
    named: 'text',
    other: 'ENOENT',
    data: [],
    key: 'EACCES',
    passwords: 'ENOENT',
    written: 'EROFS',
    interfaces: ['lo'],
  });
  const open = await look(true);
  assert.deepEqual(open.interfaces, Object.keys(networkInterfaces()));
  assert.deepEqual([open.other, open.data, open.passwords], ['ENOENT', [], 'ENOENT']);
});

test('an author that takes more memory than it may fails its turn', { skip: works ? false : reason }, async () => {
  const takes = "Array.from({ length: 100 }, () => Buffer.allocUnsafe(64 * 1024 * 1024)); console.log('{}')";
  const author = { executable: 'node', arguments: ['-e', takes], timeoutMs: 60_000 };
  const input = { schemaVersion: 1, authoringSessionId: 'as_1', turnId: 'aturn_1', prompt: '', files: [], diagnostics: [] } as const;
  const settings = { author, isolation: 'box', dataDirectory: tmpdir() } as const;
  await assert.rejects(
    askCommandAuthor(settings, { ...input, files: [], diagnostics: [] }, new AbortController().signal),
    code('control.SOURCE_INVALID'),
  );
});

test('without an author command such a conversation cannot begin; another tenant sees nothing', async () => {
  const kit = await open();
  try {
    await assert.rejects(begin(kit, { author: 'command' }), code('control.INVALID_REQUEST'));
    const { authoringSessionId } = await begin(kit);
    const { caller } = await kit.foreigner();
    await assert.rejects(kit.call('getAuthoringSession', { path: { authoringSessionId } }, { caller }), code('control.NOT_FOUND'));
  } finally {
    await kit.close();
  }
});
