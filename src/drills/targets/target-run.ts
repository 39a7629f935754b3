// The port between an attempt and whatever runs its agent.
import type { JsonValue } from '../../contract/json.js';
import type { AgentUsage } from '../../contract/run/agent-usage.js';
import type { AttachmentDescriptor, RunError, TargetStatus } from '../../contract/run/run.js';
import type { TargetInvocation } from '../../contract/run/target-invocation.js';
import type { TranscriptLine } from '../../contract/run/transcript.js';
import type { Access } from '../ports/bindings-port.js';

/** One agent for one attempt: what it remembers between interactions ends with `release`. */
export interface TargetRunner {
  /** Never rejects for what the agent does: that is a status. */
  run(request: TargetRequest): Promise<TargetRun>;
  release(): Promise<void>;
}
export interface TargetRequest {
  invocation: TargetInvocation;
  access: Access;
  timeoutMs: number;
  /** Of the whole run: aborted when it is cancelled. */
  signal: AbortSignal;
  /** Hears at once what the agent says, without secrets. */
  say?: Say;
}
export type Say = (said: Said) => void;
export interface Said {
  role: TranscriptLine['role'];
  text: string;
}
export interface TargetRun {
  status: TargetStatus;
  output?: JsonValue;
  error?: RunError;
  usage?: AgentUsage;
  /** What the agent said while it worked, bounded. */
  log: string;
  /** Absent: nobody has looked for secrets. */
  logRedaction?: AttachmentDescriptor['redaction'];
  files: AttachedFile[];
  /** What it could not attach. */
  refusals: AttachmentRefusal[];
}
export interface AttachedFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
  /** Absent: nobody has looked for secrets. */
  redaction?: AttachmentDescriptor['redaction'];
}
export interface AttachmentRefusal {
  code: string;
  message: string;
}
