// A module target: the agent's code in a host of its own for the attempt; its calls to the world cross as messages and are made here,
// under the access of the interaction.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import { type AgentUsage, sumUsage } from '../../contract/run/agent-usage.js';
import type { ModuleTarget } from '../../contract/run/target.js';
import { runError } from '../ports/run-error.js';
import { Attachments } from './attachments.js';
import { requireArgumentsSize } from './call-arguments.js';
import { Deadline } from './deadline.js';
import type { Bundle } from './module-bundle.js';
import type { ModuleHost } from './module-host.js';
import type { ModuleHosts } from './module-hosts.js';
import type { CallAnswer, FromHost, Invoke, WorldRequest } from './module-protocol.js';
import type { TargetKind, TargetWork } from './target-kind.js';
import { TargetLog } from './target-log.js';
import { outputTooLarge, type ParsedOutput, parseOutput } from './target-output.js';
import type { TargetRun } from './target-run.js';

export interface ModuleOptions {
  hosts: ModuleHosts;
  bundle: Promise<Bundle>;
  /** The repository. */
  root: string;
}

export function moduleTarget(target: Pick<ModuleTarget, 'export'>, { hosts, bundle, root }: ModuleOptions): ModuleRunner {
  let held: { host: ModuleHost; incarnation: number } | undefined;
  let turn = 0;
  return {
    run: async (work) => {
      const loaded = await bundle;
      if (loaded.kind === 'failed') return { status: 'failed', error: loaded.error, log: '', files: [], refusals: [] };
      held ??= hosts.acquire();
      turn += 1;
      const module = { url: loaded.url, exportName: target.export, incarnation: held.incarnation, root };
      const { run, spoiled } = await new Invocation(held.host, { work, turn }).start(module);
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

/** Also takes a run to judge in the place of a task. */
interface ModuleRunner extends TargetKind {
  run(work: ModuleWork): Promise<TargetRun>;
}
type ModuleWork = Omit<TargetWork, 'invocation'> & Pick<Invoke, 'invocation'>;

/** `spoiled`: the host must not be used again. */
interface HostAnswer {
  run: TargetRun;
  spoiled: boolean;
}

class Invocation {
  readonly #host: ModuleHost;
  readonly #work: ModuleWork;
  readonly #turn: number;
  readonly #log: TargetLog;
  // Paths have been read where the module runs.
  readonly #attachments = new Attachments(undefined);
  readonly #deadline: Deadline;
  #usage: AgentUsage | undefined;
  #finish: (finished: HostAnswer) => void = () => {};
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(host: ModuleHost, { work, turn }: { work: ModuleWork; turn: number }) {
    this.#host = host;
    this.#work = work;
    this.#turn = turn;
    this.#log = new TargetLog(work.redactor, work.say);
    this.#deadline = new Deadline({
      ...work,
      deliver: (reason) => {
        host.post({ kind: 'abort', reason });
        // It may clean up and say why; a loop that never looks is ended.
        this.#graceTimer = setTimeout(
          () => this.#end({ status: reason, error: this.#deadline.error() }, { spoiled: true }),
          limits.moduleAbortGraceMs,
        );
      },
    });
  }

  start(module: { url: string; exportName: string; incarnation: number; root: string }): Promise<HostAnswer> {
    const { invocation, access, environment } = this.#work;
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#host.listen({
        message: (message) => this.#hear(message),
        ended: (reason) => this.#fail('target.CRASHED', `The target ended: ${reason}.`),
      });
      const { endpoints, direct } = access;
      this.#host.post({ kind: 'invoke', ...module, turn: this.#turn, invocation, environment, endpoints, direct: direct !== undefined });
    });
  }

  #hear(message: FromHost): void {
    switch (message.kind) {
      case 'call':
        void this.#answer(message);
        return;
      case 'log':
        this.#log.append(message.text, message);
        return;
      case 'message':
        if (message.turn === this.#turn) this.#log.message(message.message);
        return;
      case 'usage':
        if (message.turn === this.#turn) this.#usage = sumUsage([this.#usage, message.usage]);
        return;
      case 'attach':
        if (message.turn === this.#turn) this.#attachments.keep({ ...message.file, content: message.file.bytes });
        return;
      case 'refused':
        if (message.turn === this.#turn) this.#attachments.note(message.refusal);
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

  async #answer({ id, turn, request }: { id: number; turn: number; request: WorldRequest }): Promise<void> {
    const answer = await this.#ask(request, turn);
    this.#host.post({ kind: 'answer', id, answer });
  }

  async #ask(request: WorldRequest, turn: number): Promise<CallAnswer> {
    const { direct } = this.#work.access;
    try {
      // Its world ended with its interaction; that another one's runs now gives it nothing.
      if (turn !== this.#turn) throw new ServiceError('control.UNAUTHENTICATED', { message: 'The interaction of this world has ended.' });
      if (direct === undefined) throw new ServiceError('control.FORBIDDEN', { message: 'The target does not list the binding direct.' });
      if (request.method === 'tools') return { ok: true, value: await direct.tools() };
      if (request.method === 'wait') return { ok: true, value: await direct.wait(request.untilUs) };
      if (request.method === 'receive') {
        await direct.receive(request.receiverId, { url: request.url, secret: request.secret });
        return { ok: true, value: null };
      }
      const { method: _, argumentsText, ...call } = request;
      requireArgumentsSize(argumentsText);
      return { ok: true, value: await direct.call({ ...call, arguments: JSON.parse(argumentsText) as JsonValue }) };
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'control.INTERNAL';
      return { ok: false, code, message: error instanceof Error ? error.message : String(error) };
    }
  }

  #complete(outputText: string): void {
    const tooLarge = Buffer.byteLength(outputText) > limits.targetOutputBytesMax;
    const output: ParsedOutput = tooLarge ? { kind: 'invalid', error: outputTooLarge() } : parseOutput(outputText, this.#work.redactor);
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
    // What a target says after its time was up changes nothing.
    const { ended } = this.#deadline;
    const { files, refusals } = this.#attachments;
    const result = ended === undefined ? outcome : { status: ended, error: this.#deadline.error(this.#log.tail()) };
    this.#finish({
      run: { ...result, ...defined({ usage: this.#usage }), ...this.#log.kept(), files, refusals },
      spoiled: spoiled || ended !== undefined,
    });
  }
}
