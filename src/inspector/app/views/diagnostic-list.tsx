// What the compiler found, as a good compiler prints it: where, what, the line itself with a caret, and what to do about it.
import type { ComponentChildren } from 'preact';
import type { Diagnostic } from '../../../contract/run/build.js';
import { visibleLine } from '../../../text/visible-text.js';
import { OpenEditor } from './open-editor.tsx';

export function DiagnosticList({ list, excerpts }: { list: readonly Diagnostic[]; excerpts: readonly string[] }) {
  return (
    <ol class="stack diagnostics">
      {list.map((diagnostic, index) => (
        <DiagnosticItem key={index} diagnostic={diagnostic} excerpt={excerpts[index] ?? ''}>
          <OpenEditor place={{ diagnostic: index }} />
        </DiagnosticItem>
      ))}
    </ol>
  );
}

/** Of source that nobody holds any more: what the compiler said of it then, without its lines. */
export function DiagnosticsThen({ list }: { list: readonly Diagnostic[] }) {
  return (
    <ol class="stack diagnostics">
      {list.map((diagnostic, index) => (
        <DiagnosticItem key={index} diagnostic={diagnostic} excerpt="" />
      ))}
    </ol>
  );
}

interface ItemProps {
  diagnostic: Diagnostic;
  excerpt: string;
  /** What can be done about it. */
  children?: ComponentChildren;
}

function DiagnosticItem({ diagnostic, excerpt, children }: ItemProps) {
  const { severity, code, file, line, column, path, message, suggestion } = diagnostic;
  return (
    <li class={`finding ${severity === 'error' ? '' : 'inconclusive'}`}>
      <p class="row">
        <span class={`status ${severity === 'error' ? 'failed' : 'warning'}`}>{severity}</span>
        <code>{code}</code>
        <code class="where">
          {file}:{line}:{column}
          {path === '' ? '' : ` ${path}`}
        </code>
        {children}
      </p>
      <p class="message">{message}</p>
      {excerpt.trim() !== '' && <Excerpt text={excerpt} line={line} column={column} />}
      {suggestion !== undefined && !repeats(message, suggestion) && <p class="quiet">{suggestion}</p>}
    </li>
  );
}

/** `did you mean "id"?` and `Did you mean 'id'?` are one advice. */
function repeats(message: string, suggestion: string): boolean {
  const bare = (text: string): string =>
    text
      .toLowerCase()
      .replace(/["'`?.]/g, '')
      .trim();
  return bare(message).includes(bare(suggestion));
}

function Excerpt({ text, line, column }: { text: string; line: number; column: number }) {
  const shown = visibleLine(text.replace(/\t/g, ' '));
  return (
    <pre class="excerpt" tabIndex={0} role="group" aria-label={`Line ${line}`}>
      <span class="gutter">{line}</span> {shown}
      {'\n'}
      <span class="gutter">{' '.repeat(String(line).length)}</span> {' '.repeat(Math.max(column - 1, 0))}
      <span class="caret">^</span>
    </pre>
  );
}
