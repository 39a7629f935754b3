// The command palette: everything there is to go to or to do, found by its words.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { tuning } from '../tuning.js';
import { commandsOf, type PaletteCommand } from './commands.tsx';
import { foundCommands } from './kit/find-words.ts';
import { Overlay } from './overlay.tsx';
import { useRecentRuns } from './state/recent-runs.tsx';
import { overlay } from './state/session.tsx';

export function Palette() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const recent = useRecentRuns();
  const all = useMemo(() => commandsOf(recent.value?.runs ?? []), [recent.value]);
  const shown = foundCommands(all, text).slice(0, tuning.commandsShown);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at, text]);
  const run = (command: PaletteCommand | undefined): void => {
    if (command === undefined) return;
    overlay.value = undefined;
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((at + step + shown.length) % Math.max(shown.length, 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(shown[at]);
    }
  };
  return (
    <Overlay label="Find and do">
      <input
        class="palette-field"
        type="text"
        role="combobox"
        aria-label="Find and do"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={shown[at] === undefined ? undefined : `command-${at}`}
        placeholder="A drill, a run, a tool, something to do…"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Found" ref={list}>
        {shown.map((command, index) => (
          <div
            key={`${command.group} ${command.title}`}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => run(command)}
            onPointerMove={() => setAt(index)}
          >
            <span class="command-group">{command.group}</span>
            <span class="grow">{command.title}</span>
            {command.note !== undefined && <span class="quiet">{command.note}</span>}
          </div>
        ))}
      </div>
      {shown.length === 0 && <p class="quiet palette-nothing">Nothing fits.</p>}
    </Overlay>
  );
}
