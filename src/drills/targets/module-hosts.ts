// The module hosts of one runDrills call. A thread costs about 30 ms to start, and its first `fetch` about 80 ms of a processor, so it
// serves one attempt after another: its module is loaded again for each, and it is reused only while nothing of the last attempt runs in
// it. A process serves one attempt.
import { limits } from '../../contract/limits.js';
import { type ModuleHost, startModuleHost } from './module-host.js';

export class ModuleHosts {
  readonly #isolation: 'thread' | 'process';
  readonly #idle: ModuleHost[] = [];
  readonly #all = new Set<ModuleHost>();
  #incarnations = 0;

  constructor(isolation: 'thread' | 'process') {
    this.#isolation = isolation;
  }

  /** A host that loads meanwhile what every target needs. */
  prepare(): void {
    this.#idle.push(this.#start());
  }

  /** A host and the number of the incarnation it begins. */
  acquire(): { host: ModuleHost; incarnation: number } {
    const host = this.#idle.pop() ?? this.#start();
    host.incarnations += 1;
    return { host, incarnation: ++this.#incarnations };
  }

  /** After an attempt in which nothing was cut off. */
  async release(host: ModuleHost): Promise<void> {
    const reusable = this.#isolation === 'thread' && host.incarnations < limits.moduleHostLivesMax && (await endIncarnation(host));
    if (reusable) this.#idle.push(host);
    else await this.discard(host);
  }

  async discard(host: ModuleHost): Promise<void> {
    host.listen(undefined);
    this.#all.delete(host);
    await host.kill();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((host) => this.discard(host)));
  }

  #start(): ModuleHost {
    const host = startModuleHost(this.#isolation);
    this.#all.add(host);
    return host;
  }
}

/** Whether the host came to rest. One that does not answer soon is busy. */
async function endIncarnation(host: ModuleHost): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), limits.moduleAbortGraceMs);
    const settle = (idle: boolean): void => {
      clearTimeout(timer);
      host.listen(undefined);
      resolve(idle);
    };
    host.listen({
      message: (message) => {
        if (message.kind === 'lifeEnded') settle(message.idle);
        else if (message.kind === 'failed') settle(false);
      },
      ended: () => settle(false),
    });
    host.post({ kind: 'endIncarnation' });
  });
}
