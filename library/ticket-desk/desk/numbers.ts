// Numbers beside ids, for APIs that know things by number. A number follows from the id alone: nothing is stored, and it is the same in
// every world. Of people and groups it is a fingerprint of 48 bits; of a ticket it is the one in its id.
import type { Agent, Context, Requester } from './model.js';
import { eachRow } from './rows.js';

/** The number of an id of a person or a group. */
export function numberOf(id: string): number {
  return (fingerprint(`a ${id}`) & 0xffff) * 0x1_0000_0000 + fingerprint(`b ${id}`);
}

export const ticketNumber = (ticketId: string): number => Number(ticketId.slice('TKT-'.length));
export const ticketIdOf = (number: number | string): string => `TKT-${number}`;

/** The description is the first comment of a ticket, and has the place 0. */
export const commentNumber = (ticketId: string, place: number): number => ticketNumber(ticketId) * commentsOfTicketMax + place;
const commentsOfTicketMax = 100_000;

export type Found = { readonly kind: 'agent'; readonly row: Agent } | { readonly kind: 'requester'; readonly row: Requester };

export function findPerson(context: Context, number: number): Found | undefined {
  for (const row of eachRow(context, 'agents')) if (numberOf(row.id) === number) return { kind: 'agent', row };
  for (const row of eachRow(context, 'requesters')) if (numberOf(row.id) === number) return { kind: 'requester', row };
  return undefined;
}

/** The agent's id, or the call ends. */
export function requireAgentId(context: Context, number: number): string {
  const found = findPerson(context, number);
  if (found?.kind === 'agent') return found.row.id;
  return context.fail({ code: 'AGENT_NOT_FOUND', message: `No agent has the number ${number}.` });
}

export function requireGroupId(context: Context, number: number): string {
  for (const { id } of eachRow(context, 'groups')) if (numberOf(id) === number) return id;
  return context.fail({ code: 'GROUP_NOT_FOUND', message: `No group has the number ${number}.` });
}

/** FNV-1a, 32 bits. */
function fingerprint(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
