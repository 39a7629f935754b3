// A repository's source in a project of a hosted service: one revision of one draft, and its build. What is there already is not sent, and
// not built, again.
//   PUSH-SOURCE-1. Nothing is sent of a repository that does not compile here.
//   PUSH-SOURCE-2. The build is of the very tree that was read: its digest is compared before it is ordered.
import { resolve } from 'node:path';
import { retry } from '../async/retry.js';
import { ControlError, OperationError } from '../client/control-error.js';
import { type CompileResult, compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { LongRunningOperation } from '../contract/hosted/operation.js';
import type { BuildAttempt, SourceDraft, SourceFileInput } from '../contract/hosted/source.js';
import { type OptionShapes, optionShapes, requireOptions } from '../contract/known-options.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild, Diagnostic } from '../contract/run/build.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { asked, connectRemote, type Remote, type RemoteOptions, remoteShape } from './connection.js';
import { type PushedDataset, pushDataset, readDatasetFile } from './push-dataset.js';
import { inRequests, type RemoteSource, type RemoteSourceOptions, readRemoteSource, rootFileName } from './remote-source.js';
import { tuning } from './tuning.js';

export interface PushSourceOptions {
  /** The repository. */
  root: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  remote: RemoteOptions;
  /** Files with rows, which become datasets of the project once the build is there. Relative to the current folder. */
  datasets?: readonly string[];
  onCompiling?: (done: number, total: number) => void;
  /** What is being done now, for people. */
  onProgress?: (text: string) => void;
  /** Aborting stops waiting; a build that was ordered continues. */
  signal?: AbortSignal;
}
const shapes: OptionShapes<PushSourceOptions> = {
  root: optionShapes.root,
  config: 'text',
  remote: { required: remoteShape },
  datasets: optionShapes.texts,
  onCompiling: 'function',
  onProgress: 'function',
  signal: 'object',
};
export interface PushedSource {
  url: string;
  projectId: string;
  sourceDraftId: string;
  /** Of the source draft, with the name that is shown. */
  draft: string;
  revision: number;
  sourceDigest: string;
  files: number;
  bytes: number;
  /** As the service made it. */
  buildHash: string;
  /** The source was there, and so was its build: nothing was sent, nothing was built. */
  isUnchanged: boolean;
  /** Files were sent; else the draft's last revision was this source already. */
  isSent: boolean;
}
export interface PushSourceResult {
  pushed: PushedSource;
  datasets: PushedDataset[];
  build: CompiledBuild;
  /** Warnings of the compiler. */
  diagnostics: Diagnostic[];
}

/** Rejects with control.SOURCE_INVALID (`diagnostics`) for source that does not compile, here or there. */
export async function pushSource(options: PushSourceOptions): Promise<PushSourceResult> {
  requireOptions('pushSource', options, shapes);
  const compiled = await compileForRemote(options);
  // Before anything is sent.
  const files = (options.datasets ?? []).map(readDatasetFile);
  const remote = await connectRemote(options.remote, compiled.settings?.remote, options.signal);
  const { build, diagnostics } = compiled;
  const pushed = await pushCompiled(remote, compiled, options);
  const datasets: PushedDataset[] = [];
  for (const file of files) {
    options.onProgress?.(`Comparing the dataset "${file.name}"`);
    datasets.push(await pushDataset(remote, file, { build, buildHash: pushed.buildHash, ...defined({ signal: options.signal }) }));
  }
  return { pushed, datasets, build, diagnostics };
}

export type CompiledSource = CompileResult & { build: CompiledBuild };

export async function compileForRemote({
  root,
  config,
  onCompiling,
}: Pick<PushSourceOptions, 'root' | 'config' | 'onCompiling'>): Promise<CompiledSource> {
  const { build, ...compiled } = await compileProject({
    root: resolve(root),
    ...defined({ config, onProgress: onCompiling }),
  });
  if (build === undefined) throw new SourceInvalidError(compiled.diagnostics);
  return { ...compiled, build };
}

type Listener = Pick<PushSourceOptions, 'onProgress' | 'signal'>;

export async function pushCompiled(
  remote: Remote,
  { build, files }: CompiledSource,
  { onProgress, signal, ...place }: RemoteSourceOptions & Listener,
): Promise<PushedSource> {
  const source = readRemoteSource(place, files);
  const push = new Push(remote, source, { onProgress: onProgress ?? (() => {}), signal });
  try {
    return await asked(() => push.play(remote.draft ?? build.world.id, build.buildHash));
  } catch (thrown) {
    const error = thrown instanceof OperationError ? buildRefusal(thrown) : thrown;
    throw error instanceof SourceInvalidError ? asNamedHere(error, place.config) : error;
  }
}

class Push {
  readonly #remote: Remote;
  readonly #source: RemoteSource;
  readonly #onProgress: (text: string) => void;
  readonly #signal: { signal?: AbortSignal };

  constructor(
    remote: Remote,
    source: RemoteSource,
    { onProgress, signal }: { onProgress: (text: string) => void; signal: AbortSignal | undefined },
  ) {
    this.#remote = remote;
    this.#source = source;
    this.#onProgress = onProgress;
    this.#signal = defined({ signal });
  }

  async play(name: string, expectedHash: string): Promise<PushedSource> {
    const { draft, isSent } = await this.#revision(name);
    const known = isSent ? undefined : await this.#knownBuild(expectedHash);
    const { buildHash, isNew } = known === undefined ? await this.#build(draft) : { buildHash: known, isNew: false };
    const { url, projectId } = this.#remote;
    const { digest, files, bytes } = this.#source;
    return {
      url,
      projectId,
      sourceDraftId: draft.sourceDraftId,
      draft: name,
      revision: draft.currentRevision,
      sourceDigest: digest,
      files: files.length,
      bytes,
      buildHash,
      isUnchanged: !isSent && !isNew,
      isSent,
    };
  }

  /** The draft whose last revision is the source. Of two pushes at once, the later one begins again. */
  async #revision(name: string): Promise<{ draft: SourceDraft; isSent: boolean }> {
    const isRetryable = (error: unknown): boolean => error instanceof ControlError && error.code === 'control.VERSION_CONFLICT';
    return await retry({ attemptsMax: limits.pushTriesMax, isRetryable }, async () => {
      const found = await this.#findDraft(name);
      if (found?.sourceDigest === this.#source.digest) return { draft: found, isSent: false };
      return { draft: await this.#send(name, found), isSent: true };
    });
  }

  async #findDraft(name: string): Promise<SourceDraft | undefined> {
    const { client, projectId } = this.#remote;
    for await (const { items } of client.pages(
      'listSourceDrafts',
      { path: { projectId }, query: { limit: tuning.pageItems } },
      this.#signal,
    )) {
      const found = items.find((draft) => draft.name === name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Several parts are several revisions: the first replaces the tree, the last makes it whole. */
  async #send(name: string, found: SourceDraft | undefined): Promise<SourceDraft> {
    const parts = inRequests(this.#source.files);
    let draft = found;
    for (const [index, part] of parts.entries()) {
      this.#onProgress(
        `Sending ${part.length} of ${this.#source.files.length} files${parts.length === 1 ? '' : `, part ${index + 1} of ${parts.length}`}`,
      );
      draft = await this.#sendPart(name, { draft, part, isFirst: index === 0 });
    }
    if (draft?.sourceDigest !== this.#source.digest) {
      throw new ServiceError('control.STATE_CONFLICT', {
        message: `The source draft "${name}" is not what was sent: somebody else changed it meanwhile.`,
      });
    }
    return draft;
  }

  async #sendPart(
    name: string,
    { draft, part, isFirst }: { draft: SourceDraft | undefined; part: SourceFileInput[]; isFirst: boolean },
  ): Promise<SourceDraft> {
    const { client, projectId } = this.#remote;
    if (draft === undefined)
      return (await client.createSourceDraft({ path: { projectId }, body: { name, files: part } }, this.#signal)).sourceDraft;
    const path = { projectId, sourceDraftId: draft.sourceDraftId };
    const content = isFirst ? { files: part } : { changes: part.map((file) => ({ action: 'put' as const, ...file })) };
    return (await client.createSourceRevision({ path, body: { expectedVersion: draft.version, ...content } }, this.#signal)).sourceDraft;
  }

  async #knownBuild(buildHash: string): Promise<string | undefined> {
    const { client, projectId } = this.#remote;
    try {
      return (await client.getBuild({ path: { projectId, buildHash } }, this.#signal)).build.buildHash;
    } catch (error) {
      if (error instanceof ControlError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * A revision is built once, for any number of requests: the key is the revision's. Only a build that came to nothing is ordered again.
   */
  async #build({ sourceDraftId, currentRevision: revision, sourceDigest }: SourceDraft): Promise<{ buildHash: string; isNew: boolean }> {
    const { client, projectId } = this.#remote;
    const input = { path: { projectId, sourceDraftId, revision }, body: { sourceDigest } };
    const idempotencyKey = `push.${sourceDraftId}.${revision}`;
    const { reply, replayed } = await client.send('createBuild', input, { idempotencyKey, ...this.#signal });
    try {
      return { buildHash: await this.#built(reply.operation, revision), isNew: !replayed };
    } catch (error) {
      if (!replayed || !(error instanceof OperationError)) throw error;
    }
    const { operation } = await client.createBuild(input, this.#signal);
    return { buildHash: await this.#built(operation, revision), isNew: true };
  }

  async #built({ operationId }: LongRunningOperation, revision: number): Promise<string> {
    const { client, projectId } = this.#remote;
    let shown = '';
    const onLook = (seen: LongRunningOperation): void => {
      const { state } = attemptOf(seen) ?? { state: 'queued' };
      if (state !== shown) this.#onProgress(`Build of revision ${revision}: ${state}`);
      shown = state;
    };
    const ended = await client.waitForOperation({ projectId, operationId }, { onLook, pollMs: limits.remotePollMsMax, ...this.#signal });
    const { buildHash } = attemptOf(ended) ?? {};
    if (buildHash !== undefined) return buildHash;
    throw new ServiceError('control.UNAVAILABLE', { message: 'The build succeeded, and the service does not say which it is.' });
  }
}

const attemptOf = ({ result }: LongRunningOperation): BuildAttempt | undefined =>
  (result as { attempt?: BuildAttempt } | undefined)?.attempt;

function buildRefusal({ operation: { error, state } }: OperationError): Error {
  const diagnostics = (error?.details as { diagnostics?: Diagnostic[] } | undefined)?.diagnostics;
  if (Array.isArray(diagnostics) && diagnostics.length > 0) return new SourceInvalidError(diagnostics);
  const message = error === undefined ? `The build was ${state}.` : `The build failed: ${error.message}`;
  return new ServiceError('control.STATE_CONFLICT', { message, ...(error === undefined ? {} : { details: { code: error.code } }) });
}

/** The service calls the root file by its usual name. */
function asNamedHere(error: SourceInvalidError, config = rootFileName): SourceInvalidError {
  return new SourceInvalidError(
    error.diagnostics.map((diagnostic) => (diagnostic.file === rootFileName ? { ...diagnostic, file: config } : diagnostic)),
  );
}
