// One interaction of a hosted run, worked on by a target here: access, the target, what it attached, its result handed in.
//   REMOTE-INTERACTION-1. What the target does is a status. A refusal because the run has moved on meanwhile (cancelled, past its deadline)
//     ends it quietly.
//   REMOTE-INTERACTION-2. The target works once. Where the run still awaits it afterwards, what it made is handed in again.
//   REMOTE-INTERACTION-3. A result that the service refuses is handed in as a failure without it: the run ends, and its journal stays.
import { ControlError } from '../client/control-error.js';
import { defined } from '../contract/defined.js';
import { sha256Digest } from '../contract/digest.js';
import type { CompleteInteractionRequest } from '../contract/hosted/runs.js';
import { limits } from '../contract/limits.js';
import type { HostedRun, RunError } from '../contract/run/run.js';
import type { TargetInvocation } from '../contract/run/target-invocation.js';
import { type CaptureKind, kindOf, policyOf } from '../drills/attempt/capture.js';
import type { PlannedDrill } from '../drills/plan/plan.js';
import type { Access } from '../drills/ports/bindings-port.js';
import { runError } from '../drills/ports/run-error.js';
import { nameWithin } from '../drills/targets/attachments.js';
import { bindingUrls } from '../drills/targets/command-environment.js';
import type { AttachedFile, TargetRun, TargetRunner } from '../drills/targets/target-run.js';
import { beginningOf } from '../text/cut-text.js';
import type { Remote } from './connection.js';
import { remoteAccess } from './remote-access.js';

export interface InteractionStage {
  remote: Remote;
  planned: PlannedDrill;
  runner: TargetRunner;
  signal: AbortSignal;
  /** Of what is still to be done after an abort. */
  ending: AbortSignal;
  onNotice: (text: string) => void;
}
type Pending = NonNullable<HostedRun['pendingInteraction']>;
/** What is sent of a target's run beside its result. */
interface Sent {
  kind: CaptureKind;
  /** The result names it. */
  isNamed: boolean;
  file: AttachedFile;
}

export class RemoteInteraction {
  readonly #stage: InteractionStage;
  readonly #pending: Pending;
  readonly #path: { projectId: string; hostedRunId: string };
  #targetRun: TargetRun | undefined;
  /** By its place in what is sent: the id, or undefined for what the service did not take. */
  readonly #attached = new Map<number, string | undefined>();

  /** `run`: awaits its agent. */
  constructor(stage: InteractionStage, { hostedRunId, pendingInteraction }: HostedRun) {
    this.#stage = stage;
    this.#pending = pendingInteraction as Pending;
    this.#path = { projectId: stage.remote.projectId, hostedRunId };
  }

