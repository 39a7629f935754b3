import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BehaviorIncarnation, makeContext } from '../../src/tools/realm-context.js';
import type { ToolContext } from '../../src/tools/sdk.js';
import { everyCapability, FakeWorld } from './tool-fixture.js';

// Tool code has no way to run between turns. Should one appear, the context is the second wall, so it is tested without the first.
test('a context is dead between turns', () => {
  const incarnation: BehaviorIncarnation = { open: true, broken: undefined };
  const context = makeContext(new FakeWorld(), everyCapability, incarnation, Symbol('brand')) as ToolContext;
  const { get } = context.state;
  assert.equal(context.clock.nowUs(), 1_000_000);
  incarnation.open = false;
  const uses = [
    () => get('rows', 'x'),
    () => context.state.put('rows', 'x', {}),
    () => context.state.delete('rows', 'x'),
    () => context.state.scan('rows'),
    () => context.clock.nowUs(),
    () => context.random.nextFloat(),
    () => context.random.nextInteger(0, 1),
    () => context.events.emit('e', {}),
    () => context.events.scheduleAt('e', {}, 0),
    () => context.events.cancel('pending_1'),
    () => context.actor,
    () => context.source,
  ];
  for (const use of uses) assert.throws(use, { name: 'ContextError', message: /only while a handler runs/ });
});

test('a put whose value closes the turn while it is read does not happen', () => {
  const incarnation: BehaviorIncarnation = { open: true, broken: undefined };
  const world = new FakeWorld();
  const context = makeContext(world, everyCapability, incarnation, Symbol('brand')) as ToolContext;
  const value = {
    get late() {
      incarnation.open = false;
      return 1;
    },
  };
  assert.throws(() => context.state.put('rows', 'x', value), /only while a handler runs/);
  assert.equal(world.rows.size, 0);
});
