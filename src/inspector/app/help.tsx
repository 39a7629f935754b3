// What keys there are.
import { Overlay } from './overlay.tsx';

const keys: [string, [string[], string][]][] = [
  [
    'Everywhere',
    [
      [['1', '…', '6'], 'the views'],
      [['Ctrl', 'K'], 'find a drill, a run, a tool, something to do'],
      [['/'], 'search this page'],
      [['?'], 'this help'],
    ],
  ],
  [
    'In a journal',
    [
      [['j', 'k'], 'next and previous entry of the list'],
      [['[', ']'], 'previous and next call'],
      [['n'], 'next problem'],
      [['s'], 'the entry, or the state right after it'],
      [['↓', 'Enter'], 'from the search to what it found'],
      [['Home', 'End', 'Page Up', 'Page Down'], 'far moves, in the list'],
      [['Escape'], 'close the entry'],
    ],
  ],
  [
    'Timeline',
    [
      [['←', '→'], 'pan'],
      [['+', '−', '0'], 'zoom, and show all'],
      [['Shift', '←', '→'], 'choose a range, which the journal is narrowed to'],
      [['Escape'], 'clear the range'],
    ],
  ],
  ['Play', [[['Ctrl', 'Enter'], 'call, from the arguments']]],
];

export function Help() {
  return (
    <Overlay label="Keys">
      <h2>Keys</h2>
      <div class="keys" tabIndex={0} role="group" aria-label="All keys">
        {keys.map(([title, rows]) => (
          <section key={title}>
            <h3 class="h4">{title}</h3>
            <dl>
              {rows.map(([names, words]) => (
                <div key={words}>
                  <dt>
                    {names.map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{words}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Overlay>
  );
}
