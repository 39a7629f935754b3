// A run, or a world to play with, saved as a drill or a scenario: the files with what they would change, and written after a second look.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RecordingReply, RecordingRequest } from '../../../contract/inspector/recordings.js';
import type { RecordedFile, Recording, RecordingPin } from '../../../contract/run/recording.js';
import { visibleText } from '../../../text/visible-text.js';
import { Await, type LoadState, useLoad } from '../../../viewer/kit/loading.tsx';
import { Copy, counted, Problem } from '../../../viewer/kit/parts.tsx';
import { TitledDialog } from '../kit/dialog.tsx';
import { isOffline } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';

export type RecordedThing = { runId: string; targetId: string } | { worldId: string };
type As = RecordingRequest['as'];

/** `name`: what the id of a file begins with. */
export function RecordActions({ of, name }: { of: RecordedThing; name: string }) {
  const [as, setAs] = useState<As | undefined>();
  return (
    <>
      <button type="button" disabled={isOffline.value} onClick={() => setAs('scenario')}>
        Save as scenario
      </button>
      <button type="button" disabled={isOffline.value} onClick={() => setAs('drill')}>
        Save as drill
      </button>
      {as !== undefined && <RecordDialog key={as} of={of} name={name} as={as} onClose={() => setAs(undefined)} />}
    </>
  );
}

const ask = (of: RecordedThing, body: RecordingRequest): Promise<RecordingReply> =>
  'runId' in of
    ? client.call('recordRun', { path: { runId: of.runId }, body })
    : client.call('recordWorld', { path: { worldId: of.worldId }, body });

const reloadSource = (): void => void client.call('refresh', { body: {} }).catch(() => undefined);

interface DialogProps {
  of: RecordedThing;
  name: string;
  as: As;
  onClose: () => void;
}

function RecordDialog({ of, name, as, onClose }: DialogProps) {
  const [id, setId] = useState(`${name}-recorded`);
  const [targetId, setTargetId] = useState('');
  const [pins, setPins] = useState<readonly string[]>([]);
  const [written, setWritten] = useState<Recording | undefined>();
  const request: RecordingRequest = {
    as,
    id,
    ...(as === 'drill' && targetId !== '' ? { targetId } : {}),
    ...(as === 'drill' && pins.length > 0 ? { pins: pins.map((pin) => JSON.parse(pin) as RecordingPin) } : {}),
  };
  const loaded = useLoad(`record ${JSON.stringify([of, request])}`, async () => (await ask(of, request)).recording);
  const state = useRef({ isWritten: false, isClosed: false });
  const write = async (recording: Recording, replace: boolean): Promise<void> => {
    await ask(of, { ...request, write: { digest: recording.digest, replace } });
    setWritten(recording);
    state.current.isWritten = true;
    if (state.current.isClosed) reloadSource();
  };
  // When it is read, as the views are made again; while a drill runs the source stays as it was loaded. A step back takes it away, too.
  useEffect(
    () => () => {
      state.current.isClosed = true;
      if (state.current.isWritten) reloadSource();
    },
    [],
  );
  return (
    <TitledDialog class="record" label={as === 'drill' ? 'Save as drill' : 'Save as scenario'} onClose={onClose}>
      {written !== undefined ? (
        <Written recording={written} as={as} id={id} onLeave={onClose} />
      ) : (
        <>
          <div class="row fields">
            <label class="field grow">
              Id
              <input
                value={id}
                autofocus
                spellcheck={false}
                autocomplete="off"
                onChange={(event) => setId(event.currentTarget.value.trim())}
              />
            </label>
            {as === 'drill' && 'runId' in of && (
              <label class="field grow">
                Played by
                <select value={targetId} onChange={(event) => setTargetId(event.currentTarget.value)}>
                  <option value="">The recorded calls</option>
                  <option value={of.targetId}>{of.targetId}</option>
                </select>
              </label>
            )}
          </div>
          <Preview loaded={loaded} as={as} pins={pins} onPins={setPins} write={write} />
        </>
      )}
    </TitledDialog>
  );
}

