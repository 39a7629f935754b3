// Pieces that several views of the project share: the list to choose from, and an actor.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ScenarioActor } from '../../../contract/world/scenario.js';
import { counted, Fact, Short } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { go } from '../state/session.tsx';

export interface ChooserItem {
  id: string;
  title: string;
  note?: ComponentChildren;
  /** The heading it stands under. */
  group?: string;
  /** A verdict, as a dot before it. */
  mark?: string;
}
interface ChooserProps {
  label: string;
  items: ChooserItem[];
  chosen: string;
  hash: (id: string) => string;
  /** With a field that narrows a long list. */
  canFilter?: boolean;
}

/** The list at the left of a split; on a narrow screen a select takes its place. */
export function Chooser({ label, items, chosen, hash, canFilter = false }: ChooserProps) {
  const [text, setText] = useState('');
  const words = text.trim().toLowerCase();
  const shown = items.filter(({ id, title }) => `${id} ${title}`.toLowerCase().includes(words));
  const groups = [...Map.groupBy(shown, ({ group = '' }) => group)];
  return (
    <nav class="chooser" aria-label={label}>
      <select class="narrow-only" aria-label={label} value={chosen} onChange={(event) => go(hash(event.currentTarget.value))}>
        {!items.some(({ id }) => id === chosen) && <option value={chosen}>Choose…</option>}
        {items.map((item) => (
          <option key={item.id} value={item.id}>
            {item.group === undefined || groups.length < 2 ? item.title : `${item.group}: ${item.title}`}
          </option>
        ))}
      </select>
      {canFilter && items.length >= tuning.filterFromItems && (
        <input
          class="wide-only"
          type="search"
          placeholder="Filter…"
          aria-label={`Filter ${label.toLowerCase()}`}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      {groups.map(([group, members]) => (
        <div key={group} class="wide-only chooser-group">
          {group !== '' && <h2 class="h4">{group}</h2>}
          {members.map((item) => (
            <a key={item.id} href={hash(item.id)} aria-current={item.id === chosen ? 'true' : undefined}>
              <strong>
                {item.mark !== undefined && <Dot verdict={item.mark} />}
                {item.title}
              </strong>
              {item.note !== undefined && <small>{item.note}</small>}
            </a>
          ))}
        </div>
      ))}
      {shown.length === 0 && <p class="wide-only quiet">None matches.</p>}
    </nav>
  );
}

function Dot({ verdict }: { verdict: string }) {
  if (verdict === 'none') return <span class="dot" aria-hidden="true" />;
  return <span class={`dot ${verdict}`} role="img" aria-label={`last run ${verdict}`} />;
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
