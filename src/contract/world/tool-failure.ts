// Tool code that broke while a drill ran: its author's mistake, whatever the agent did with it.
import type { Slug } from '../primitives.js';
import type { Provenance } from '../provenance.js';

export interface ToolFailureReport {
  packageId: Slug;
  /** `operation`: a call; `subscription`: an event that was handled. */
  kind: 'operation' | 'subscription';
  handlerId: string;
  /** What it threw, as far as the host knew, else what evidence says. */
  message: string;
  /** How often, and where in evidence at first. */
  count: number;
  sequence: number;
  /** Where the handler stands in its source, where that is at hand. */
  place?: Provenance;
}
/** What tool code threw, in words that are not evidence. */
export interface ToolThrow {
  packageId: string;
  handlerId: string;
  detail: string;
}

/** `'notes.add' of tool 'notes' (drillyard/notes.ts:12) failed: TypeError: ...` */
export function toolFailureText({ packageId, handlerId, message, count, place }: ToolFailureReport): string {
  const where = place === undefined ? '' : ` (${place.file}:${place.line})`;
  return `'${handlerId}' of tool '${packageId}'${where} failed${count > 1 ? ` ${count} times` : ''}: ${message}`;
}
