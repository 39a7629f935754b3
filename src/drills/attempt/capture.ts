// What an attempt keeps of what its agent said and attached: logs and files, as the drill's policies want. Screenshots and videos are files
// by their media type.
//   CAPTURE-1. What the policies cannot want is not held until the verdict is known, and what is held is bounded.
//   CAPTURE-2. What is not kept is counted; what could not be kept is reported.
import { defined } from '../../contract/defined.js';
import { sha256Digest } from '../../contract/digest.js';
import { limits } from '../../contract/limits.js';
import type { CapturePolicies, CapturePolicy } from '../../contract/run/drill.js';
import type { AttachmentDescriptor, CaptureResult } from '../../contract/run/run.js';
import type { ReportAttachment } from '../../reports/write-run-report.js';
import type { AttachedFile, TargetRun } from '../targets/target-run.js';

export type CaptureKind = CaptureResult['attachments'][number]['kind'];
/** Something that was attached to a run. */
export interface CapturedFile {
  kind: CaptureKind;
  interactionId?: string;
  /** The interaction's result names it. */
  isNamed: boolean;
  /** Default: one is made from its kind. */
  id?: string;
  file: AttachedFile;
}
/** Which policy of a drill decides on what. */
export const policyOf = { log: 'logs', screenshot: 'screenshots', video: 'video', file: 'files' } as const;

export interface CaptureOutcome {
  result: CaptureResult;
  /** For the report folder. */
  kept: ReportAttachment[];
  /** Of files (not logs), by interaction: what its target result names. */
  byInteraction: ReadonlyMap<string, AttachmentDescriptor[]>;
}

export class Capture {
  readonly #policies: CapturePolicies;
  readonly #candidates: CapturedFile[] = [];
  readonly #errors: CaptureResult['errors'] = [];
  readonly #discarded: CaptureResult['discarded'] = { logs: 0, screenshots: 0, video: 0, files: 0 };
  #bytes = 0;
  #isFull = false;

  constructor(policies: CapturePolicies) {
    this.#policies = policies;
  }

  add(interactionId: string, { log, logRedaction, files, refusals }: Pick<TargetRun, 'log' | 'logRedaction' | 'files' | 'refusals'>): void {
    for (const file of files) this.attach({ kind: kindOf(file), interactionId, isNamed: true, file });
    for (const refusal of refusals) this.#tell({ ...refusal, kind: 'file', interactionId });
    if (log === '') return;
    const file: AttachedFile = {
      name: `${interactionId}.log`,
      mediaType: 'text/plain; charset=utf-8',
      bytes: Buffer.from(log),
      ...defined({ redaction: logRedaction }),
    };
    this.attach({ kind: 'log', interactionId, isNamed: false, file });
  }

  attach(attached: CapturedFile): void {
    const { kind, interactionId, file } = attached;
    if (this.#policies[policyOf[kind]] === 'off') {
      this.#discarded[policyOf[kind]] += 1;
      return;
    }
    const bytes = this.#bytes + file.bytes.length;
    if (bytes <= limits.runAttachmentBytesMax && this.#candidates.length < limits.captureItemsMax) {
      this.#bytes = bytes;
      this.#candidates.push(attached);
      return;
    }
    this.#discarded[policyOf[kind]] += 1;
    if (this.#isFull) return;
    this.#isFull = true;
    const { captureItemsMax, runAttachmentBytesMax } = limits;
    const message = `An attempt keeps at most ${captureItemsMax} logs and attachments, of ${runAttachmentBytesMax} bytes together; what did not fit is counted as discarded.`;
    this.#tell({ code: 'framework.CAPTURE_FULL', message, kind, ...defined({ interactionId }) });
  }

  /** Once the verdict is known. */
  settle({ passed }: { passed: boolean }): CaptureOutcome {
    const result: CaptureResult = {
      schemaVersion: 1,
      policies: { ...this.#policies },
      attachments: [],
      errors: [...this.#errors],
      discarded: { ...this.#discarded },
    };
    const kept: ReportAttachment[] = [];
    const byInteraction = new Map<string, AttachmentDescriptor[]>();
    for (const { kind, interactionId, isNamed, id, file } of this.#candidates) {
      const policy: CapturePolicy = this.#policies[policyOf[kind]];
      if (policy === 'off' || (policy === 'on_failure' && passed)) {
        result.discarded[policyOf[kind]] += 1;
        continue;
      }
      const { bytes, ...named } = file;
      const attachment = describe(id ?? `${kind}-${kept.length + 1}`, { ...named, bytes: bytes.length, hash: sha256Digest(bytes) });
      result.attachments.push({ kind, policy, attachment, ...defined({ interactionId }) });
      kept.push({ descriptor: attachment, bytes });
      if (interactionId !== undefined && isNamed)
        byInteraction.set(interactionId, [...(byInteraction.get(interactionId) ?? []), attachment]);
    }
    return { result, kept, byInteraction };
  }

  #tell(error: CaptureResult['errors'][number]): void {
    if (this.#errors.length < limits.captureErrorsMax) this.#errors.push(error);
  }
}

export function kindOf({ mediaType }: Pick<AttachedFile, 'mediaType'>): CaptureKind {
  if (mediaType.startsWith('image/')) return 'screenshot';
  return mediaType.startsWith('video/') ? 'video' : 'file';
}

/** `id` names it in the report. */
export function describe(id: string, file: Omit<AttachedFile, 'bytes'> & { bytes: number; hash: string }): AttachmentDescriptor {
  const { name, mediaType, bytes, hash, redaction = { status: 'not_applied', note: null } } = file;
  return { schemaVersion: 1, kind: 'file', id, name, mediaType, bytes, hash, redaction };
}
