// Where something is declared, with the way to its source; of a package from elsewhere the place alone.
import { Fact } from '../../../viewer/kit/parts.tsx';
import { routeHash } from '../state/route.ts';

export function DeclaredIn({ at: { file, line } }: { at: { file: string; line: number } }) {
  const place = (
    <code>
      {file}:{line}
    </code>
  );
  const isElsewhere = file.startsWith('library:') || file.startsWith('../') || file.split('/').includes('node_modules');
  return <Fact name="Declared in">{isElsewhere ? place : <a href={routeHash('source', [], { at: file, line })}>{place}</a>}</Fact>;
}
