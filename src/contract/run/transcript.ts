// What an agent said while it worked, in the order and at the place of the journal at which it said it. Of the host: it is no evidence, and
// no hash depends on it.
import type { Count, VirtualUs } from '../primitives.js';

/** Who speaks, as chat models call it. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';
export interface AgentMessage {
  role: MessageRole;
  /** Plain text, or Markdown. */
  content: string;
}

export interface Transcript {
  lines: TranscriptLine[];
  /** Further ones that were not kept: they went beyond what a transcript holds. */
  left: number;
}
export interface TranscriptLine {
  interactionId: string;
  /** `log`: lines of its log. Else a message. */
  role: MessageRole | 'log';
  text: string;
  /** The last entry of the journal when it was said. */
  afterSequence: Count;
  virtualTimeUs: VirtualUs;
}

const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'] satisfies MessageRole[]);

export function isAgentMessage(value: unknown): value is AgentMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { role, content } = value as { [name: string]: unknown };
  return roles.has(role) && typeof content === 'string';
}

/** Throws a TypeError for another shape. */
export function requireAgentMessage(value: unknown): AgentMessage {
  if (!isAgentMessage(value)) throw new TypeError("a message is { role: 'system' | 'user' | 'assistant' | 'tool', content: string }");
  return { role: value.role, content: value.content };
}
