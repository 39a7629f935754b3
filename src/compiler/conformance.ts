// The conformance project of a tool package: what `tool test` runs. Looks it up; whoever calls compiles and runs it.
import type { Diagnostic } from '../contract/build.js';
import { Diagnostics, placeOfFile } from './diagnostics.js';
import { entryKind, pathBelow, realRoot } from './source-files.js';
import { describePackage } from './tool-packages.js';

export interface Conformance {
  /** Absolute root of the conformance project, which has a drillyard.json. */
  root: string;
  /** The suite in it that covers the package. */
  suite: string;
  /** The package itself, absolute. */
  packageRoot: string;
}

/** `folder` is the package's; `packageField` is read before `drillyard` in its package.json. */
export function loadConformance(
  folder: string,
  { packageField }: { packageField?: string } = {},
): { conformance?: Conformance; diagnostics: Diagnostic[] } {
  const diagnostics = new Diagnostics();
  const packageRoot = realRoot(folder);
  if (packageRoot === undefined) {
    diagnostics.report('DY5001', placeOfFile('package.json'), `there is no folder '${folder}'`);
    return { diagnostics: diagnostics.sorted() };
  }
  const described = describePackage(diagnostics, { root: packageRoot, shownAs: '' }, packageField);
  const { conformance } = described ?? {};
  if (described !== undefined && conformance === undefined) {
    diagnostics.report('DY5002', placeOfFile('package.json'), 'the package names no conformance project', {
      suggestion: 'Write "conformance": { "project": "conformance", "suite": "conformance" } beside "tool".',
    });
  }
  const project = conformance && pathBelow(conformance.project);
  if (conformance !== undefined && (project === undefined || entryKind(packageRoot, project) !== 'folder')) {
    diagnostics.report('DY5002', placeOfFile('package.json'), `the conformance project '${conformance.project}' is no folder of the package`);
  }
  const sorted = diagnostics.sorted();
  if (diagnostics.hasErrors || conformance === undefined || project === undefined) return { diagnostics: sorted };
  return {
    conformance: { root: project === '.' ? packageRoot : `${packageRoot}/${project}`, suite: conformance.suite, packageRoot },
    diagnostics: sorted,
  };
}
