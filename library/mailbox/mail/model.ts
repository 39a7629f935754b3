// The mail system's rows, events and calls as types. mailbox.tool.yaml is what is enforced; this is the same for the eye and the compiler.
import type { Frozen, ToolContext } from 'drillyard/tool-sdk';

/** What somebody may do in a mailbox; each includes those before it. */
export type Access = 'read' | 'organize' | 'send';
export interface PersonRow {
  /** In lower case. */
  address: string;
  name: string | null;
}
export interface AttachmentRow {
  id: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Null for what is no text. */
  text: string | null;
  /** Of what is no text, and came as bytes. */
  base64?: string;
}
/** What a mail says, wherever it lies. */
export interface ContentRow {
  /** As in the header Message-ID, the same in every mailbox. */
  messageId: string;
  from: PersonRow;
  replyTo: PersonRow | null;
  to: PersonRow[];
  cc: PersonRow[];
  bcc: PersonRow[];
  subject: string;
  body: string;
  /** The same as HTML, where it was written so. */
  html?: string | undefined;
  /** There was only HTML; `body` is what it says. */
  htmlOnly?: boolean | undefined;
  /** Further headers, names in lower case. */
  headers: { [name: string]: string };
  inReplyTo: string | null;
  references: string[];
  attachments: AttachmentRow[];
}
/** One mailbox's copy of a mail, or a draft. */
export interface MessageRow extends ContentRow {
  id: string;
  mailbox: string;
  threadId: string;
  /** The mail of which this is a copy; null for drafts and for rows that a world began with. */
  mailId: string | null;
  /** Label ids, sorted. */
  labels: string[];
  read: boolean;
  starred: boolean;
  sentAtUs: number | null;
  /** When it came to lie in this mailbox, or a draft was saved. */
  arrivedAtUs: number;
  sendAtUs: number | null;
  trashedAtUs: number | null;
  /** Of its last change, where the world keeps a history. */
  historyId?: number;
}
/** One change of one message. */
export interface HistoryRow {
  number: number;
  mailbox: string;
  messageId: string;
  threadId: string;
  kind: 'arrived' | 'changed' | 'deleted';
  /** Labels and the flags `unread` and `starred`, that came and went. */
  added: string[];
  removed: string[];
  /** All of them afterwards. */
  labels: string[];
  atUs: number;
}
/** Who had a mail sent. Correspondents answer callers only, and nothing automatic is answered automatically, so no two of them talk forever. */
export type Origin = 'caller' | 'correspondent' | 'vacation' | 'bounce' | 'outside';
export interface MailRow extends ContentRow {
  id: string;
  origin: Origin;
  sentAtUs: number;
}
export type BounceReason = 'unknown_recipient' | 'rejected' | 'mailbox_full';
export interface DeliveryRow {
  id: string;
  mailId: string;
  origin: Origin;
  sender: string;
  recipient: string;
  status: 'queued' | 'delivered' | 'bounced';
  reason: BounceReason | null;
  queuedAtUs: number;
  dueAtUs: number;
  settledAtUs: number | null;
}
export interface MailboxRow {
  address: string;
  name: string;
  delegates: { actorId: string; access: Access }[];
  storageLimitBytes: number | null;
  dailyRecipientLimit: number | null;
}
export interface LabelRow {
  id: string;
  mailbox: string;
  name: string;
}
export interface ContactRow {
  address: string;
  name: string;
  delivery: 'accepts' | 'bounces' | 'refuses';
}
export interface CorrespondentRow {
  id: string;
  address: string;
  /** In the language of message.search; empty for every mail. */
  query: string;
  delayUs: number;
  subject: string | null;
  body: string;
  attachments: AttachmentRow[];
  replyAll: boolean;
  times: number | null;
  answered: number;
}
export interface VacationRow {
  mailbox: string;
  enabled: boolean;
  subject: string | null;
  body: string;
  fromUs: number | null;
  untilUs: number | null;
  contactsOnly: boolean;
}
export interface SettingsRow {
  latencyUs: number;
  jitterUs: number;
  searchLagUs: number;
  /** How long changes stay in the history; without it none is kept. */
  historyLifeUs?: number;
}

interface MessageRef {
  mailbox: string;
  messageId: string;
}
export interface MailTypes {
  state: {
    mailboxes: MailboxRow;
    messages: MessageRow;
    labels: LabelRow;
    mails: MailRow;
    deliveries: DeliveryRow;
    contacts: ContactRow;
    correspondents: CorrespondentRow;
    vacations: VacationRow;
    'vacation-answers': { mailbox: string; sender: string; answeredAtUs: number };
    settings: SettingsRow;
    history: HistoryRow;
    counters: { next: number };
  };
  events: {
    'message.sent': MessageRef & { threadId: string; mailId: string; recipients: readonly string[] };
    'message.arrived': MessageRef & { threadId: string; from: PersonRow; subject: string; labels: readonly string[]; arrivedAtUs: number };
    'message.delivered': { mailId: string; deliveryId: string; recipient: string };
    'message.bounced': { mailId: string; deliveryId: string; sender: string; recipient: string; reason: BounceReason };
    'message.updated': MessageRef & { labels: readonly string[]; read: boolean; starred: boolean };
    'message.deleted': MessageRef & { reason: 'requested' | 'trash_expired' };
    'send.scheduled': MessageRef & { sendAtUs: number };
    'send.cancelled': MessageRef;
    'send.failed': MessageRef & { code: string };
    'vacation.replied': { mailbox: string; sender: string };
    'mail.incoming': IncomingMail;
    'delivery.due': { deliveryId: string };
    'send.due': { messageId: string; sendAtUs: number };
    'correspondent.reply-due': { correspondentId: string; mailId: string };
    'trash.purge-due': { messageId: string; trashedAtUs: number };
  };
}
/** A mail from outside, as a scenario writes it: people as `a@b.example` or `Name <a@b.example>`. */
export interface IncomingMail {
  from: string;
  to: string[];
  cc?: string[];
  replyTo?: string;
  subject: string;
  body: string;
  headers?: { [name: string]: string };
  inReplyTo?: string;
  attachments?: AttachmentRow[];
}
export type Context = ToolContext<MailTypes>;

export type Person = Frozen<PersonRow>;
export type Attachment = Frozen<AttachmentRow>;
export type Content = Frozen<ContentRow>;
export type Message = Frozen<MessageRow>;
export type Mail = Frozen<MailRow>;
export type Mailbox = Frozen<MailboxRow>;
export type Delivery = Frozen<DeliveryRow>;
export type Label = Frozen<LabelRow>;
export type Vacation = Frozen<VacationRow>;
export type Correspondent = Frozen<CorrespondentRow>;

export const dayUs = 86_400_000_000;