interface PreviewProps {
  loaded: LoadState<Recording>;
  as: As;
  pins: readonly string[];
  onPins: (pins: readonly string[]) => void;
  write: (recording: Recording, replace: boolean) => Promise<void>;
}

function Preview({ loaded, as, pins, onPins, write }: PreviewProps) {
  if (loaded.error !== undefined) return <Problem text={loaded.error.message} />;
  return (
    <Await of={loaded} what="the recording">
      {(recording) => (
        <>
          {recording.notes.map((note) => (
            <p key={note} class="notice">
              {note}
            </p>
          ))}
          {as === 'drill' && <Pins recording={recording} chosen={pins} onChoose={onPins} />}
          {recording.files.map((file) => (
            <FileDiff key={file.path} file={file} />
          ))}
          <WriteActions key={recording.digest} recording={recording} write={write} />
        </>
      )}
    </Await>
  );
}

function Pins({ recording, chosen, onChoose }: { recording: Recording; chosen: readonly string[]; onChoose: PreviewProps['onPins'] }) {
  return (
    <details>
      <summary>
        {chosen.length === 0
          ? 'Held to every row that changed; pin single rows, calls and events instead'
          : `Held to ${counted(chosen.length, 'pin')}`}
      </summary>
      <ul class="plain pins">
        {recording.candidates.map(({ pin, text }) => {
          const key = JSON.stringify(pin);
          return (
            <li key={key}>
              <label class="toggle">
                <input
                  type="checkbox"
                  checked={chosen.includes(key)}
                  onChange={(event) => onChoose(event.currentTarget.checked ? [...chosen, key] : chosen.filter((other) => other !== key))}
                />
                {pin.kind === 'entry' && <span class="quiet">#{pin.sequence}</span>} <span>{visibleText(text)}</span>
              </label>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

const states = { new: 'new', same: 'as it is', differs: 'replaces what is there' };

function FileDiff({ file: { path, text, state, diff } }: { file: RecordedFile }) {
  return (
    <section class="file-diff">
      <p class="row">
        <code class="grow">{path}</code>
        <span class={state === 'differs' ? 'bad-text' : 'quiet'}>{states[state]}</span>
        <Copy text={text} label={path} />
      </p>
      <pre tabIndex={0} role="group" aria-label={`Changes of ${path}`}>
        {(state === 'same' ? text.trimEnd() : diff).split('\n').map((line, index) => (
          <span key={index} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}>
            {`${visibleText(line)}\n`}
          </span>
        ))}
      </pre>
    </section>
  );
}

/** Asked twice: the second time with the names of the files. */
function WriteActions({ recording, write }: { recording: Recording; write: PreviewProps['write'] }) {
  const [isAsked, setIsAsked] = useState(false);
  const { busy, problem, run } = useBusy();
  const changing = recording.files.filter(({ state }) => state !== 'same');
  const replaced = changing.filter(({ state }) => state === 'differs').map(({ path }) => path);
  return (
    <footer class="record-actions">
      <Problem text={problem} />
      {isAsked && (
        <p>
          {replaced.length > 0 ? `This replaces ${replaced.join(', ')}. ` : ''}
          {changing.map(({ path }) => path).join(', ')}
        </p>
      )}
      {changing.length === 0 ? (
        <p class="quiet">The repository has these files.</p>
      ) : isAsked ? (
        <button type="button" class="primary" aria-disabled={busy} onClick={() => run(() => write(recording, replaced.length > 0))}>
          {replaced.length > 0 ? 'Replace and write' : 'Write'} {counted(changing.length, 'file')}
        </button>
      ) : (
        <button type="button" class="primary" onClick={() => setIsAsked(true)}>
          Write into the repository…
        </button>
      )}
    </footer>
  );
}

function Written({ recording, as, id, onLeave }: { recording: Recording; as: As; id: string; onLeave: () => void }) {
  const [href, text] = as === 'drill' ? [routeHash('drills', [id]), `Run ${id}`] : [routeHash('world', ['scenarios', id]), `Look at ${id}`];
  return (
    <div role="status">
      <p>Written: {recording.files.map(({ path }) => path).join(', ')}.</p>
      <p>
        <a href={href} onClick={onLeave}>
          {text}
        </a>
      </p>
    </div>
  );
}