  /** Whether the target has worked now: it had not before, and the run waited for it. */
  async play(run: HostedRun): Promise<boolean> {
    if (this.#targetRun !== undefined) return false;
    const { remote, planned, runner, signal, ending, onNotice } = this.#stage;
    const { target } = planned;
    const { id: interactionId } = this.#pending.interaction;
    const body = { interactionId, ttlMs: limits.remoteAccessTtlMs };
    const issued = await unlessGoneOn(() => remote.client.createRunAccess({ path: this.#path, body }, { signal }));
    if (issued === undefined) return false;
    const access = remoteAccess(remote, issued.access, { target, ending });
    const invocation = invocationOf(run, this.#pending, access.endpoints);
    this.#targetRun = await runner.run({ invocation, access, timeoutMs: target.timeoutMs, signal });
    for (const { message } of this.#targetRun.refusals) onNotice(`${interactionId}: an attachment was not kept: ${message}`);
    return true;
  }

  /** Whether the service has taken it. Else the next read of the run says whether it is still awaited. */
  async handIn({ revision: expectedRevision }: HostedRun): Promise<boolean> {
    const targetRun = this.#targetRun;
    if (targetRun === undefined) return false;
    const { remote, ending } = this.#stage;
    const taken = await unlessGoneOn(async () => {
      const attachments = await this.#attachAll(targetRun);
      const { id: interactionId } = this.#pending.interaction;
      const complete = (ended: TargetRun) => {
        const body = { interactionId, expectedRevision, targetResult: { ...resultOf(ended), attachments } };
        return remote.client.completeInteraction({ path: this.#path, body }, { signal: ending });
      };
      try {
        return await complete(targetRun);
      } catch (error) {
        if (!isOfResult(error)) throw error;
        this.#targetRun = withoutResult(targetRun, error);
        return await complete(this.#targetRun);
      }
    });
    return taken !== undefined;
  }

  /** Once the target has worked: as it ended, and as the service has taken it where that differs. */
  get ended(): Pick<TargetRun, 'status' | 'error'> {
    return this.#targetRun as TargetRun;
  }

  /** Ids of those that the interaction names; its log is of the run. What the drill's policies never keep is not sent. */
  async #attachAll({ log, files }: TargetRun): Promise<string[]> {
    const { capture } = this.#stage.planned.drill;
    const { id } = this.#pending.interaction;
    const sent: Sent[] = files.map((file) => ({ kind: kindOf(file), isNamed: true, file }));
    const logFile = { name: `${id}.log`, mediaType: 'text/plain', bytes: Buffer.from(log) };
    if (log !== '') sent.push({ kind: 'log', isNamed: false, file: logFile });
    const named: string[] = [];
    for (const [at, one] of sent.entries()) {
      if (capture[policyOf[one.kind]] === 'off') continue;
      if (!this.#attached.has(at)) this.#attached.set(at, await this.#attach(one));
      const attachmentId = this.#attached.get(at);
      if (one.isNamed && attachmentId !== undefined) named.push(attachmentId);
    }
    return named;
  }

  async #attach({ kind, file }: Sent): Promise<string | undefined> {
    const { remote, ending, onNotice } = this.#stage;
    const { client } = remote;
    const sending = { signal: ending };
    const path = this.#path;
    const { id: interactionId } = this.#pending.interaction;
    const name = nameWithin(file.name, limits.remoteFileNameCharsMax);
    const mediaType = file.mediaType.replace(/\s*;.*$/s, '');
    try {
      const body = { interactionId, kind, name, mediaType, bytes: file.bytes.length, hash: sha256Digest(file.bytes) };
      const { attachment } = await client.beginAttachment({ path, body }, sending);
      const one = { ...path, attachmentId: attachment.attachmentId };
      await client.putAttachmentContent({ path: one, body: file.bytes }, sending);
      await client.completeAttachment({ path: one }, sending);
      return attachment.attachmentId;
    } catch (error) {
      // A service keeps fewer of a run than a local run does.
      if (!(error instanceof ControlError) || (error.status !== 413 && error.status !== 400)) throw error;
      onNotice(`${interactionId}: the attachment "${name}" was not kept: ${error.envelope.message}`);
      return undefined;
    }
  }
}

function invocationOf(
  { request }: HostedRun,
  { interaction, startedAtVirtualUs }: Pending,
  endpoints: Access['endpoints'],
): TargetInvocation {
  const { id: interactionId, actorId, actorInstanceId, task } = interaction;
  return {
    schemaVersion: 1,
    runId: request.runId,
    drillId: request.drillId,
    interactionId,
    actorId,
    ...defined({ actorInstanceId }),
    task,
    virtualTimeUs: startedAtVirtualUs,
    bindings: bindingUrls(endpoints),
  };
}

type Result = Omit<CompleteInteractionRequest['targetResult'], 'attachments'>;
function resultOf({ status, output, error, usage }: TargetRun): Result {
  return {
    status,
    ...defined({ output, usage }),
    ...(status === 'completed' || error === undefined ? {} : { error: errorFor(error) }),
  };
}

function errorFor({ code, message, retryable, details }: RunError): NonNullable<Result['error']> {
  const shownCode = /^target\.[A-Z][A-Z0-9_]{0,100}$/.test(code) ? code : 'target.FAILED';
  return { code: shownCode, message: message === '' ? code : beginningOf(message, limits.remoteErrorCharsMax), retryable, details };
}

/** Whether the service refuses what the result holds, and would refuse it again. */
function isOfResult(error: unknown): error is ControlError {
  return error instanceof ControlError && refusesBody.has(error.code);
}
const refusesBody = new Set(['control.INVALID_JSON', 'control.INVALID_REQUEST', 'control.PAYLOAD_TOO_LARGE']);

/** What no service takes is what a local run calls an output that cannot be kept. */
function withoutResult({ output: _, ...rest }: TargetRun, { code, envelope: { message } }: ControlError): TargetRun {
  const name = code === 'control.PAYLOAD_TOO_LARGE' ? 'target.OUTPUT_TOO_LARGE' : 'target.OUTPUT_INVALID';
  return { ...rest, status: 'failed', error: runError(name, `The service refuses the result: ${message}`, { details: { code } }) };
}

/** That the run awaits nobody, or another one, or does so in another session than before. */
const movedOn = new Set(['control.STATE_CONFLICT', 'control.VERSION_CONFLICT', 'control.LEASE_CONFLICT']);

/** Undefined where the run may have moved on: the next read of it says whether it has. */
async function unlessGoneOn<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ControlError && movedOn.has(error.code)) return undefined;
    throw error;
  }
}
