// Hosts in processes of their own whose code was taken over: what they send to the parent that serves all.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { firstCallSlot } from '../../src/actors/board.js';
import { UnaskedBytes } from '../../src/actors/unasked-bytes.js';
import { limits } from '../../src/contract/limits.js';
import { until } from '../until.js';
import { openSystem, refusalOf, signalled } from './open-system.js';

const endless = { kind: 'slices', slices: Number.MAX_SAFE_INTEGER } as const;
/** Of the one call that is open. */
const open = firstCallSlot;
/** A slot that never had a call. */
const free = firstCallSlot + 7;
const hostile = '{"toString":1,"valueOf":1}';
const refusal = (extra: object): string => JSON.stringify({ code: 'world.HANDLER_FAILED', message: 'm', extra });
const mail = (envelope: string): string => `{"lane":"mail","envelope":${envelope}}`;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const lies: { readonly [what: string]: string } = {
  'an operation that is a text': mail(`["1",${open},"x"]`),
  'an operation that is no primitive': mail(`[${hostile},${open},0]`),
  'a refusal whose code is no primitive': mail(`[2,${open},{"code":${hostile},"message":"x","extra":{}}]`),
  'a refusal with a number for issues': mail(`[2,${open},${refusal({ issues: 5 })}]`),
  'a refusal that brings the members of an envelope': mail(`[2,${open},${refusal({ correlationId: 5, retryable: 'yes' })}]`),
  'a reply that is nested deep': mail(`[1,${open},${nested(50_000)}]`),
  'a refusal with details that are nested deep': mail(`[2,${open},${refusal({ details: { a: 0 } }).replace('0', nested(50_000))}]`),
  'a reply of many small parts': mail(`[1,${open},[${'{},'.repeat(limits.childStructureCharsMax / 3)}0]]`),
  'a reply where no call waits': mail(`[1,${free},0]`),
  'a refusal where no call waits': mail(`[2,${free},${refusal({})}]`),
  'progress where no call waits': mail(`[3,${free},0]`),
  'more progress than it may': mail(`[${`3,${open},0,`.repeat(limits.hostUnaskedBytesMax / 6)}3,${open},0]`),
  'no frames': mail('[]'),
  'a heartbeat unasked': '{"lane":"heartbeat"}',
  'an answer on the control path unasked': '{"lane":"control","data":{"id":"1","type":"RAW"}}',
};

// CHILD-1, HOST-SUPERVISOR-3, HOST-SUPERVISOR-4, JSON-MESSAGES-1, JSON-MESSAGES-2
test('a host process that lies is ended, its call is refused, and another host answers', { timeout: 240_000 }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'counters-'));
  const { system, command, control, add, actorOn, log } = await openSystem({
    ...{ isolation: 'process', directory, hosts: 2 },
    // What walks an answer may do so by recursion.
    answerFits: (_message, answer) => JSON.stringify(answer) !== '',
    restarts: { max: 2 * Object.keys(lies).length, windowMs: 600_000, coolDownMs: 60_000 },
  });
  t.after(async () => {
    await system.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const [lying, spared] = [actorOn(0), actorOn(1)];
  const before = await add(spared);
  for (const [what, text] of Object.entries(lies)) {
    const ends = (): typeof log => log.filter(({ event }) => event === 'host_ended');
    const endsBefore = ends().length;
    const begun = signalled();
    const running = refusalOf(command(lying, endless, { onProgress: begun.fire }));
    await begun.promise;
    const asking = refusalOf(control(0, { kind: 'forgeText', text }));
    assert.deepEqual([await running, await asking], ['world.ACTOR_RESTARTED', 'world.ACTOR_RESTARTED'], what);
    await until(() => ends().length > endsBefore);
    const [ended, ...others] = ends().slice(endsBefore);
    assert.ok(ended?.event === 'host_ended' && ended.host === 0 && ended.reason === 'crashed' && others.length === 0, what);
    assert.match(ended.detail, /^(?:it|a message)\b.*; exited with SIGKILL$/, what);
    const { incarnation } = await add(spared);
    assert.equal(incarnation, before.incarnation, what);
  }
  assert.ok((await add(lying)).value > 0);
});

test('a notice of a failure says of whom and why, and nothing else of it is in the log', { timeout: 60_000 }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'counters-'));
  const { system, control, log } = await openSystem({ isolation: 'process', directory });
  t.after(async () => {
    await system.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const notice = { actorId: 'a', correlationId: 'c', stack: 's' };
  void control(0, { kind: 'forge', envelope: [4, { ...notice, event: 'host_down', host: 7, more: [] }] }).catch(() => {});
  await until(() => log.some(({ event }) => event !== 'host_started'));
  assert.deepEqual(log.slice(1), [{ event: 'actor_failed', host: 0, ...notice }]);
});

test('what a host sends unasked is bounded at once, and again as time passes', () => {
  const { hostUnaskedBytesMax: most, hostUnaskedBytesPerSecond: perSecond } = limits;
  const unasked = new UnaskedBytes(0);
  assert.deepEqual([unasked.spend(most, 0), unasked.spend(1, 0)], [true, false]);
  const later = new UnaskedBytes(0);
  for (let second = 1; second <= 100; second++) assert.ok(later.spend(perSecond, second * 1000));
  assert.ok(later.spend(most, 101_000) && !later.spend(perSecond + 1, 102_000));
});
