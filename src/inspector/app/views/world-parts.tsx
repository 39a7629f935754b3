// Pieces that several views of the project share: the list to choose from, and an actor.
import type { ComponentChildren } from 'preact';
import type { ScenarioActor } from '../../../contract/world/scenario.js';
import { counted, Fact, Short } from '../../../viewer/kit/parts.tsx';
import { go } from '../state/session.tsx';

/** The list at the left of a split; on a narrow screen a select takes its place. */
export function Chooser(props: {
  label: string;
  items: { id: string; title: string; note?: ComponentChildren }[];
  chosen: string;
  hash: (id: string) => string;
}) {
  return (
    <nav class="chooser" aria-label={props.label}>
      <select
        class="narrow-only"
        aria-label={props.label}
        value={props.chosen}
        onChange={(event) => go(props.hash(event.currentTarget.value))}
      >
        {props.items.map((item) => (
          <option key={item.id} value={item.id}>
            {item.title}
          </option>
        ))}
      </select>
      {props.items.map((item) => (
        <a key={item.id} class="wide-only" href={props.hash(item.id)} aria-current={item.id === props.chosen ? 'true' : undefined}>
          <strong>{item.title}</strong>
          {item.note !== undefined && <small>{item.note}</small>}
        </a>
      ))}
    </nav>
  );
}

export function ActorCard({ actor }: { actor: ScenarioActor }) {
  const packages = Map.groupBy(actor.grants, (grant) =>
    grant.instanceId === undefined ? grant.packageId : `${grant.packageId}@${grant.instanceId}`,
  );
  return (
    <article class="card">
      <header>
        <h2 class="h3">{actor.instanceId === undefined ? actor.id : `${actor.id}@${actor.instanceId}`}</h2>
        <span class="quiet">{counted(actor.grants.length, 'grant')}</span>
      </header>
      {actor.description !== undefined && <p>{actor.description}</p>}
      {Object.keys(actor.attributes).length > 0 && (
        <dl class="facts">
          {Object.entries(actor.attributes).map(([name, value]) => (
            <Fact key={name} name={name}>
              <Short value={value} />
            </Fact>
          ))}
        </dl>
      )}
      {[...packages].map(([name, grants]) => (
        <div key={name} class="grants">
          <h3 class="h4">{name}</h3>
          <p class="words">
            {grants.map((grant) => (
              <code key={grant.operationId} class="word">
                {grant.operationId}
              </code>
            ))}
          </p>
        </div>
      ))}
      {packages.size === 0 && <p class="quiet">May not call anything.</p>}
    </article>
  );
}
