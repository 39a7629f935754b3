// The agents of one runDrills call: a runner for each attempt, and what they share: module hosts and bundles.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleTarget, Target } from '../../contract/target.js';
import type { TargetModule } from '../../contract/target-invocation.js';
import { commandTarget } from './command-target.js';
import { externalTarget } from './external-target.js';
import { type Bundle, bundleModule } from './module-bundle.js';
import { ModuleHosts } from './module-hosts.js';
import { moduleTarget } from './module-target.js';
import type { TargetRunner } from './target-run.js';

export interface TargetsOptions {
  root: string;
  isolation: 'thread' | 'process';
  /** Environment prefixes of compatible runners. */
  prefixes: readonly string[];
  /** Of `external` targets. */
  agent?: TargetModule;
}

export class Targets {
  readonly #options: TargetsOptions;
  readonly #hosts: ModuleHosts;
  readonly #bundles = new Map<string, Promise<Bundle>>();
  #bundleDirectory: string | undefined;

  constructor(options: TargetsOptions) {
    this.#options = options;
    this.#hosts = new ModuleHosts(options.isolation);
  }

  /** For a target that the plan did not refuse. */
  runnerFor(target: Target): TargetRunner {
    if (target.kind === 'module') return moduleTarget(target, { hosts: this.#hosts, bundle: this.#bundle(target) });
    if (target.kind === 'command') return commandTarget(target, this.#options);
    if (target.kind === 'external' && this.#options.agent !== undefined) return externalTarget(this.#options.agent);
    throw new Error(`the plan refuses ${target.kind} targets`);
  }

  async close(): Promise<void> {
    await this.#hosts.close();
    if (this.#bundleDirectory !== undefined) await rm(this.#bundleDirectory, { recursive: true, force: true });
  }

  #bundle({ module }: ModuleTarget): Promise<Bundle> {
    let bundle = this.#bundles.get(module);
    if (bundle === undefined) {
      this.#bundleDirectory ??= mkdtempSync(join(tmpdir(), 'drillyard-targets-'));
      bundle = bundleModule({ root: this.#options.root, module, directory: this.#bundleDirectory });
      this.#bundles.set(module, bundle);
    }
    return bundle;
  }
}
