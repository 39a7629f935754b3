// A tool called by hand: as whom, which operation, with which arguments; and what it answered.
import { useState } from 'preact/hooks';
import { defined } from '../../../contract/defined.js';
import type { WorldCallReply, WorldCallRequest } from '../../../contract/inspector/worlds.js';
import { isJsonObject, type JsonValue } from '../../../contract/json.js';
import type { OutcomeError } from '../../../contract/outcome-error.js';
import type { ActorView, ToolCatalogItem } from '../../../contract/world/world-protocol.js';
import { visibleText } from '../../../text/visible-text.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { Json, Problem, Status } from '../../../viewer/kit/parts.tsx';
import { sampleOf } from '../kit/schema-sample.ts';
import { parseJson } from '../state/client.ts';
import { isOffline } from '../state/live.tsx';
import { client } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';
import { SchemaTable } from './tool-panel.tsx';

const actorKey = ({ actorId, actorInstanceId }: Pick<ActorView, 'actorId' | 'actorInstanceId'>): string =>
  actorInstanceId === undefined ? actorId : `${actorId}@${actorInstanceId}`;
const toolKey = (tool: ToolCatalogItem): string => `${tool.instanceId}.${tool.operationId}`;

interface CallFormProps {
  worldId: string;
  /** How often its journal has begun again: what was answered before has no number in it. */
  resets: number;
  /** What it is filled in with. */
  first?: WorldCallRequest | undefined;
  onCalled: (reply: WorldCallReply) => void;
}

export function CallForm(props: CallFormProps) {
  const { worldId, first } = props;
  const actors = useLoad(`actors ${worldId}`, async () => (await client.call('listWorldActors', { path: { worldId } })).actors);
  const [chosen, setChosen] = useState(first === undefined ? '' : actorKey(first));
  return (
    <section class="card call" aria-label="Call an operation">
      <Await of={actors} what="the actors" lines={4}>
        {(list) => {
          const actor = list.find((one) => actorKey(one) === chosen) ?? list[0];
          if (actor === undefined) return <Empty title="No actors">This world has no actors, and only actors call tools.</Empty>;
          return (
            <>
              <label class="field">
                As
                <select value={actorKey(actor)} onChange={(event) => setChosen(event.currentTarget.value)}>
                  {list.map((one) => (
                    <option key={actorKey(one)} value={actorKey(one)}>
                      {actorKey(one)}
                    </option>
                  ))}
                </select>
              </label>
              <OperationOf key={actorKey(actor)} {...props} actor={actor} />
            </>
          );
        }}
      </Await>
    </section>
  );
}

function OperationOf({ actor, ...props }: CallFormProps & { actor: ActorView }) {
  const { worldId, first } = props;
  const query = { actorId: actor.actorId, ...defined({ actorInstanceId: actor.actorInstanceId }) };
  const tools = useLoad(
    `tools ${worldId} ${actorKey(actor)}`,
    async () => (await client.call('listWorldTools', { path: { worldId }, query })).tools,
  );
  const [chosen, setChosen] = useState(first === undefined ? '' : `${first.instanceId ?? first.packageId}.${first.operationId}`);
  return (
    <Await of={tools} what="what it may call" lines={4}>
      {(list) => {
        const tool = list.find((one) => toolKey(one) === chosen) ?? list[0];
        if (tool === undefined) return <p class="quiet">{actor.actorId} may not call anything.</p>;
        return (
          <>
            <label class="field">
              Calls
              <select value={toolKey(tool)} onChange={(event) => setChosen(event.currentTarget.value)}>
                {list.map((one) => (
                  <option key={toolKey(one)} value={toolKey(one)}>
                    {toolKey(one)}
                  </option>
                ))}
              </select>
            </label>
            {tool.description !== undefined && <p class="quiet">{tool.description}</p>}
            <Arguments
              key={toolKey(tool)}
              {...props}
              actor={query}
              tool={tool}
              first={
                first !== undefined && toolKey(tool) === `${first.instanceId ?? first.packageId}.${first.operationId}` ? first : undefined
              }
            />
          </>
        );
      }}
    </Await>
  );
}

