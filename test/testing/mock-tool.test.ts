// Tools and worlds as the author of a test uses them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type MockedTool, mockTool, openWorld, type TestWorld, ToolCallError, type ToolTypes } from '../../src/testing.js';
import { createRepository, drill, moduleAgent, written } from '../drills/repository.js';

interface Note {
  id: string;
  text: string;
}
interface Notes extends ToolTypes {
  state: { notes: Note };
  operations: {
    'note.write': { input: Note; output: Note };
    'note.get': { input: { id: string }; output: Note };
    'note.remind': { input: { id: string; afterUs: number }; output: null };
    'note.break-later': { input: { id: string; afterUs: number }; output: null };
  };
}

const repository = createRepository({
  ...moduleAgent('agent', ''),
  ...drill('d', 'agent', [written({ equals: 0 })], { inlineScenario: { virtualTimeUs: 5, actors: [{ id: 'writer', grants: [] }] } }),
});
after(() => repository.remove());

describe('a package of its own', () => {
  let notes: MockedTool<Notes>;
  before(async () => {
    notes = await mockTool<Notes>({
      package: './notes',
      from: repository.root,
      state: { notes: { first: { id: 'first', text: 'here' } } },
    });
  });
  after(() => notes.close());
  beforeEach(() => notes.reset());

  test('calls give values, and what they did can be read', async () => {
    const note: Note = await notes.call('note.write', { id: 'a', text: 'x' });
    assert.deepEqual(note, { id: 'a', text: 'x' });
    assert.deepEqual(await notes.state('notes'), { a: { id: 'a', text: 'x' }, first: { id: 'first', text: 'here' } });
    assert.deepEqual([(await notes.row('notes', 'a'))?.text, await notes.row('notes', 'b')], ['x', undefined]);
    const [call, ...others] = await notes.calls('note.write');
    assert.deepEqual(others, []);
    assert.deepEqual(
      [call?.operationId, call?.actorId, call?.arguments, call?.outcome],
      ['note.write', 'tester', { id: 'a', text: 'x' }, { kind: 'ok', value: { id: 'a', text: 'x' } }],
    );
    assert.deepEqual(await notes.calls('note.get'), []);
    assert.ok((await notes.evidence()).some(({ kind, sequence }) => kind === 'operation' && sequence === call?.sequence));
  });

  test('what is not ok is thrown by `call`, and a value of `outcome`', async () => {
    await assert.rejects(notes.call('note.get', { id: 'none' }), (error) => {
      assert.ok(error instanceof ToolCallError);
      assert.deepEqual([error.code, error.message], ['NOT_FOUND', 'notes/note.get was answered tool_error: NOT_FOUND, no such note']);
      return true;
    });
    assert.equal((await notes.outcome('note.get', { id: 'none' })).kind, 'tool_error');
    await assert.rejects(notes.call('note.write', { id: 'a' } as Note), { code: 'INVALID_ARGUMENTS' });
  });

  test('the same key twice is one effect', async () => {
    const key = { idempotencyKey: 'k' };
    await notes.call('note.write', { id: 'a', text: 'x' }, key);
    await notes.call('note.write', { id: 'a', text: 'x' }, key);
    assert.deepEqual(
      (await notes.calls()).map(({ idempotency }) => idempotency),
      ['recorded', 'replayed'],
    );
  });

  test("time is the test's, and a handler that throws fails it", async () => {
    await notes.call('note.remind', { id: 'x', afterUs: 10 });
    assert.equal((await notes.advance({ byUs: 9 })).scheduledEventsProcessed, 0);
    assert.equal((await notes.advance({ toUs: 10 })).scheduledEventsProcessed, 1);
    assert.deepEqual([(await notes.row('notes', 'due-x'))?.text, await notes.nowUs()], ['at 10', 10]);
    await notes.call('note.break-later', { id: 'x', afterUs: 10 });
    await assert.rejects(notes.advance({ byUs: 100 }), /A scheduled event failed at 20 us: .*broken on purpose/);
  });

  test('a fault is on until it is off, and a reset takes everything back', async () => {
    await notes.fault('down');
    await assert.rejects(notes.call('note.get', { id: 'first' }), { code: 'DOWN' });
    await notes.fault('down', false);
    await notes.call('note.get', { id: 'first' });
    await notes.fault('down');
    await notes.reset();
    assert.deepEqual(await notes.calls(), []);
    assert.equal((await notes.call('note.get', { id: 'first' })).text, 'here');
  });

  test('a client over HTTP reaches the same world', async () => {
    const { http, mcp, cli } = await notes.connect();
    assert.ok(http && mcp && cli);
    const reply = await fetch(`${http.url}/v1/operations/notes/note.write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${http.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { id: 'h', text: 'over http' } }),
    });
    assert.equal(reply.status, 200);
    assert.equal((await notes.row('notes', 'h'))?.text, 'over http');
  });

  test('types: an operation, an input or a row that the tool has not is an error of the compiler', () => {
    const never = async (): Promise<void> => {
      // @ts-expect-error no such operation
      await notes.call('note.burn', {});
      // @ts-expect-error no such input
      await notes.call('note.get', { name: 'x' });
      // @ts-expect-error no such namespace
      await notes.state('books');
    };
    assert.equal(typeof never, 'function');
  });
});

test('a tool of the library with its starter; the same seed gives the same evidence', async () => {
  const hashOf = async (seed: string): Promise<string> => {
    await using desk = await mockTool({
      package: 'library:ticket-desk',
      starter: true,
      seed,
      actor: { id: 'ines', attributes: { agentId: 'agt_ines' } },
    });
    const tickets = Object.keys(await desk.state('tickets'));
    assert.ok(tickets.length > 0);
    await desk.call('ticket.get', { ticketId: tickets[0] });
    await desk.advance({ byUs: 1_000_000 });
    return (await desk.local.position()).evidenceHash;
  };
  assert.equal(await hashOf('3'), await hashOf('3'));
  assert.notEqual(await hashOf('3'), await hashOf('4'));
});

test("a whole repository, from its baseline or a drill's start, as its actors", async () => {
  const world: TestWorld = await openWorld({ root: repository.root });
  try {
    const notes = world.tool<Notes>('notes', { actorId: 'writer' });
    await notes.call('note.write', { id: 'a', text: 'x' });
    assert.equal((await world.tool<Notes>('notes', { actorId: 'reader' }).outcome('note.get', { id: 'a' })).kind, 'denied');
    assert.deepEqual(
      (await notes.calls()).map(({ actorId, operationId }) => [actorId, operationId]),
      [
        ['writer', 'note.write'],
        ['reader', 'note.get'],
      ],
    );
  } finally {
    await world.close();
  }
  await using other = await openWorld({ root: repository.root, drillId: 'd' });
  assert.equal(await other.nowUs(), 5);
});

test('what does not compile says why', async () => {
  const wrong = { notes: { a: { id: 'a' } as Note } };
  const reported = {
    code: 'control.SOURCE_INVALID',
    message: /\n {2}\S*mock-tool\.test\.[jt]s:\d+:\d+ DY4001 option state\.notes\.a: .*text/,
  };
  await assert.rejects(mockTool<Notes>({ package: './notes', from: repository.root, state: wrong }), reported);
  await assert.rejects(mockTool({ package: './nowhere', from: repository.root }), {
    code: 'control.SOURCE_INVALID',
    message: /mock-tool\.test\.[jt]s:\d+:\d+ DY5001 option package: /,
  });
  await assert.rejects(mockTool({ package: 'not-installed-anywhere' }), { message: /DY5001 .*not installed/ });
  const misspelled = { package: './notes', from: repository.root, startr: true } as never;
  await assert.rejects(mockTool(misspelled), { code: 'control.INVALID_REQUEST', message: /no option "startr"\. Did you mean "starter"\?/ });
  const place = { package: './notes', from: repository.root };
  for (const [nested, message] of [
    [{ actor: { idd: 'ann' } }, /^mockTool has no option "actor\.idd"\. Did you mean "id"\?$/],
    [{ actor: { attributes: [] } }, /^mockTool: the option "actor\.attributes" must be an object; it is a list\.$/],
    [{ state: { notes: 'x' } }, /^mockTool: the option "state\.notes" must be an object; it is text\.$/],
    [{ seed: 1 }, /^mockTool: the option "seed" must be text; it is of type number\.$/],
  ] as const)
    await assert.rejects(mockTool({ ...place, ...nested } as never), { code: 'control.INVALID_REQUEST', message });
});
