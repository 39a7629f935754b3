// The least an actor can be: a reply to every command and an empty write set, so that what bench/actors.ts measures is the port.
import type { Actor, ActorKind } from '../src/actors/definition.js';

export function createActorKind(): ActorKind {
  return {
    activate: () => new Echo(),
    commit: async (writeSets) => writeSets.map(() => undefined),
    control: () => undefined,
    close: async () => {},
  };
}

class Echo implements Actor {
  #changes = 0;

  // biome-ignore lint/correctness/useYield: a command that fits one slice never yields.
  *command(message: unknown): Generator<undefined, unknown> {
    this.#changes++;
    return { kind: (message as { kind: string }).kind, sequence: this.#changes };
  }
  query(): { reply: unknown } {
    return { reply: this.#changes };
  }
  takeWriteSet(): unknown {
    const taken = this.#changes === 0 ? undefined : { changes: this.#changes };
    this.#changes = 0;
    return taken;
  }
  pendingCount(): number {
    return this.#changes;
  }
  idle(): boolean {
    return false;
  }
  passivate(): void {}
}
