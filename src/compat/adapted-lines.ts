// Which line of the table in docs/other-runner.md says what is adapted of a shape, by the document and the place in it: for what a
// validator refuses, as the adapters name theirs.
import type { SourceKind } from '../contract/run/dialect.js';

/** Of a kind of document, the first line whose places hold the path. */
const lines: { readonly [kind in SourceKind]?: readonly (readonly [places: RegExp, line: string])[] } = {
  package: [[/^/, 'the package.json']],
  root: [[/^/, 'root file']],
  tool: [
    [/^\/manifest\/http\/\d+\/auth/, 'basic auth of a route'],
    [/^\/manifest\/callbacks/, 'callbacks'],
  ],
  target: [[/^\/target\/bindings/, 'bindings']],
  drill: [
    [/^\/(?:assertions|timeline\/invariants)/, 'assertions'],
    [/^\/timeline\/workloads/, 'workloads'],
  ],
};

export function adviceOn(kind: SourceKind, path: string): string {
  const line = lines[kind]?.find(([places]) => places.test(path))?.[1];
  return line === undefined
    ? 'docs/other-runner.md lists what is adapted.'
    : `docs/other-runner.md lists what is adapted: the line '${line}'.`;
}
