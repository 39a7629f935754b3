// People and rules: requesters, agents, groups and SLA policies.
import { type Agent, type Context, type Page, priorities, type Requester, type SlaPolicy } from './model.js';
import { eachRow, nextRequesterId, requireRow } from './rows.js';

interface NewRequester {
  readonly name: string;
  readonly email: string;
  readonly organization?: string | null;
}

export function createRequester(input: NewRequester, context: Context): Requester {
  const existing = requesterByEmail(context, input.email);
  if (existing) {
    return context.fail({
      code: 'REQUESTER_EXISTS',
      message: `${input.email} belongs to ${existing.id}.`,
      details: { requesterId: existing.id },
    });
  }
  return addRequester(context, input);
}

/** A new row; the caller has made sure that the address is free. */
export function addRequester(context: Context, { name, email, organization = null }: NewRequester): Requester {
  const requester = { id: nextRequesterId(context), name, email, organization };
  context.state.put('requesters', requester.id, requester);
  return requester;
}

export function requesterByEmail(context: Context, email: string): Requester | undefined {
  for (const requester of eachRow(context, 'requesters')) {
    if (requester.email.toLowerCase() === email.toLowerCase()) return requester;
  }
  return undefined;
}

export function getRequester(input: { readonly requesterId: string }, context: Context): Requester {
  return requireRow(context, 'requesters', input.requesterId, 'REQUESTER_NOT_FOUND');
}

export function listAgents(input: { readonly groupId?: string; readonly activeOnly?: boolean }, context: Context): Page<Agent> {
  const { groupId, activeOnly = false } = input;
  if (groupId !== undefined) requireRow(context, 'groups', groupId, 'GROUP_NOT_FOUND');
  const items = [...eachRow(context, 'agents')].filter(
    (agent) => (agent.active || !activeOnly) && (groupId === undefined || agent.groupIds.includes(groupId)),
  );
  return { items };
}

export function listGroups(_input: object, context: Context): Page<{ readonly id: string; readonly name: string }> {
  return { items: [...eachRow(context, 'groups')] };
}

export function listPolicies(_input: object, context: Context): Page<SlaPolicy> {
  const policies = priorities.map((priority) => context.state.get('sla-policies', priority)).filter((policy) => policy !== undefined);
  return { items: policies.reverse() };
}
