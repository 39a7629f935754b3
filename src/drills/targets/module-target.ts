// A module target: the agent's code in a host of its own for the attempt; its calls to the world cross as messages and are made here,
// under the access of the interaction.
import { ServiceError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { ModuleTarget } from '../../contract/target.js';
import { runError } from '../run-error.js';
import { Deadline, endedError } from './deadline.js';
import type { Bundle } from './module-bundle.js';
import type { ModuleHost } from './module-host.js';
import type { ModuleHosts } from './module-hosts.js';
import type { CallAnswer, FromHost, WorldRequest } from './module-protocol.js';
import { secretsOf, TargetLog } from './target-log.js';
import { outputTooLarge, type ParsedOutput, parseOutput } from './target-output.js';
import type { AttachedFile, TargetRequest, TargetRun, TargetRunner } from './target-run.js';

export interface ModuleOptions {
  hosts: ModuleHosts;
  bundle: Promise<Bundle>;
}

export function moduleTarget(target: ModuleTarget, { hosts, bundle }: ModuleOptions): TargetRunner {
  let held: { host: ModuleHost; life: number } | undefined;
  return {
    run: async (request) => {
      const loaded = await bundle;
      if (loaded.kind === 'failed') return { status: 'failed', error: loaded.error, log: '', files: [] };
      held ??= hosts.acquire();
      const { run, spoiled } = await new Invocation(held.host, request).start({ url: loaded.url, exportName: target.export, life: held.life });
      if (spoiled) {
        await hosts.discard(held.host);
        held = undefined;
      }
      return run;
    },
    release: async () => {
      if (held !== undefined) await hosts.release(held.host);
      held = undefined;
    },
  };
}

/** `spoiled`: the host must not be used again. */
interface Finished {
  run: TargetRun;
  spoiled: boolean;
}

class Invocation {
  readonly #host: ModuleHost;
  readonly #request: TargetRequest;
  readonly #log: TargetLog;
  readonly #files: AttachedFile[] = [];
  readonly #deadline: Deadline;
  #finish: (finished: Finished) => void = () => {};
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(host: ModuleHost, request: TargetRequest) {
    this.#host = host;
    this.#request = request;
    this.#log = new TargetLog(secretsOf(request.access));
    this.#deadline = new Deadline({
      ...request,
      deliver: (reason) => {
        host.post({ kind: 'abort', reason });
        // It may clean up and say why; a loop that never looks is ended.
        this.#graceTimer = setTimeout(() => this.#end({ status: reason, error: endedError(reason) }, { spoiled: true }), limits.moduleAbortGraceMs);
      },
    });
  }

  start(module: { url: string; exportName: string; life: number }): Promise<Finished> {
    const { invocation, access } = this.#request;
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#host.listen({
        message: (message) => this.#hear(message),
        ended: (reason) => this.#fail('target.CRASHED', `The target ended: ${reason}.`),
      });
      this.#host.post({ kind: 'invoke', ...module, invocation, endpoints: access.endpoints, direct: access.direct !== undefined });
    });
  }

  #hear(message: FromHost): void {
    switch (message.kind) {
      case 'call':
        void this.#answer(message.id, message.request);
        return;
      case 'log':
        this.#log.append(message.text);
        return;
      case 'attach':
        this.#files.push({ name: message.name, mediaType: message.mediaType, bytes: message.bytes });
        return;
      case 'done':
        this.#complete(message.outputText);
        return;
      case 'failed':
        if (message.stack !== '') this.#log.append(`${message.stack}\n`);
        this.#fail(message.code, message.message);
        return;
      case 'lifeEnded':
        return;
      default:
        message satisfies never;
    }
  }

  async #answer(id: number, request: WorldRequest): Promise<void> {
    const answer = await this.#ask(request);
    this.#host.post({ kind: 'answer', id, answer });
  }

  async #ask(request: WorldRequest): Promise<CallAnswer> {
    const { direct } = this.#request.access;
    try {
      if (direct === undefined) throw new ServiceError('control.FORBIDDEN', { message: 'The target does not list the binding direct.' });
      if (request.method === 'tools') return { ok: true, value: await direct.tools() };
      if (request.method === 'wait') return { ok: true, value: await direct.wait(request.untilUs) };
      const { method: _, argumentsText, ...call } = request;
      if (Buffer.byteLength(argumentsText) > limits.bodyBytesMax)
        throw new ServiceError('control.PAYLOAD_TOO_LARGE', { message: `The arguments are larger than ${limits.bodyBytesMax} bytes.` });
      return { ok: true, value: await direct.call({ ...call, arguments: JSON.parse(argumentsText) as JsonValue }) };
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'control.INTERNAL';
      return { ok: false, code, message: error instanceof Error ? error.message : String(error) };
    }
  }

  #complete(outputText: string): void {
    const tooLarge = Buffer.byteLength(outputText) > limits.targetOutputBytesMax;
    const output: ParsedOutput = tooLarge ? { kind: 'invalid', error: outputTooLarge() } : parseOutput(outputText);
    if (output.kind === 'invalid') this.#end({ status: 'failed', error: output.error }, { spoiled: false });
    else this.#end({ status: 'completed', ...(output.kind === 'value' ? { output: output.value } : {}) }, { spoiled: false });
  }

  /** After a failure the module may be in any state. */
  #fail(code: `target.${string}`, message: string): void {
    this.#end({ status: 'failed', error: runError(code, message, { details: { log: this.#log.tail() } }) }, { spoiled: true });
  }

  #end(outcome: Pick<TargetRun, 'status' | 'output' | 'error'>, { spoiled }: { spoiled: boolean }): void {
    this.#deadline.stop();
    clearTimeout(this.#graceTimer);
    this.#host.listen(undefined);
    // Whatever a target says after its time was up, its time was up.
    const { ended } = this.#deadline;
    const told = ended === undefined ? outcome : { status: ended, error: endedError(ended) };
    this.#finish({ run: { ...told, log: this.#log.text(), files: this.#files }, spoiled: spoiled || ended !== undefined });
  }
}
