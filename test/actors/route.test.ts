// The way to one actor, before a host that only notes what it is sent.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Call } from '../../src/actors/calls.js';
import type { HostSupervisor } from '../../src/actors/host-supervisor.js';
import { WorldRoute } from '../../src/actors/route.js';

// ROUTE-1, ROUTE-2
test('a move holds what comes in, and a route without messages and moves is dropped', async () => {
  const sent: Call[] = [];
  let drops = 0;
  const route = new WorldRoute({ send: (call: Call) => void sent.push(call) } as unknown as HostSupervisor, () => void drops++);
  const ask = (): Call => {
    const call = new Call('command', 'a', null, undefined, { ended: () => {} });
    route.send(call);
    return call;
  };
  const first = ask();
  const order: string[] = [];
  const moving = route.hold(async () => void order.push(`moved after ${sent.length}`));
  const [second, third] = [ask(), ask()];
  deepEqual(sent, [first]);
  route.ended();
  await moving;
  deepEqual([order, sent], [['moved after 1'], [first, second, third]]);
  route.ended();
  equal(drops, 0);
  route.ended();
  equal(drops, 1);
});
