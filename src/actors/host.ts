// One incarnation of a host, inside its thread or process: loads the kind, runs the loop, answers the control path.
import { memoryUsage } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { runCritical } from '../async/critical-section.js';
import { defined } from '../contract/defined.js';
import { type ErrorFrame, errorToFrame, invariant, ServiceError } from '../contract/errors.js';
import { importModule } from '../loading/own-code.js';
import { ownThreadNumber } from '../processes/processor-wait.js';
import { type BoardPage, BoardWriter, hostWorkSlot, monotonicMs, useSectionOf } from './board.js';
import type { ActorKind, CreateActorKind, HostFacts } from './definition.js';
import { type Envelope, readAnswers } from './frames.js';
import { HostAsks } from './host-asks.js';
import { HostLoop } from './host-loop.js';
import { type Answer, answer, type HostControl, type HostFigures, type HostSetup, type LoadedHost } from './host-port.js';
import { MailOutbox } from './outbox.js';
import { tuning } from './tuning.js';

export class Host implements HostControl {
  readonly #setup: HostSetup;
  readonly #board: BoardWriter;
  readonly #outbox: MailOutbox;
  readonly #asks: HostAsks;
  #kind: ActorKind | undefined;
  #loop: HostLoop | undefined;
  #sweep: NodeJS.Timeout | undefined;

  constructor(setup: HostSetup, page: BoardPage, post: (envelope: Envelope) => void) {
    this.#setup = setup;
    this.#board = new BoardWriter(page);
    useSectionOf(page);
    this.#outbox = new MailOutbox(post, (number, cause) => this.#asks.unsent(number, cause));
    this.#asks = new HostAsks({
      mayAsk: setup.mayAsk,
      asText: setup.isolation === 'process',
      send: (number, request) => this.#outbox.ask(number, request),
    });
  }

  receive(envelope: Envelope): void {
    const isRead = readAnswers(envelope, (number, answered) => this.#asks.answered(number, answered as Answer));
    if (!isRead) this.#live().loop.receive(envelope);
  }

  load(): Promise<Answer> {
    const unloadable = (cause: unknown): ErrorFrame => {
      this.#outbox.bug('', cause);
      return errorToFrame(new ServiceError('control.INTERNAL', { message: `A host could not load its kind: ${cause}` }));
    };
    return answer(async () => {
      const { moduleHref, hostOptions, index, isolation, idlePassivationMs, actorsInMemoryMax } = this.#setup;
      const facts: HostFacts = {
        index,
        isolation,
        wantsIdle: (actorId) => this.#loop?.wantsIdle(actorId),
        ask: (request) => this.#asks.ask(request),
        dismiss: (actors, how) => this.#live().loop.dismiss(actors, how),
      };
      const { createActorKind } = (await importModule(moduleHref)) as { createActorKind: CreateActorKind };
      this.#kind = await createActorKind(hostOptions, facts);
      const loop = new HostLoop({ kind: this.#kind, board: this.#board, outbox: this.#outbox, actorsInMemoryMax });
      this.#loop = loop;
      this.#sweep = setInterval(
        () => loop.passivateUnused(monotonicMs() - idlePassivationMs),
        Math.max(1, idlePassivationMs / tuning.sweepsPerIdleTime),
      );
      return defined({ thread: ownThreadNumber() }) satisfies LoadedHost;
    }, unloadable);
  }

  control(request: unknown): Promise<Answer> {
    return this.#answer(() => {
      const { kind } = this.#live();
      this.#board.begin(hostWorkSlot, 0, monotonicMs());
      try {
        return runCritical(() => kind.control(request));
      } finally {
        this.#board.rest();
      }
    });
  }

  passivate(actorId: string): Promise<Answer> {
    return this.#answer(() => this.#live().loop.passivate(actorId));
  }

  async figures(): Promise<HostFigures> {
    const { loop } = this.#live();
    const { commits, writeSets } = loop.commit;
    return { actorsLive: loop.actorsLive, commits, writeSets, activations: loop.stepper.activations, residentBytes: this.#residentBytes() };
  }

  stop(graceMs: number, messages: number): Promise<Answer> {
    return this.#answer(async () => {
      const { loop, kind } = this.#live();
      clearInterval(this.#sweep);
      await loop.stop(graceMs, messages);
      // The host's own work, as long as it takes.
      this.#board.begin(hostWorkSlot, 0, monotonicMs());
      await runCritical(() => kind.close());
    });
  }

  #live(): { kind: ActorKind; loop: HostLoop } {
    invariant(this.#kind && this.#loop, 'a host is loaded before anything is asked of it');
    return { kind: this.#kind, loop: this.#loop };
  }

  /** A bug on the control path is logged here, where its stack is. */
  #answer(work: () => unknown): Promise<Answer> {
    return answer(work, (error) => this.#outbox.bug('', error));
  }

  #residentBytes(): number {
    if (this.#setup.isolation === 'process') return memoryUsage.rss();
    const heap = getHeapStatistics();
    return heap.total_physical_size + heap.external_memory;
  }
}
