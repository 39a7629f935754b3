// Which actor of a world a name means: the one rule for files, the wire and the bindings.
//   PERSONA-1. A name with an instance means the actor with that id and that instance.
//   PERSONA-2. A name without one means the actor of that id that has none or, where only one actor has the id, that one.
//   PERSONA-3. Between namesakes nobody chooses: the name means none of them.
import type { ScenarioActor } from './scenario.js';

export interface ActorName {
  actorId: string;
  actorInstanceId?: string | undefined;
}

/** The actor that `name` means; undefined: none. */
export function resolveActor<T extends ActorName>(actors: readonly T[], { actorId, actorInstanceId }: ActorName): T | undefined {
  const namesakes = actors.filter((actor) => actor.actorId === actorId);
  const exact = namesakes.find((actor) => actor.actorInstanceId === actorInstanceId);
  return exact ?? (actorInstanceId === undefined && namesakes.length === 1 ? namesakes[0] : undefined);
}

/** As `resolveActor`, among the actors of a setup. */
export function resolvePersona(actors: readonly ScenarioActor[], name: ActorName): ScenarioActor | undefined {
  return resolveActor(actors.map(nameOf), name)?.actor;
}

/** Why `resolveActor` found none: the member of the name that is at fault, and a sentence without its stop. */
export function unresolvedActor(
  actors: readonly ActorName[],
  { actorId, actorInstanceId }: ActorName,
): { member: 'actorId' | 'actorInstanceId'; message: string } {
  const namesakes = actors.filter((actor) => actor.actorId === actorId);
  if (namesakes.length === 0) return { member: 'actorId', message: `there is no actor '${actorId}'` };
  const message =
    actorInstanceId === undefined
      ? `there are ${namesakes.length} actors '${actorId}'; say which instance`
      : `actor '${actorId}' has no instance '${actorInstanceId}'`;
  return { member: 'actorInstanceId', message };
}

/** As `unresolvedActor`, among the actors of a setup. */
export function unresolvedPersona(actors: readonly ScenarioActor[], name: ActorName): ReturnType<typeof unresolvedActor> {
  return unresolvedActor(actors.map(nameOf), name);
}

function nameOf(actor: ScenarioActor): ActorName & { actor: ScenarioActor } {
  return { actorId: actor.id, actorInstanceId: actor.instanceId, actor };
}
