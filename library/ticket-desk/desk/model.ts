// The desk's rows, events and calls as types. ticket-desk.tool.yaml is what is enforced; this is the same for the eye and the compiler.
import type { Frozen, ToolContext } from 'drillyard/tool-sdk';

export type Status = 'new' | 'open' | 'pending' | 'solved' | 'closed';
export type Priority = 'low' | 'normal' | 'high' | 'urgent';
export type Visibility = 'public' | 'internal';
export type SlaTarget = 'firstResponse' | 'resolution';
export type EscalationCause = 'first-response-overdue' | 'resolution-overdue' | 'requested';

export interface SlaTimer {
  startedAtUs: number;
  dueAtUs: number;
  status: 'running' | 'met' | 'breached' | 'cancelled';
  revision: number;
  settledAtUs: number | null;
}
export interface TicketRow {
  id: string;
  subject: string;
  description: string;
  status: Status;
  priority: Priority;
  requesterId: string;
  assigneeId: string | null;
  groupId: string | null;
  tags: string[];
  commentCount: number;
  escalationLevel: number;
  sla: { [target in SlaTarget]: SlaTimer | null };
  createdAtUs: number;
  updatedAtUs: number;
  solvedAtUs: number | null;
  closedAtUs: number | null;
  version: number;
}
export interface AuthorRow {
  kind: 'agent' | 'requester' | 'integration';
  id: string;
  name: string;
}
export interface CommentRow {
  id: string;
  ticketId: string;
  number: number;
  author: AuthorRow;
  visibility: Visibility;
  body: string;
  createdAtUs: number;
}
export interface RequesterRow {
  id: string;
  name: string;
  email: string;
  organization: string | null;
}
export interface AgentRow {
  id: string;
  name: string;
  email: string;
  role: 'agent' | 'lead' | 'admin';
  groupIds: string[];
  active: boolean;
}
export interface GroupRow {
  id: string;
  name: string;
}
export interface SlaPolicyRow {
  priority: Priority;
  firstResponseUs: number;
  resolutionUs: number;
}
export interface EscalationRow {
  id: string;
  ticketId: string;
  cause: EscalationCause;
  reason: string | null;
  fromPriority: Priority;
  toPriority: Priority;
  actorId: string | null;
  createdAtUs: number;
}
export interface ArticleRow {
  id: string;
  title: string;
  body: string;
  labels: string[];
}

export interface MailReceived {
  from: { email: string; name?: string };
  ticketId?: string;
  subject: string;
  body: string;
  priority?: Priority;
}
export interface DeskTypes {
  state: {
    tickets: TicketRow;
    comments: CommentRow;
    requesters: RequesterRow;
    agents: AgentRow;
    groups: GroupRow;
    'sla-policies': SlaPolicyRow;
    escalations: EscalationRow;
    articles: ArticleRow;
    counters: { next: number };
  };
  events: {
    'ticket.created': { ticketId: string; requesterId: string; priority: Priority; status: Status };
    'ticket.updated': { ticketId: string; version: number; fields: readonly string[] };
    'ticket.assigned': { ticketId: string; assigneeId: string | null; groupId: string | null };
    'ticket.status-changed': { ticketId: string; from: Status; to: Status };
    'ticket.commented': { ticketId: string; commentId: string; visibility: Visibility; authorKind: AuthorRow['kind'] };
    'ticket.escalated': { ticketId: string; escalationId: string; cause: EscalationCause; fromPriority: Priority; toPriority: Priority };
    'sla.timer-due': { ticketId: string; target: SlaTarget; revision: number };
    'sla.met': { ticketId: string; target: SlaTarget };
    'sla.breached': { ticketId: string; target: SlaTarget };
    'ticket.close-due': { ticketId: string; solvedAtUs: number };
    'mail.received': MailReceived;
  };
}
export type Context = ToolContext<DeskTypes>;

export type Ticket = Frozen<TicketRow>;
export type Comment = Frozen<CommentRow>;
export type Author = Frozen<AuthorRow>;
export type Requester = Frozen<RequesterRow>;
export type Agent = Frozen<AgentRow>;
export type Escalation = Frozen<EscalationRow>;
export type Article = Frozen<ArticleRow>;
export type SlaPolicy = Frozen<SlaPolicyRow>;
export interface Page<Item> {
  items: readonly Item[];
  nextCursor?: string;
}

/** The least urgent first. */
export const priorities: readonly Priority[] = ['low', 'normal', 'high', 'urgent'];

export const minuteUs = 60_000_000;
export const hourUs = 60 * minuteUs;
export const dayUs = 24 * hourUs;
