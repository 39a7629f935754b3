// Runs of the past once more, with a choice of seeds: the same, fresh ones, some that are named, and again and again until it fails.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { defined } from '../../../contract/defined.js';
import type { InspectorStartRunRequest } from '../../../contract/inspector/runs.js';
import { isSeed } from '../../../contract/seed-text.js';
import { counted, Problem } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { TitledDialog } from '../kit/dialog.tsx';
import { isOffline, noteRequest } from '../state/live.tsx';
import { client, pageWatch } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';

interface RerunDialogProps {
  title: string;
  what: Pick<InspectorStartRunRequest, 'repeatOf' | 'failedOf'>;
  /** Of the run, or of the command, that is played again. */
  seed: string;
  onClose: () => void;
  onStarted?: () => void;
}

type Choice = 'same' | 'fresh' | 'chosen';

export function RerunDialog({ title, what, seed, onClose, onStarted }: RerunDialogProps) {
  const [choice, setChoice] = useState<Choice>('fresh');
  const [untilFails, setUntilFails] = useState(false);
  const { busy, problem, run } = useBusy();
  // Closed while it starts, it closes no other that was opened since.
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const start = async (given: FormData): Promise<void> => {
    const isHere = pageWatch();
    const rounds = untilFails ? { untilFailed: Number(given.get('rounds')) } : {};
    for (const chosen of seedsOf(choice, given)) {
      const body = { ...what, ...defined({ seed: chosen }), ...rounds };
      noteRequest((await client.call('startRun', { body })).request);
    }
    if (isOpen.current) onClose();
    if (isHere()) onStarted?.();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    run(() => start(given));
  };
  return (
    <TitledDialog class="record rerun" label={title} onClose={onClose}>
      <form onSubmit={submit}>
        <SeedChoice seed={seed} choice={choice} onChoose={setChoice} untilFails={untilFails} />
        <label class="toggle">
          <input type="checkbox" checked={untilFails} onChange={(event) => setUntilFails(event.currentTarget.checked)} />{' '}
          <span>again and again, until something does not pass</span>
        </label>
        {untilFails && (
          <label class="field inset">
            So often at most
            <input name="rounds" type="number" min={1} max={1000} value={20} required />
          </label>
        )}
        <footer class="row record-actions">
          <button type="submit" class="primary" aria-disabled={busy} disabled={isOffline.value}>
            {busy ? 'Starting…' : 'Run'}
          </button>
          <Problem text={problem} />
        </footer>
      </form>
    </TitledDialog>
  );
}

interface SeedChoiceProps {
  seed: string;
  choice: Choice;
  onChoose: (choice: Choice) => void;
  /** Each round has a fresh one then. */
  untilFails: boolean;
}

function SeedChoice({ seed, choice, onChoose, untilFails }: SeedChoiceProps) {
  const option = (value: Choice, label: ComponentChildren) => (
    <label class="toggle">
      <input
        type="radio"
        name="choice"
        value={value}
        checked={choice === value}
        autofocus={choice === value}
        onChange={() => onChoose(value)}
      />{' '}
      <span>{label}</span>
    </label>
  );
  return (
    <fieldset>
      <legend>Seed</legend>
      {option(
        'same',
        <>
          the same, <code>{seed}</code>
        </>,
      )}
      {option('fresh', 'fresh')}
      {choice === 'fresh' && !untilFails && (
        <label class="field inset">
          So many seeds, one after the other
          <input name="times" type="number" min={1} max={tuning.rerunSeedsMax} value={1} required />
        </label>
      )}
      {option('chosen', 'these')}
      {choice === 'chosen' && (
        <label class="field inset">
          Numbers, with spaces or commas between
          <input name="seeds" spellcheck={false} autocomplete="off" inputMode="numeric" required />
        </label>
      )}
    </fieldset>
  );
}

/** undefined: that of the run. Refuses what cannot be a seed before anything runs. */
function seedsOf(choice: Choice, given: FormData): (string | undefined)[] {
  if (choice === 'same') return [undefined];
  if (choice === 'fresh') return new Array<string>(Number(given.get('times') ?? 1)).fill('fresh');
  const named = [...new Set(String(given.get('seeds')).split(/[\s,]+/))].filter((word) => word !== '');
  const wrong = named.find((word) => !isSeed(word));
  if (wrong !== undefined) throw new Error(`"${wrong}" is no seed: a whole number, at most 18446744073709551615.`);
  if (named.length === 0) throw new Error('Name a seed.');
  if (named.length > tuning.rerunSeedsMax) throw new Error(`At most ${counted(tuning.rerunSeedsMax, 'seed')} at once.`);
  return named;
}
