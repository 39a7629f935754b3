import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineTool, defineToolBehavior, type ToolContext, ToolFailure } from '../../src/tools/sdk.js';

interface Ticket {
  subject: string;
  tags: string[];
}
interface Desk {
  state: { tickets: Ticket };
  events: { 'ticket.due': { id: string } };
  operations: { 'tickets.create': { input: { id: string; subject: string }; output: Ticket } };
}

test('a typed behavior knows its rows, events and operations; an untyped one needs no types', () => {
  const typed = defineToolBehavior<Desk>({
    operations: {
      'tickets.create': (input, context) => {
        const before = context.state.get('tickets', input.id);
        const ticket: Ticket = { subject: input.subject.trim(), tags: [...(before?.tags ?? [])] };
        context.state.put('tickets', input.id, ticket);
        context.events.scheduleAt('ticket.due', { id: input.id }, context.clock.nowUs() + 1);
        // @ts-expect-error there is no such namespace
        if (input.id === 'never') context.state.get('ticket', 'x');
        // @ts-expect-error rows are frozen
        if (input.id === 'never') before.tags.push('x');
        return ticket;
      },
    },
  });
  const plain = defineToolBehavior({
    operations: {
      anything: (input: { id: string }, context) =>
        context.state.get('rows', input.id) ?? context.fail({ code: 'NOT_FOUND', message: input.id }),
    },
    subscriptions: { later: (payload, context) => context.state.put('rows', payload.id, { seen: true }) },
  });
  assert.deepEqual(Object.keys(typed.operations), ['tickets.create']);
  assert.deepEqual(Object.keys(plain.operations), ['anything']);
  const helper = (context: ToolContext<Desk>) => context.state.scan('tickets').map(({ rowId, value }) => `${rowId} ${value.subject}`);
  assert.equal(typeof helper, 'function');
});

test('a definition that cannot work is refused where it stands', () => {
  const define = defineToolBehavior as (value: unknown) => unknown;
  assert.throws(() => define(null), /takes an object/);
  assert.throws(() => define({}), /operations is an object of handlers/);
  assert.throws(() => define({ operations: { x: 1 } }), /operations 'x' is a function/);
  assert.throws(() => define({ operations: {}, http: { r: { decode() {} } } }), /http 'r' is an object with decode and encode/);
  assert.throws(() => (defineTool as (value: unknown) => unknown)({ behavior: { operations: {} } }), /manifest, behavior/);
  assert.deepEqual(Object.keys(defineTool({ manifest: {}, behavior: { operations: {} } })), ['manifest', 'behavior']);
});

test('a failure is an error with its code', () => {
  const failure = new ToolFailure({ code: 'CARD_DECLINED', message: 'No.', details: { why: 'funds' } });
  assert.ok(failure instanceof Error);
  assert.equal(String(failure), 'ToolFailure: No.');
  assert.deepEqual([failure.code, failure.retryable, failure.details], ['CARD_DECLINED', undefined, { why: 'funds' }]);
  assert.deepEqual(Object.keys(failure).sort(), ['code', 'details', 'keep', 'retryable']);
});
