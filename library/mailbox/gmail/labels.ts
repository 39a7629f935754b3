// Gmail's labels and ours: its system labels are in capitals, and unread and starred are labels there and flags here.
import type { JsonValue } from 'drillyard/tool-sdk';
import type { Message } from '../mail/model.js';
import { unsupported } from './failures.js';

const gmailNames: readonly (readonly [own: string, gmail: string])[] = [
  ['inbox', 'INBOX'],
  ['sent', 'SENT'],
  ['drafts', 'DRAFT'],
  ['scheduled', 'SCHEDULED'],
  ['spam', 'SPAM'],
  ['trash', 'TRASH'],
  ['unread', 'UNREAD'],
  ['starred', 'STARRED'],
];
const toGmail = new Map(gmailNames);
const toOwn = new Map(gmailNames.map(([own, gmail]) => [gmail, own]));
/** Labels that every mailbox of Gmail has, and none here. */
const others = /^(?:IMPORTANT|CHAT|CATEGORY_[A-Z]+|(?:YELLOW|GREEN|RED|PURPLE|BLUE|ORANGE)_[A-Z]+)$/;

export const gmailLabel = (own: string): string => toGmail.get(own) ?? own;

/** What is no label of Gmail stays as it is, so that nobody finds it. */
export function ownLabel(label: string): string {
  if (others.test(label)) throw unsupported(`There is no label ${label} in this mailbox.`);
  return toOwn.get(label) ?? label;
}

export function gmailLabelsOf({ labels, read, starred }: Pick<Message, 'labels' | 'read' | 'starred'>): string[] {
  return [...(read ? [] : ['UNREAD']), ...(starred ? ['STARRED'] : []), ...labels.map(gmailLabel)];
}

type Change = { readonly [name: string]: JsonValue | undefined };

/** `addLabelIds` and `removeLabelIds` of Gmail as labels and flags. What is both added and removed is removed, here as there. */
export function changeOf(body: { readonly [name: string]: JsonValue }): Change {
  const [added, removed] = [textsIn(body.addLabelIds), textsIn(body.removeLabelIds)].map((labels) => labels.map(ownLabel)) as [
    string[],
    string[],
  ];
  const flagOf = (name: string): boolean | undefined => (removed.includes(name) ? false : added.includes(name) ? true : undefined);
  const unread = flagOf('unread');
  const labels = (list: readonly string[]): string[] | undefined => {
    const own = [...new Set(list)].filter((label) => label !== 'unread' && label !== 'starred');
    return own.length === 0 ? undefined : own;
  };
  return {
    addLabelIds: labels(added),
    removeLabelIds: labels(removed),
    read: unread === undefined ? undefined : !unread,
    starred: flagOf('starred'),
  };
}

export function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item: JsonValue): item is string => typeof item === 'string') : [];
}
