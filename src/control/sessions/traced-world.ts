// A world whose messages are spans: their kind and, of a call, the tool's operation. Neither arguments nor answers, and nothing goes to the
// world.
import type { AdvanceProgress, WorldAnswers, WorldCommand, WorldQuery } from '../../contract/world/world-protocol.js';
import type { SpanAttributes, SpanStart, Tracing } from '../../tracing/tracing.js';
import type { ForkWorld, SendOptions, WorldRef } from '../../worlds/api.js';
import { WorldView } from '../../worlds/world-view.js';

/** The world as it is where there are no traces. */
export function tracedWorld(world: WorldRef, tracing: Tracing | undefined): WorldRef {
  return tracing === undefined ? world : new TracedWorld(world, tracing);
}

class TracedWorld extends WorldView {
  readonly #tracing: Tracing;

  constructor(world: WorldRef, tracing: Tracing) {
    super(world);
    this.#tracing = tracing;
  }

  override command<C extends WorldCommand>(command: C, options?: SendOptions<AdvanceProgress>): Promise<WorldAnswers[C['kind']]> {
    return this.#tracing.span(this.#start(command.kind, calledOf(command)), async (span) => {
      const answer = await this.world.command(command, options);
      const outcome = command.kind === 'call' ? (answer as WorldAnswers['call']).outcome.kind : undefined;
      if (outcome !== undefined) span.set({ 'drillyard.outcome': outcome });
      return answer;
    });
  }
  override query<Q extends WorldQuery>(query: Q): Promise<WorldAnswers[Q['kind']]> {
    return this.#tracing.span(this.#start(`query.${query.kind}`), () => this.world.query(query));
  }
  override fork(request: ForkWorld): ReturnType<WorldRef['fork']> {
    return this.#tracing.span(this.#start('fork'), () => this.world.fork(request));
  }
  override destroy(): Promise<void> {
    return this.#tracing.span(this.#start('destroy'), () => this.world.destroy());
  }

  #start(kind: string, attributes: SpanAttributes = {}): SpanStart {
    return { name: `world ${kind}`, attributes: { 'drillyard.session.id': this.worldId, ...attributes } };
  }
}

function calledOf(command: WorldCommand): SpanAttributes {
  switch (command.kind) {
    case 'call':
      return { 'drillyard.tool.package': command.packageId, 'drillyard.tool.operation': command.operationId };
    case 'callRoute':
      return { 'drillyard.tool.package': command.packageId, 'drillyard.tool.route': command.request.routeId };
    default:
      return {};
  }
}
