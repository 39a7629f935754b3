// A document in the dialect of its package or project, as one in Drillyard's shapes at the same places.
import { defined } from '../contract/defined.js';
import type { ReadShape, SourceDialect, SourceKind } from '../contract/run/dialect.js';
import type { Diagnostics } from './diagnostics.js';
import type { SourceDocument } from './source-document.js';

/** What stands there in shapes of ours; undefined where some shape has none, which is reported. */
export function inOwnShape(
  diagnostics: Diagnostics,
  document: SourceDocument,
  { kind, dialect }: { kind: SourceKind; dialect: SourceDialect },
): (SourceDocument & Pick<ReadShape, 'inside'>) | undefined {
  const { value, refusals, inside } = dialect.read(kind, document.value);
  for (const { path, message, suggestion } of refusals) diagnostics.report('DY5032', document.place(path), message, { suggestion });
  if (refusals.length > 0) return undefined;
  const advised = dialect.name === undefined ? {} : { adviceOn: (path: string) => dialect.adviceOn(kind, path) };
  return { ...document, value, ...advised, ...defined({ inside }) };
}

/** A document that lies inside of another. */
export function partOf(document: SourceDocument, { path, value }: { path: string; value: SourceDocument['value'] }): SourceDocument {
  return { file: document.file, value, place: (pointer, part) => document.place(path + pointer, part) };
}
