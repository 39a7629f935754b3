// Agents of one project may ask for much, and not for everything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentLimits } from '../../src/bindings/agent-limits.js';
import { createHostedBindings } from '../../src/bindings/hosted-bindings.js';
import type { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import type { WorldRef } from '../../src/worlds/api.js';

const isRefused = (error: ServiceError): boolean => error.code === 'control.RATE_LIMITED' && (error.extra.retryAfterMs ?? 0) > 0;
const rate = { perSecond: 1_000_000, burst: 1_000_000 };

test('calls in flight are bounded for an access and for all of a project, and one that is over frees its place', () => {
  const bounds = new AgentLimits({ callsInFlightMax: limits.accessCallsInFlightMax + 2, rate, nowMs: () => 0 });
  const first = bounds.of('one');
  const ends = Array.from({ length: limits.accessCallsInFlightMax }, () => first.begin());
  assert.throws(() => first.begin(), isRefused);
  const second = bounds.of('one');
  ends.push(second.begin(), second.begin());
  assert.throws(() => second.begin(), isRefused);
  bounds.of('another').begin()();
  ends[0]?.();
  second.begin();
  assert.throws(() => first.begin(), isRefused);
});

test('calls a second are bounded for all of a project, and a refused one costs nothing', () => {
  let nowMs = 0;
  const bounds = new AgentLimits({ rate: { perSecond: 10, burst: 2 }, nowMs: () => nowMs });
  const [first, second] = [bounds.of('one'), bounds.of('one')];
  first.begin()();
  second.begin()();
  for (let tries = 0; tries < 3; tries++)
    assert.throws(
      () => first.begin(),
      (error: ServiceError) => isRefused(error) && error.extra.retryAfterMs === 100,
    );
  bounds.of('another').begin()();
  nowMs += 100;
  second.begin()();
  assert.throws(() => second.begin(), isRefused);
});

test('over HTTP it is 429 with Retry-After, until a call is over', async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const world = {
    query: async ({ kind }: { kind: string }) => {
      if (kind === 'tools') await gate;
      return [];
    },
  } as unknown as WorldRef;
  const bindings = createHostedBindings({
    publicUrl: 'http://localhost:1',
    limits: { callsInFlightMax: 1 },
    nowMs: () => 0,
    onFailure: ({ error }) => {
      throw error;
    },
  });
  await bindings.open({ world, actorId: 'agent', bindings: ['http'], token: 'dyw_one', owner: 'project' });
  await bindings.open({ world, actorId: 'agent', bindings: ['http'], token: 'dyw_two', owner: 'another' });
  const ask = async (token: string) => {
    const headers = new Map([
      ['host', 'localhost'],
      ['authorization', `Bearer ${token}`],
    ]);
    const { signal } = new AbortController();
    const body = async () => new Uint8Array();
    return await bindings.handler({
      method: 'GET',
      path: '/world/v1/tools',
      query: '',
      headers,
      repeatedHeaders: new Map(),
      address: '',
      signal,
      body,
    });
  };
  const waiting = [ask('dyw_one'), ask('dyw_two')];
  const refused = await ask('dyw_one');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers?.['retry-after'], '1');
  assert.equal((JSON.parse(String(refused.body)) as { code: string }).code, 'control.RATE_LIMITED');
  release();
  for (const reply of await Promise.all(waiting)) assert.equal(reply.status, 200);
  assert.equal((await ask('dyw_one')).status, 200);
});
