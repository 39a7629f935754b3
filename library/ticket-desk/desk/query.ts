// The desk's search language: words and `property:value`, all of which must match, over tickets, people and groups.
//   query = term*    term = [-] (word | "several words" | property operator value)    operator = : | = | < | <= | > | >=
import { isoOf, usOf } from './dates.js';
import { dayUs, type GroupRow, hourUs, minuteUs, priorities, type Status, type Ticket } from './model.js';
import { numberOf, ticketNumber } from './numbers.js';
import type { Person } from './people.js';

export interface Searched {
  readonly ticket?: Ticket;
  readonly person?: Person;
  readonly group?: Readonly<GroupRow>;
  /** What words are looked for in. */
  readonly words: string;
}
/** Who a ticket's people and groups are, and who asks. */
export interface Directory {
  readonly nowUs: number;
  readonly self: Person;
  personOf(id: string): Person | undefined;
  groupOf(id: string): Readonly<GroupRow> | undefined;
}
type Matcher = (searched: Searched) => boolean;
type Compare = '<' | '<=' | '>' | '>=' | ':';
/** A query that cannot be read, in words for who has written it. */
export class QueryProblem extends Error {}

const statuses: readonly Status[] = ['new', 'open', 'pending', 'solved', 'closed'];
const kinds = ['ticket', 'user', 'group'];

export function compileQuery(text: string, directory: Directory): Matcher {
  const matchers = [...text.matchAll(/(-)?(?:([a-z_]+)(:|<=|>=|<|>|=))?(?:"([^"]*)"|(\S+))/gi)].map(
    ([, minus, property, operator, quoted, word = '']) => {
      const value = (quoted ?? word).toLowerCase();
      const matches =
        property === undefined
          ? ({ words }: Searched) => words.includes(value)
          : termOf(property.toLowerCase(), operator === '=' ? ':' : (operator as Compare), value, directory);
      return minus === undefined ? matches : (searched: Searched) => !matches(searched);
    },
  );
  return (searched) => matchers.every((matches) => matches(searched));
}

function termOf(property: string, operator: Compare, value: string, directory: Directory): Matcher {
  switch (property) {
    case 'type':
      if (!kinds.includes(value)) throw new QueryProblem(`There is no type ${value} here.`);
      return (searched) => kindOf(searched) === value;
    case 'status': {
      const holds = ranked(statuses, operator, value, property);
      return ofTicket(({ status }) => holds(status));
    }
    case 'priority': {
      const holds = ranked(priorities, operator, value, property);
      return ofTicket(({ priority }) => holds(priority));
    }
    case 'created':
    case 'updated':
    case 'solved': {
      const holds = timed(operator, value, directory.nowUs);
      return ofTicket((ticket) => holds(timeOf(ticket, property)));
    }
    default:
      if (operator !== ':') throw new QueryProblem(`${property} has no order.`);
      return namedTerm(property, value, directory);
  }
}

function namedTerm(property: string, value: string, { self, personOf, groupOf }: Directory): Matcher {
  const isPerson = (id: string | null): boolean => {
    if (value === 'none') return id === null;
    if (id === null) return false;
    if (value === 'me') return id === self.id;
    const person = personOf(id);
    return String(numberOf(id)) === value || person?.email?.toLowerCase() === value || (person?.name ?? '').toLowerCase().includes(value);
  };
  switch (property) {
    case 'assignee':
      return ofTicket(({ assigneeId }) => isPerson(assigneeId));
    case 'requester':
      return ofTicket(({ requesterId }) => isPerson(requesterId));
    case 'group':
      return ofTicket(({ groupId }) => {
        if (groupId === null || value === 'none') return groupId === null && value === 'none';
        return String(numberOf(groupId)) === value || (groupOf(groupId)?.name ?? '').toLowerCase().includes(value);
      });
    case 'tags':
      return ofTicket(({ tags }) => (value === 'none' ? tags.length === 0 : value.split(' ').every((tag) => tags.includes(tag))));
    case 'subject':
      return ofTicket(({ subject }) => subject.toLowerCase().includes(value));
    case 'description':
      return ofTicket(({ description }) => description.toLowerCase().includes(value));
    case 'id':
      return ofTicket(({ id }) => String(ticketNumber(id)) === value);
    case 'email':
      return ({ person }) => person?.email?.toLowerCase() === value;
    case 'role':
      return ({ person }) => person?.role === value;
    case 'name':
      return ({ person, group }) => (person?.name ?? group?.name ?? '').toLowerCase().includes(value) && (person ?? group) !== undefined;
    default:
      throw new QueryProblem(`There is no property ${property} here.`);
  }
}

const kindOf = ({ ticket, person }: Searched): string => (ticket !== undefined ? 'ticket' : person !== undefined ? 'user' : 'group');
const ofTicket =
  (matches: (ticket: Ticket) => boolean): Matcher =>
  ({ ticket }) =>
    ticket !== undefined && matches(ticket);

function ranked<Value extends string>(
  order: readonly Value[],
  operator: Compare,
  value: string,
  property: string,
): (own: Value) => boolean {
  const wanted = order.indexOf(value as Value);
  if (wanted < 0) throw new QueryProblem(`There is no ${property} ${value} here.`);
  return (own) => compared(order.indexOf(own) - wanted, operator);
}

function timeOf({ createdAtUs, updatedAtUs, solvedAtUs }: Ticket, property: 'created' | 'updated' | 'solved'): number | null {
  return property === 'created' ? createdAtUs : property === 'updated' ? updatedAtUs : solvedAtUs;
}

/** A day, a time, or a span before now, as `4hours`. A day with a colon is the whole of it. What has not happened has no time. */
function timed(operator: Compare, value: string, nowUs: number): (us: number | null) => boolean {
  const [, count, unit] = /^(\d{1,6})(minute|hour|day|week)s?$/.exec(value) ?? [];
  const unitUs = unit === 'minute' ? minuteUs : unit === 'hour' ? hourUs : unit === 'day' ? dayUs : 7 * dayUs;
  const at = count === undefined ? usOf(value.toUpperCase()) : nowUs - Number(count) * unitUs;
  if (at === undefined) throw new QueryProblem(`${value} is no day, time or span.`);
  if (operator === ':' && count === undefined && !value.includes('t'))
    return (us) => us !== null && isoOf(us).slice(0, 10) === isoOf(at).slice(0, 10);
  return (us) => us !== null && compared(us - at, operator);
}

function compared(difference: number, operator: Compare): boolean {
  if (operator === ':') return difference === 0;
  if (operator.startsWith('<')) return difference < 0 || (operator === '<=' && difference === 0);
  return difference > 0 || (operator === '>=' && difference === 0);
}
