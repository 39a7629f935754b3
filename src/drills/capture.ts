// What an attempt keeps of what its agent said and attached: logs and files, as the drill's policies want. Screenshots and videos are files
// by their media type.

import { sha256Digest } from '../contract/digest.js';
import type { CapturePolicies, CapturePolicy } from '../contract/drill.js';
import type { AttachmentDescriptor, CaptureResult } from '../contract/run.js';
import type { ReportAttachment } from '../reports/write-run-report.js';
import type { AttachedFile, TargetRun } from './targets/target-run.js';

type CaptureKind = CaptureResult['attachments'][number]['kind'];
/** Something that was attached to a run. */
export interface Attached {
  kind: CaptureKind;
  interactionId?: string;
  /** The interaction's result names it. */
  isNamed: boolean;
  /** Default: one is made from its kind. */
  id?: string;
  file: AttachedFile;
}
const policyOf = { log: 'logs', screenshot: 'screenshots', video: 'video', file: 'files' } as const;

export interface Captured {
  result: CaptureResult;
  /** For the report folder. */
  kept: ReportAttachment[];
  /** Of files (not logs), by interaction: what its target result names. */
  byInteraction: ReadonlyMap<string, AttachmentDescriptor[]>;
}

export class Capture {
  readonly #candidates: Attached[] = [];

  add(interactionId: string, { log, files }: Pick<TargetRun, 'log' | 'files'>): void {
    for (const file of files) this.attach({ kind: kindOf(file), interactionId, isNamed: true, file });
    if (log === '') return;
    const file: AttachedFile = { name: `${interactionId}.log`, mediaType: 'text/plain; charset=utf-8', bytes: Buffer.from(log) };
    this.attach({ kind: 'log', interactionId, isNamed: false, file });
  }

  attach(attached: Attached): void {
    this.#candidates.push(attached);
  }

  /** Once the verdict is known. */
  settle(policies: CapturePolicies, { passed }: { passed: boolean }): Captured {
    const result: CaptureResult = {
      schemaVersion: 1,
      policies: { ...policies },
      attachments: [],
      errors: [],
      discarded: { logs: 0, screenshots: 0, video: 0, files: 0 },
    };
    const kept: ReportAttachment[] = [];
    const byInteraction = new Map<string, AttachmentDescriptor[]>();
    for (const { kind, interactionId, isNamed, id, file } of this.#candidates) {
      const policy: CapturePolicy = policies[policyOf[kind]];
      if (policy === 'off' || (policy === 'on_failure' && passed)) {
        result.discarded[policyOf[kind]] += 1;
        continue;
      }
      const { name, mediaType, bytes } = file;
      const attachment = describe(id ?? `${kind}-${kept.length + 1}`, { name, mediaType, bytes: bytes.length, hash: sha256Digest(bytes) });
      result.attachments.push({ kind, policy, attachment, ...(interactionId === undefined ? {} : { interactionId }) });
      kept.push({ descriptor: attachment, bytes });
      if (interactionId !== undefined && isNamed) byInteraction.set(interactionId, [...(byInteraction.get(interactionId) ?? []), attachment]);
    }
    return { result, kept, byInteraction };
  }
}

function kindOf({ mediaType }: AttachedFile): CaptureKind {
  if (mediaType.startsWith('image/')) return 'screenshot';
  return mediaType.startsWith('video/') ? 'video' : 'file';
}

/** `id` names it in the report. */
export function describe(id: string, file: Omit<AttachedFile, 'bytes'> & { bytes: number; hash: string }): AttachmentDescriptor {
  const { name, mediaType, bytes, hash } = file;
  return { schemaVersion: 1, kind: 'file', id, name, mediaType, bytes, hash, redaction: { status: 'not_applied', note: null } };
}
