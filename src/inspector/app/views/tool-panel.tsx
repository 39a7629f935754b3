// One tool: what it is, its operations with their schemas, the rows it starts with, its events, faults and routes.
import { isJsonObject, type JsonValue } from '../../../contract/json.js';
import type { ProjectView, ToolView } from '../../../contract/run/project-view.js';
import type { JsonSchema, ToolFault, ToolManifest, ToolOperation } from '../../../contract/world/tool-manifest.js';
import { virtualDuration } from '../../../text/virtual-time.js';
import { visibleLine } from '../../../text/visible-text.js';
import { ColumnHeads, counted, Fact, Identity, Json, Scroll, Short } from '../../../viewer/kit/parts.tsx';
import { schemaWord } from '../kit/schema-sample.ts';
import { routeHash } from '../state/route.ts';
import { DeclaredIn } from './declared-in.tsx';

export function ToolPanel({ tool, view }: { tool: ToolView; view: ProjectView }) {
  const { definition } = tool;
  return (
    <article class="panel" aria-label={tool.toolId}>
      <header class="panel-head">
        <h2>{definition.title ?? tool.toolId}</h2>
        <p class="row">
          <code class="word">
            {tool.toolId} {tool.version}
          </code>
          {tool.declarative && <span class="kind">declarative</span>}
          {tool.implementation.files.length > 0 && <a href={routeHash('source', [tool.toolId])}>Read its source</a>}
        </p>
      </header>
      {definition.description !== undefined && <p class="prose">{definition.description}</p>}
      <dl class="facts">
        <Fact name="May">{definition.capabilities.join(', ') || 'nothing'}</Fact>
        <DeclaredIn at={tool.provenance} />
      </dl>
      <Identity of={{ manifest: tool.manifestHash, artifact: tool.artifactHash }} />
      <h3>Operations</h3>
      {definition.operations.map((operation) => (
        <Operation key={operation.id} operation={operation} />
      ))}
      <Data tool={tool} view={view} />
      <Happenings definition={definition} />
    </article>
  );
}

function Operation({ operation }: { operation: ToolOperation }) {
  return (
    <details class="fold">
      <summary>
        <code>{operation.id}</code>
        <span class="quiet">{operation.description}</span>
      </summary>
      <div class="fold-body">
        <p class="quiet">
          Fidelity: {typeof operation.fidelity === 'string' ? operation.fidelity : JSON.stringify(operation.fidelity)}. Idempotency:{' '}
          {operation.idempotency}.
        </p>
        <h4>Takes</h4>
        <SchemaTable schema={operation.inputSchema} />
        <h4>Answers</h4>
        <SchemaTable schema={operation.outputSchema} />
        {(operation.declaredErrors ?? []).length > 0 && (
          <>
            <h4>May fail with</h4>
            <ul class="plain">
              {operation.declaredErrors?.map((error) => (
                <li key={error.code}>
                  <code class="word">{error.code}</code> {error.description}{' '}
                  {error.retryable === true && <span class="quiet">retryable</span>}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </details>
  );
}

/** An object's members as a table, anything else as the schema itself. */
export function SchemaTable({ schema }: { schema: JsonSchema }) {
  const members = isJsonObject(schema) && isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (members.length === 0)
    return isJsonObject(schema) && schema.type === 'object' ? (
      <p class="quiet">An empty object.</p>
    ) : (
      <Json value={schema} label="Schema" />
    );
  const required = isJsonObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  return (
    <Scroll label="Members" flat>
      <table class="schema">
        <ColumnHeads names={['Member', 'Type', 'Meaning']} />
        <tbody>
          {members.map(([name, member]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
                {required.includes(name) ? '' : <span class="quiet"> optional</span>}
              </th>
              <td>{schemaWord(member)}</td>
              <td>{isJsonObject(member) && typeof member.description === 'string' ? member.description : constraints(member)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function constraints(schema: JsonValue | undefined) {
  if (!isJsonObject(schema)) return '';
  const words = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'format']
    .filter((name) => schema[name] !== undefined)
    .map((name) => `${name} ${String(schema[name])}`);
  return <span class="quiet">{words.join(', ')}</span>;
}

function Data({ tool, view }: { tool: ToolView; view: ProjectView }) {
  const rows = (view.world?.state ?? []).filter((patch) => patch.packageId === tool.toolId);
  if (tool.definition.state.length === 0) return null;
  return (
    <>
      <h3>Data</h3>
      {tool.definition.state.map((space) => {
        const here = rows.filter((patch) => patch.namespace === space.namespace);
        return (
          <details key={space.namespace} class="fold">
            <summary>
              <code>{space.namespace}</code>
              <span class="quiet">
                {counted(here.length, 'row')} at the start{space.description === undefined ? '' : ` · ${space.description}`}
              </span>
            </summary>
            <div class="fold-body">
              {here.map((patch) => (
                <div key={patch.rowId + (patch.instanceId ?? '')} class="data-row">
                  <code>{visibleLine(patch.rowId)}</code>
                  {patch.action === 'upsert' ? <Short value={patch.value} max={400} /> : <span class="quiet">deleted</span>}
                </div>
              ))}
              <h4>Schema of a row</h4>
              <SchemaTable schema={space.schema} />
            </div>
          </details>
        );
      })}
    </>
  );
}

function Happenings({ definition }: { definition: ToolManifest }) {
  return (
    <>
      {definition.faults.length > 0 && <h3>Faults it knows</h3>}
      {definition.faults.map((fault) => (
        <p key={fault.id} class="line">
          <code class="word fault">{fault.id}</code> {fault.description} <span class="quiet">{faultWords(fault)}</span>
        </p>
      ))}
      {definition.events.length > 0 && <h3>Events</h3>}
      {definition.events.map((event) => (
        <p key={event.id} class="line">
          <code class="word">{event.id}</code> {event.description}
        </p>
      ))}
      {definition.subscriptions.length > 0 && <h3>Listens to</h3>}
      {definition.subscriptions.map((subscription) => (
        <p key={subscription.id} class="line">
          <code class="word">
            {subscription.event.packageId}.{subscription.event.eventId}
          </code>
        </p>
      ))}
      {definition.http.length > 0 && <h3>HTTP routes</h3>}
      {definition.http.map((route) => (
        <p key={route.id} class="line">
          <code class="word">
            {route.method} {route.path}
          </code>{' '}
          <span class="quiet">{route.operationId}</span>
        </p>
      ))}
    </>
  );
}

function faultWords(fault: ToolFault): string {
  const words = [`${fault.timing.replace('_', ' ')} ${fault.appliesTo.join(', ')}`];
  if (fault.latencyUs !== undefined) words.push(virtualDuration(fault.latencyUs));
  if (fault.rate !== undefined) words.push(`at a rate of ${fault.rate}`);
  if (fault.times !== undefined) words.push(`${fault.times} times at most`);
  if (fault.everyNth !== undefined) words.push(`every ${fault.everyNth}th call`);
  return words.join(', ');
}
