// One interaction of a hosted run, worked on by a target here: access, the target, what it attached, its result handed in.
//   REMOTE-INTERACTION-1. What the target does is a status. A refusal because the run has moved on meanwhile (cancelled, past its deadline)
//     ends it quietly.
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
import { bindingUrls } from '../drills/targets/command-environment.js';
import { outputTooLarge } from '../drills/targets/target-output.js';
import type { AttachedFile, TargetRun, TargetRunner } from '../drills/targets/target-run.js';
import type { Remote } from './connection.js';
import { remoteAccess } from './remote-access.js';

export interface RemoteInteraction {
  remote: Remote;
  /** That awaits its agent. */
  run: HostedRun;
  planned: PlannedDrill;
  runner: TargetRunner;
  signal: AbortSignal;
  onNotice: (text: string) => void;
}
type Pending = NonNullable<HostedRun['pendingInteraction']>;

/** As the target ended it; undefined where the run did not wait for it any more. */
export async function workRemotely(part: RemoteInteraction): Promise<TargetRun | undefined> {
  const { remote, run, planned, runner, signal } = part;
  const pending = run.pendingInteraction as Pending;
  const { id: interactionId } = pending.interaction;
  const path = { projectId: remote.projectId, hostedRunId: run.hostedRunId };
  const { target } = planned;
  const ttlMs = limits.remoteAccessTtlMs;
  const issued = await unlessGoneOn(() => remote.client.createRunAccess({ path, body: { interactionId, ttlMs } }));
  if (issued === undefined) return undefined;
  const access = remoteAccess(remote, issued.access, target);
  const targetRun = await runner.run({
    invocation: invocationOf(run, pending, access.endpoints),
    access,
    timeoutMs: target.timeoutMs,
    signal,
  });
  const attachments = await unlessGoneOn(() => attachAll(part, targetRun));
  if (attachments === undefined) return targetRun;
  const targetResult = { ...resultOf(targetRun), attachments };
  await unlessGoneOn(() =>
    remote.client.completeInteraction({
      path,
      body: { interactionId, expectedRevision: run.revision, targetResult: within(targetResult) },
    }),
  );
  return targetRun;
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
  return { code: shownCode, message: message === '' ? code : message.slice(0, limits.remoteErrorCharsMax), retryable, details };
}

/** What does not fit one request is what a local run calls too large. */
function within(result: CompleteInteractionRequest['targetResult']): CompleteInteractionRequest['targetResult'] {
  const bytesMax = limits.bodyBytesMax - limits.sourceRequestSpareBytes;
  if (Buffer.byteLength(JSON.stringify(result)) <= bytesMax) return result;
  const { output: _, ...rest } = result;
  return { ...rest, status: 'failed', error: errorFor({ ...outputTooLarge(), details: { bytesMax } }) };
}

/** Ids of those that the interaction names; its log is of the run. What the drill's policies never keep is not sent. */
async function attachAll(part: RemoteInteraction, { log, files, refusals }: TargetRun): Promise<string[]> {
  const { run, planned, onNotice } = part;
  const { id } = (run.pendingInteraction as Pending).interaction;
  const { capture } = planned.drill;
  const named: string[] = [];
  for (const { message } of refusals) onNotice(`${id}: an attachment was not kept: ${message}`);
  for (const file of files) {
    const kind = kindOf(file);
    if (capture[policyOf[kind]] === 'off') continue;
    const attachmentId = await attach(part, { kind, file });
    if (attachmentId !== undefined) named.push(attachmentId);
  }
  if (log !== '' && capture.logs !== 'off') {
    await attach(part, { kind: 'log', file: { name: `${id}.log`, mediaType: 'text/plain', bytes: Buffer.from(log) } });
  }
  return named;
}

async function attach(
  { remote, run, onNotice }: RemoteInteraction,
  { kind, file }: { kind: CaptureKind; file: AttachedFile },
): Promise<string | undefined> {
  const { client, projectId } = remote;
  const path = { projectId, hostedRunId: run.hostedRunId };
  const { id: interactionId } = (run.pendingInteraction as Pending).interaction;
  const name = file.name.slice(0, limits.remoteFileNameCharsMax);
  const mediaType = file.mediaType.replace(/\s*;.*$/s, '');
  try {
    const body = { interactionId, kind, name, mediaType, bytes: file.bytes.length, hash: sha256Digest(file.bytes) };
    const { attachment } = await client.beginAttachment({ path, body });
    const one = { ...path, attachmentId: attachment.attachmentId };
    await client.putAttachmentContent({ path: one, body: file.bytes });
    await client.completeAttachment({ path: one });
    return attachment.attachmentId;
  } catch (error) {
    // A service keeps fewer of a run than a local run does.
    if (!(error instanceof ControlError) || (error.status !== 413 && error.status !== 400)) throw error;
    onNotice(`${interactionId}: the attachment "${name}" was not kept: ${error.envelope.message}`);
    return undefined;
  }
}

/** Undefined where the run has moved on: the next read of it says how. */
async function unlessGoneOn<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ControlError && error.status === 409) return undefined;
    throw error;
  }
}
