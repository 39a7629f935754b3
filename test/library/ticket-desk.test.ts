// What stays true of the desk, under whatever is asked of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc, { casesOf } from '../fast-check.js';
import { PackageWorld } from './package-world.js';

interface Timer {
  settledAtUs: number | null;
  dueAtUs: number;
  status: string;
}
interface Ticket {
  id: string;
  status: string;
  priority: string;
  assigneeId: string | null;
  groupId: string | null;
  commentCount: number;
  escalationLevel: number;
  sla: { firstResponse: Timer | null; resolution: Timer | null };
  solvedAtUs: number | null;
  closedAtUs: number | null;
  version: number;
}

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('ticket-desk');
});
after(() => world.close());

const minuteUs = 60_000_000;
const legal = new Set([
  'new>open',
  'new>pending',
  'new>solved',
  'open>pending',
  'open>solved',
  'pending>open',
  'pending>solved',
  'solved>open',
  'solved>closed',
]);
const ticketId = fc.constantFrom('TKT-103', 'TKT-1001', 'TKT-1001', 'TKT-1002');
const priority = fc.constantFrom('low', 'normal', 'high', 'urgent');
const step = fc.oneof(
  fc.record({
    call: fc.constant('ticket.create'),
    requesterId: fc.constant('req_0001'),
    subject: fc.constant('s'),
    description: fc.constant('d'),
    priority,
  }),
  fc.record({ call: fc.constant('ticket.update'), ticketId, priority }),
  fc.record({
    call: fc.constant('ticket.assign'),
    ticketId,
    assigneeId: fc.constantFrom('agt_ines', 'agt_ines', 'agt_rosa', 'agt_peter', null, undefined),
    groupId: fc.constantFrom('grp_support', 'grp_billing', null, undefined),
  }),
  fc.record({
    call: fc.constant('ticket.set-status'),
    ticketId,
    status: fc.constantFrom('new', 'open', 'pending', 'solved', 'solved', 'closed'),
  }),
  fc.record({ call: fc.constant('ticket.escalate'), ticketId, reason: fc.constant('r') }),
  fc.record({
    call: fc.constant('comment.add'),
    ticketId,
    body: fc.constant('b'),
    visibility: fc.constantFrom('public', 'internal'),
    authorId: fc.constantFrom(undefined, 'req_0001', 'agt_rosa'),
  }),
  fc.record({ call: fc.constant('advance'), minutes: fc.constantFrom(1, 15, 60, 240, 3 * 1440) }),
);

type Step = { call: string; minutes?: number; [argument: string]: unknown };
/** Something to begin with: two tickets whose timers run. */
const opening: Step[] = ['high', 'normal'].map((level) => ({
  call: 'ticket.create',
  requesterId: 'req_0001',
  subject: 's',
  description: 'd',
  priority: level,
}));

async function take({ call, ...args }: Step): Promise<void> {
  if (call === 'advance') return world.advance((args.minutes ?? 0) * minuteUs);
  await world.call(call, JSON.parse(JSON.stringify(args)));
}

async function checkLaws(): Promise<void> {
  const nowUs = await world.nowUs();
  const comments = await world.rows<{ ticketId: string; number: number }>('comments');
  const escalations = await world.rows<{ ticketId: string }>('escalations');
  const agents = new Map(
    (await world.rows<{ id: string; groupIds: string[]; active: boolean }>('agents')).map((agent) => [agent.id, agent]),
  );
  for (const ticket of await world.rows<Ticket>('tickets')) {
    const numbers = comments.filter((comment) => comment.ticketId === ticket.id).map(({ number }) => number);
    assert.deepEqual(
      numbers,
      Array.from({ length: ticket.commentCount }, (_, index) => index + 1),
      'comments are numbered without gaps',
    );
    assert.equal(ticket.escalationLevel, escalations.filter((escalation) => escalation.ticketId === ticket.id).length);
    const running = Object.values(ticket.sla).filter((timer) => timer?.status === 'running');
    for (const timer of running) assert.ok((timer?.dueAtUs ?? 0) > nowUs, 'a timer that is due does not keep running');
    for (const timer of Object.values(ticket.sla))
      if (timer?.status === 'breached') assert.ok((timer.settledAtUs ?? 0) >= timer.dueAtUs, 'no timer is missed early');
    if (ticket.status === 'solved' || ticket.status === 'closed') assert.deepEqual(running, [], 'nobody waits for a solved ticket');
    assert.equal(ticket.closedAtUs !== null, ticket.status === 'closed');
    if (ticket.status === 'solved')
      assert.ok(nowUs - (ticket.solvedAtUs ?? 0) < 4 * 1440 * minuteUs, 'a solved ticket closes after four days');
    const assignee = agents.get(ticket.assigneeId ?? '');
    if (ticket.assigneeId !== null) assert.ok(assignee?.active && (ticket.groupId === null || assignee.groupIds.includes(ticket.groupId)));
  }
  for (const { from, to } of await world.emitted('ticket.status-changed')) assert.ok(legal.has(`${from}>${to}`), `${from}>${to}`);
}

test('tickets keep to the workflow, timers fire when they are due, and counts agree with rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      await world.reset();
      for (const one of [...opening, ...steps]) await take(one);
      // What is due at this very moment has fired as well.
      await world.advance(0);
      await checkLaws();
    }),
    { numRuns: casesOf(30), includeErrorInReport: true },
  );
});