interface ArgumentsProps extends CallFormProps {
  actor: { actorId: string; actorInstanceId?: string };
  tool: ToolCatalogItem;
}

function sendOnEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
}

function Arguments({ worldId, resets, actor, tool, first, onCalled }: ArgumentsProps) {
  const [text, setText] = useState(() => JSON.stringify(first === undefined ? sampleOf(tool.inputSchema) : first.arguments, null, 2));
  const [answer, setAnswer] = useState<WorldCallReply | undefined>();
  const { busy, problem, run } = useBusy();
  const call = async (key: string): Promise<void> => {
    const parsed = parseJson(text);
    if ('problem' in parsed) throw new Error(`The arguments are not JSON: ${parsed.problem}`);
    const { packageId, instanceId, operationId } = tool;
    const body = {
      ...actor,
      packageId,
      instanceId,
      operationId,
      arguments: parsed.value,
      ...(key === '' ? {} : { idempotencyKey: key }),
    };
    const reply = await client.call('callWorld', { path: { worldId }, body });
    setAnswer(reply);
    onCalled(reply);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget as HTMLFormElement).get('key') ?? '').trim();
    run(() => call(key));
  };
  return (
    <form onSubmit={submit}>
      <label class="field">
        With
        <textarea
          rows={Math.min(Math.max(text.split('\n').length, 4), 12)}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={sendOnEnter}
        />
      </label>
      <div class="row">
        {tool.idempotency !== 'none' && (
          <label class="field grow">
            Idempotency key {tool.idempotency === 'required' ? '' : '(optional)'}
            <input
              name="key"
              defaultValue={first?.idempotencyKey ?? ''}
              required={tool.idempotency === 'required'}
              autocomplete="off"
              spellcheck={false}
            />
          </label>
        )}
        <button type="submit" class="primary" aria-disabled={busy} disabled={isOffline.value}>
          {busy ? 'Calling…' : 'Call'}
        </button>
      </div>
      <Problem text={problem} />
      {answer?.world.resets === resets && <Answer answer={answer.result} />}
      <details>
        <summary>What it takes</summary>
        <SchemaTable schema={tool.inputSchema as never} />
      </details>
    </form>
  );
}

/** The message as text, and what is wrong with which argument as a list. */
function Refusal({ error: { code, message, details } }: { error: OutcomeError }) {
  const issues = issuesIn(details);
  return (
    <>
      <p class="refusal">
        <code class="word">{code}</code> {visibleText(message)}
      </p>
      {issues.length > 0 && (
        <ul class="issues">
          {issues.map((issue) => (
            <li key={issue.path + issue.message}>
              <code>{issue.path === '' ? '(arguments)' : issue.path}</code> {visibleText(issue.message)}
            </li>
          ))}
        </ul>
      )}
      {details !== undefined && issues.length === 0 && <Json value={details} label="Details" />}
    </>
  );
}

interface ArgumentIssue {
  path: string;
  message: string;
}

function issuesIn(details: JsonValue | undefined): ArgumentIssue[] {
  const listed = isJsonObject(details) && Array.isArray(details.issues) ? details.issues : [];
  return listed.flatMap((one) =>
    isJsonObject(one) && typeof one.message === 'string' ? [{ path: String(one.path ?? ''), message: one.message }] : [],
  );
}

function Answer({ answer: { outcome, sequence } }: { answer: WorldCallReply['result'] }) {
  return (
    <div class="answer" role="status">
      <p class="row">
        <Status value={outcome.kind === 'ok' ? 'completed' : outcome.kind} />
        <span class="quiet">entry #{sequence}</span>
      </p>
      {outcome.kind === 'ok' ? <Json value={outcome.value} label="Answer" /> : <Refusal error={outcome.error} />}
    </div>
  );
}
