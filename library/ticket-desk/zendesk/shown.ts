// The desk's rows as Zendesk's records. What the desk has not is null, or what Zendesk has for an account that does not use it.
import type { JsonValue } from 'drillyard/tool-sdk';
import { isoOf } from '../desk/dates.js';
import type { GroupRow, Ticket } from '../desk/model.js';
import { numberOf, ticketNumber } from '../desk/numbers.js';
import type { Person } from '../desk/people.js';

type Shown = { [name: string]: JsonValue };

/** The desk keeps no times of its people and groups. */
const noTime = '1970-01-01T00:00:00Z';
const via = { channel: 'api', source: { from: {}, to: {}, rel: null } };

export function zendeskTicket(ticket: Ticket, baseUrl: string): Shown {
  const { id, subject, description, status, priority, requesterId, assigneeId, groupId, tags, createdAtUs, updatedAtUs } = ticket;
  const number = ticketNumber(id);
  return {
    url: `${baseUrl}/api/v2/tickets/${number}.json`,
    id: number,
    external_id: null,
    via,
    created_at: isoOf(createdAtUs),
    updated_at: isoOf(updatedAtUs),
    type: null,
    subject,
    raw_subject: subject,
    description,
    priority,
    status,
    recipient: null,
    requester_id: numberOf(requesterId),
    submitter_id: numberOf(requesterId),
    assignee_id: assigneeId === null ? null : numberOf(assigneeId),
    organization_id: null,
    group_id: groupId === null ? null : numberOf(groupId),
    collaborator_ids: [],
    follower_ids: [],
    email_cc_ids: [],
    forum_topic_id: null,
    problem_id: null,
    has_incidents: false,
    is_public: true,
    due_at: null,
    tags,
    custom_fields: [],
    satisfaction_rating: null,
    sharing_agreement_ids: [],
    followup_ids: [],
    allow_channelback: false,
    allow_attachments: false,
    from_messaging_channel: false,
  };
}

export function zendeskUser({ number, name, email, role, active, groupNumbers, organization }: Person, baseUrl: string): Shown {
  return {
    id: number,
    url: `${baseUrl}/api/v2/users/${number}.json`,
    name,
    email,
    created_at: noTime,
    updated_at: noTime,
    time_zone: 'UTC',
    iana_time_zone: 'Etc/UTC',
    phone: null,
    shared_phone_number: null,
    photo: null,
    locale_id: 1,
    locale: 'en-US',
    organization_id: null,
    role,
    verified: true,
    external_id: null,
    tags: [],
    alias: null,
    // An agent who has left can be given nothing, and is still there.
    active: true,
    suspended: !active,
    shared: false,
    shared_agent: false,
    last_login_at: null,
    two_factor_auth_enabled: false,
    signature: null,
    details: organization,
    notes: null,
    role_type: role === 'admin' ? 4 : null,
    custom_role_id: null,
    moderator: false,
    ticket_restriction: role === 'end-user' ? 'requested' : null,
    only_private_comments: false,
    restricted_agent: role === 'agent',
    default_group_id: groupNumbers[0] ?? null,
    report_csv: false,
    chat_only: false,
    user_fields: {},
  };
}

export function zendeskGroup({ id, name }: Readonly<GroupRow>, baseUrl: string): Shown {
  const number = numberOf(id);
  const url = `${baseUrl}/api/v2/groups/${number}.json`;
  return {
    url,
    id: number,
    is_public: true,
    name,
    description: '',
    default: false,
    deleted: false,
    created_at: noTime,
    updated_at: noTime,
  };
}

interface Said {
  number: number;
  author: { id: string };
  visibility: string;
  body: string;
  createdAtUs: number;
}
export function zendeskComment({ number, author, visibility, body, createdAtUs }: Said): Shown {
  return {
    id: number,
    type: 'Comment',
    author_id: numberOf(author.id),
    body,
    html_body: `<div class="zd-comment" dir="auto"><p dir="auto">${escaped(body).replaceAll('\n', '<br>')}</p></div>`,
    plain_body: body,
    public: visibility === 'public',
    attachments: [],
    audit_id: number,
    via,
    created_at: isoOf(createdAtUs),
    metadata: { system: {}, custom: {} },
  };
}

function escaped(text: string): string {
  const entities: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
