// Another holder's view of a world: the same world, but for what a subclass does with its messages.
import type { AdvanceProgress, WorldAnswers, WorldCommand, WorldQuery } from '../contract/world/world-protocol.js';
import type { ForkWorld, SendOptions, WorldRef } from './api.js';

export class WorldView implements WorldRef {
  protected readonly world: WorldRef;

  constructor(world: WorldRef) {
    this.world = world;
  }

  get worldId(): string {
    return this.world.worldId;
  }
  get worldInstanceId(): string {
    return this.world.worldInstanceId;
  }
  command<C extends WorldCommand>(command: C, options?: SendOptions<AdvanceProgress>): Promise<WorldAnswers[C['kind']]> {
    return this.world.command(command, options);
  }
  query<Q extends WorldQuery>(query: Q): Promise<WorldAnswers[Q['kind']]> {
    return this.world.query(query);
  }
  fork(request: ForkWorld): ReturnType<WorldRef['fork']> {
    return this.world.fork(request);
  }
  passivate(): Promise<void> {
    return this.world.passivate();
  }
  destroy(): Promise<void> {
    return this.world.destroy();
  }
}
