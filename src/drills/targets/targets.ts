// The agents of one runDrills call: a runner for each attempt, and what they share: module hosts and bundles. With every kind, nothing
// that an agent was given in secret leaves here with what it says.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomAssertion } from '../../contract/run/assertion.js';
import { ownRunDialect, type TargetDialect } from '../../contract/run/dialect.js';
import type { JudgedRun } from '../../contract/run/judge.js';
import type { ModuleTarget, Target } from '../../contract/run/target.js';
import type { TargetModule } from '../../contract/run/target-invocation.js';
import type { Access } from '../ports/bindings-port.js';
import { runError } from '../ports/run-error.js';
import { bindingEnvironment } from './command-environment.js';
import { commandTarget } from './command-target.js';
import { externalTarget } from './external-target.js';
import { httpTarget } from './http-target.js';
import { type Bundle, bundleModule } from './module-bundle.js';
import { ModuleHosts } from './module-hosts.js';
import { moduleTarget } from './module-target.js';
import { OwnProgram } from './own-program.js';
import { hostSecrets, Redactor } from './redaction.js';
import { withSaidFailure } from './said-failed.js';
import { withSaidUsage } from './said-usage.js';
import type { TargetKind, TargetWork } from './target-kind.js';
import type { TargetRequest, TargetRun, TargetRunner } from './target-run.js';

export interface TargetsOptions {
  root: string;
  isolation: 'thread' | 'process';
  /** Environment prefixes of compatible runners. */
  prefixes: readonly string[];
  /** How targets are asked, and what they answer. Default: Drillyard's own way. */
  dialect?: TargetDialect;
  /** Of `external` targets. */
  agent?: TargetModule;
  /** HTTP agents may be on other machines. */
  allowRemote: boolean;
}

export class Targets {
  readonly #options: TargetsOptions;
  readonly #dialect: TargetDialect;
  readonly #hosts: ModuleHosts;
  readonly #program = new OwnProgram();
  readonly #bundles = new Map<string, Promise<Bundle>>();
  #bundleDirectory: string | undefined;

  constructor(options: TargetsOptions) {
    this.#options = options;
    this.#dialect = options.dialect ?? ownRunDialect.targets;
    this.#hosts = new ModuleHosts(options.isolation);
  }

  /** For a target that the plan did not refuse. */
  runnerFor(target: Target): TargetRunner {
    const kind = this.#kindOf(target);
    return {
      run: async (request) => {
        const work = this.#workOf(target, request);
        const run = withAnswer(await kind.run(work), this.#dialect);
        return work.redactor.run(withSaidUsage(withSaidFailure(run)));
      },
      release: () => kind.release(),
    };
  }

  /** Begins what the first run of this target would wait for. */
  prepare(target: Target): void {
    if (target.kind !== 'module') return;
    this.#hosts.prepare();
    // Who runs it hears what is wrong.
    this.#bundle(target).catch(() => {});
  }

  /** A judge's answer, as the run of a module that has no world. Never rejects for what the module does. */
  async judge({ module, timeoutMs, ...judge }: CustomAssertion, invocation: JudgedRun, signal: AbortSignal): Promise<TargetRun> {
    const kind = moduleTarget(judge, { hosts: this.#hosts, bundle: this.#bundle({ module }), root: this.#options.root });
    try {
      return await kind.run({ invocation, access: noAccess, timeoutMs, signal, environment: {}, redactor: new Redactor([]) });
    } finally {
      await kind.release();
    }
  }

  async close(): Promise<void> {
    await this.#hosts.close();
    this.#program.remove();
    if (this.#bundleDirectory !== undefined) await rm(this.#bundleDirectory, { recursive: true, force: true });
  }

  #kindOf(target: Target): TargetKind {
    const { root, agent, allowRemote } = this.#options;
    if (target.kind === 'module') return moduleTarget(target, { hosts: this.#hosts, bundle: this.#bundle(target), root });
    if (target.kind === 'command') return commandTarget(target, { ...this.#options, program: this.#program });
    if (target.kind === 'http') return httpTarget(target, { allowRemote });
    if (agent !== undefined) return externalTarget(agent, root);
    throw new Error(`the plan refuses ${target.kind} targets`);
  }

  #workOf(target: Target, request: TargetRequest): TargetWork {
    const tokens = Object.values(request.access.endpoints).map(({ token }) => token);
    const environment = bindingEnvironment({ target, access: request.access, prefixes: this.#options.prefixes });
    const invocation = this.#dialect.invocation(request.invocation, environment) as TargetWork['invocation'];
    return { ...request, invocation, environment, redactor: new Redactor([...tokens, ...hostSecrets(fromHost(target), process.env)]) };
  }

  #bundle({ module }: Pick<ModuleTarget, 'module'>): Promise<Bundle> {
    let bundle = this.#bundles.get(module);
    if (bundle === undefined) {
      this.#bundleDirectory ??= mkdtempSync(join(tmpdir(), 'drillyard-targets-'));
      bundle = bundleModule({ root: this.#options.root, module, directory: this.#bundleDirectory });
      this.#bundles.set(module, bundle);
    }
    return bundle;
  }
}

/** What the output of a target that has completed says. */
function withAnswer(run: TargetRun, dialect: TargetDialect): TargetRun {
  const { output, ...rest } = run;
  if (run.status !== 'completed' || output === undefined) return run;
  const answer = dialect.answer(output);
  if (answer.status === 'completed') return { ...rest, ...answer };
  const { code, message, details } = answer.error;
  return { ...run, status: answer.status, error: runError(code as `target.${string}`, message, { details }) };
}

/** Of who judges: nothing can be done any more. */
const noAccess: Access = { endpoints: {}, observed: () => false, unanswered: () => undefined, revoke: async () => {} };

function fromHost(target: Target): { [name: string]: string } {
  if (target.kind === 'command') return target.environmentFromHost;
  return target.kind === 'http' ? target.headersFromEnvironment : {};
}
