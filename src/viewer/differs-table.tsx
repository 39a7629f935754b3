// Facts of two sides under each other: those that differ, and folded those that do not.
import type { ComponentChildren } from 'preact';
import { Scroll } from './kit/parts.tsx';

interface DiffersLine {
  name: string;
  left: ComponentChildren;
  right: ComponentChildren;
  differs: boolean;
}
interface TableProps {
  title: string;
  heads: { left: ComponentChildren; right: ComponentChildren };
  lines: readonly DiffersLine[];
}

export function DiffersTable({ title, heads, lines }: TableProps) {
  const differing = lines.filter(({ differs }) => differs);
  const same = lines.filter(({ differs }) => !differs);
  return (
    <section>
      <h2>{title}</h2>
      {differing.length > 0 && <Lines title={title} heads={heads} lines={differing} />}
      {same.length > 0 && (
        <details class="fold">
          <summary>{differing.length === 0 ? `All ${same.length} are the same` : `${same.length} more are the same`}</summary>
          <Lines title={`${title} that are the same`} heads={heads} lines={same} />
        </details>
      )}
    </section>
  );
}

function Lines({ title, heads, lines }: TableProps) {
  return (
    <Scroll label={title}>
      <table class="sides">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">{heads.left}</th>
            <th scope="col">{heads.right}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, left, right, differs }) => (
            <tr key={name} class={differs ? 'differs' : 'same'}>
              <th scope="row">{name}</th>
              <td>{left}</td>
              <td>{right}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
