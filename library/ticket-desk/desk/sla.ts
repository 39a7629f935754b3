// SLA timers: set by priority, met by a reply or a solution, missed by an event that was scheduled for the moment they are due.
// A timer that is met, cancelled or reset leaves its event in the queue: the revision tells that event that it came for nothing.
import type { Context, Priority, SlaTarget, Ticket } from './model.js';

type Sla = Ticket['sla'];
type Timer = NonNullable<Sla[SlaTarget]>;

const targets: readonly SlaTarget[] = ['firstResponse', 'resolution'];

/** Both timers of a ticket that was created now. */
export function startTimers(context: Context, ticketId: string, priority: Priority): Sla {
  const start = { ticketId, priority, startedAtUs: context.clock.nowUs(), revision: 1 };
  return {
    firstResponse: setTimer(context, { ...start, target: 'firstResponse' }),
    resolution: setTimer(context, { ...start, target: 'resolution' }),
  };
}

/** The timers that still run, under the policy of the priority the ticket has now and counted from when they started. A target that lies in the past by then is missed at once. */
export function resetTimers(context: Context, ticket: Ticket): Sla {
  return { firstResponse: resetTimer(context, ticket, 'firstResponse'), resolution: resetTimer(context, ticket, 'resolution') };
}

/** The desk replied: the first response is met. */
export function meetFirstResponse(context: Context, ticket: Ticket): Sla {
  return { ...ticket.sla, firstResponse: settle(context, ticket, 'firstResponse', 'met') };
}

/** Solved: the resolution is met, and nobody waits for a first response any more. */
export function meetResolution(context: Context, ticket: Ticket): Sla {
  return { firstResponse: settle(context, ticket, 'firstResponse', 'cancelled'), resolution: settle(context, ticket, 'resolution', 'met') };
}

/** Reopened: a new solution is owed, counted from now. */
export function restartResolution(context: Context, ticket: Ticket): Sla {
  const { id: ticketId, priority } = ticket;
  const revision = (ticket.sla.resolution?.revision ?? 0) + 1;
  const resolution = setTimer(context, { ticketId, target: 'resolution', priority, startedAtUs: context.clock.nowUs(), revision });
  return { ...ticket.sla, resolution: resolution ?? ticket.sla.resolution };
}

/** The timers after `target` was missed. */
export function missTarget(context: Context, ticket: Ticket, target: SlaTarget): Sla {
  context.events.emit('sla.breached', { ticketId: ticket.id, target });
  const timer = ticket.sla[target];
  return { ...ticket.sla, [target]: timer && settled(context, timer, 'breached') };
}

/** Whether the event of this revision of a timer finds it still running. */
export function isMissed(ticket: Ticket, target: SlaTarget, revision: number): boolean {
  const timer = ticket.sla[target];
  return timer?.status === 'running' && timer.revision === revision;
}

export const isBreached = (ticket: Ticket): boolean => targets.some((target) => ticket.sla[target]?.status === 'breached');

interface TimerStart {
  ticketId: string;
  target: SlaTarget;
  priority: Priority;
  startedAtUs: number;
  revision: number;
}

/** Null where no policy covers the priority. */
function setTimer(context: Context, { ticketId, target, priority, startedAtUs, revision }: TimerStart): Timer | null {
  const policy = context.state.get('sla-policies', priority);
  if (policy === undefined) return null;
  const dueAtUs = startedAtUs + (target === 'firstResponse' ? policy.firstResponseUs : policy.resolutionUs);
  context.events.scheduleAt('sla.timer-due', { ticketId, target, revision }, dueAtUs);
  return { startedAtUs, dueAtUs, status: 'running', revision, settledAtUs: null };
}

function resetTimer(context: Context, ticket: Ticket, target: SlaTarget): Timer | null {
  const timer = ticket.sla[target];
  const { id: ticketId, priority } = ticket;
  if (timer === null) {
    const owed = target === 'firstResponse' ? ticket.status === 'new' : ticket.status !== 'solved';
    return owed ? setTimer(context, { ticketId, target, priority, startedAtUs: context.clock.nowUs(), revision: 1 }) : null;
  }
  if (timer.status !== 'running') return timer;
  const { startedAtUs, revision } = timer;
  return setTimer(context, { ticketId, target, priority, startedAtUs, revision: revision + 1 }) ?? settled(context, timer, 'cancelled');
}

function settle(context: Context, ticket: Ticket, target: SlaTarget, status: 'met' | 'cancelled'): Timer | null {
  const timer = ticket.sla[target];
  if (timer?.status !== 'running') return timer;
  if (status === 'met') context.events.emit('sla.met', { ticketId: ticket.id, target });
  return settled(context, timer, status);
}

const settled = (context: Context, timer: Timer, status: Timer['status']): Timer => ({
  ...timer,
  status,
  settledAtUs: context.clock.nowUs(),
});
