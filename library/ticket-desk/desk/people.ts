// Everybody the desk knows, agents and requesters alike, in one list: found by number, by words, by role and by group.
import type { AgentRow, Context, RequesterRow } from './model.js';
import { findPerson, numberOf, requireGroupId } from './numbers.js';
import { eachRow } from './rows.js';
import { type Slice, sliceOf } from './slices.js';
import { containsWords } from './words.js';

export interface Person {
  number: number;
  id: string;
  kind: 'agent' | 'requester' | 'integration';
  name: string;
  email: string | null;
  role: 'end-user' | 'agent' | 'admin';
  active: boolean;
  /** Of an agent's groups, its first one first. */
  groupNumbers: number[];
  organization: string | null;
}
interface PeopleQuery extends Slice {
  readonly numbers?: readonly number[];
  readonly roles?: readonly Person['role'][];
  readonly groupNumber?: number;
  readonly text?: string;
}

export function listPeople(query: PeopleQuery, context: Context): { items: Person[]; total: number } {
  const { numbers, roles, groupNumber, text } = query;
  if (groupNumber !== undefined) requireGroupId(context, groupNumber);
  const found = allPeople(context).filter(
    (person) =>
      (numbers === undefined || numbers.includes(person.number)) &&
      (roles === undefined || roles.includes(person.role)) &&
      (groupNumber === undefined || person.groupNumbers.includes(groupNumber)) &&
      containsWords(text, [person.name, person.email ?? '']),
  );
  return sliceOf(found, query);
}

export function getPerson({ number }: { readonly number: number }, context: Context): Person {
  const found = findPerson(context, number);
  if (found !== undefined) return found.kind === 'agent' ? personOfAgent(found.row) : personOfRequester(found.row);
  const self = getSelf({}, context);
  return self.number === number ? self : context.fail({ code: 'PERSON_NOT_FOUND', message: `Nobody has the number ${number}.` });
}

/** The agent that the caller acts as; else the integration that it is. */
export function getSelf(_input: object, { actor, state }: Context): Person {
  const agentId = typeof actor.attributes.agentId === 'string' ? actor.attributes.agentId : actor.id;
  const agent = state.get('agents', agentId);
  if (agent !== undefined) return personOfAgent(agent);
  const { id } = actor;
  return {
    number: numberOf(id),
    id,
    kind: 'integration',
    name: id,
    email: null,
    role: 'agent',
    active: true,
    groupNumbers: [],
    organization: null,
  };
}

/** By id within each kind, agents first. */
export function allPeople(context: Context): Person[] {
  return [...[...eachRow(context, 'agents')].map(personOfAgent), ...[...eachRow(context, 'requesters')].map(personOfRequester)];
}

type Rows = { readonly [K in keyof AgentRow]: AgentRow[K] extends string[] ? readonly string[] : AgentRow[K] };
function personOfAgent({ id, name, email, role, groupIds, active }: Rows): Person {
  const groupNumbers = groupIds.map(numberOf);
  return {
    number: numberOf(id),
    id,
    kind: 'agent',
    name,
    email,
    role: role === 'admin' ? 'admin' : 'agent',
    active,
    groupNumbers,
    organization: null,
  };
}

export function personOfRequester({ id, name, email, organization }: Readonly<RequesterRow>): Person {
  return { number: numberOf(id), id, kind: 'requester', name, email, role: 'end-user', active: true, groupNumbers: [], organization };
}
