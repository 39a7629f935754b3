// The conformance project of a tool package: what `tool test` runs. Looks it up; its caller compiles and runs it.
import { basename, dirname, isAbsolute } from 'node:path';
import { defined } from '../contract/defined.js';
import type { Diagnostic } from '../contract/run/build.js';
import { validateRootFile } from '../contract/validate/validators.js';
import { Diagnostics, placeOfFile } from './diagnostics.js';
import { readDocument, validated } from './project-documents.js';
import { entryKind, pathBelow, realRoot } from './source-files.js';
import { describePackage } from './tool-packages.js';

export interface Conformance {
  /** Absolute root of the conformance project. */
  root: string;
  /** Its root file, where the package or the caller names one. */
  config?: string;
  /** The field of the package's package.json. */
  packageField?: string;
  /** The suite in it that covers the package. */
  suite: string;
  /** The package itself, absolute. */
  packageRoot: string;
}

/** `folder` is the package's. `config`: the root file, absolute or relative to the conformance project. */
export function loadConformance(
  folder: string,
  { config }: { config?: string } = {},
): { conformance?: Conformance; diagnostics: Diagnostic[] } {
  const diagnostics = new Diagnostics();
  // One that lies elsewhere can be read before the package is known, and may say which field describes it.
  const packageField = config !== undefined && isAbsolute(config) ? packageFieldIn(diagnostics, config) : undefined;
  const packageRoot = realRoot(folder);
  if (packageRoot === undefined) {
    diagnostics.report('DY5001', placeOfFile('package.json'), `there is no folder '${folder}'`);
    return { diagnostics: diagnostics.sorted() };
  }
  const described = describePackage(diagnostics, { root: packageRoot, shownAs: '' }, { packageField });
  const { conformance } = described ?? {};
  if (described !== undefined && conformance === undefined) {
    diagnostics.report('DY5002', placeOfFile('package.json'), 'the package names no conformance project', {
      suggestion: 'Write "conformance": { "project": "conformance", "suite": "conformance" } beside "tool".',
    });
  }
  const project = conformance && pathBelow(conformance.project);
  if (conformance !== undefined && (project === undefined || entryKind(packageRoot, project) !== 'folder')) {
    diagnostics.report(
      'DY5002',
      placeOfFile('package.json'),
      `the conformance project '${conformance.project}' is no folder of the package`,
    );
  }
  const sorted = diagnostics.sorted();
  if (diagnostics.hasErrors || conformance === undefined || project === undefined) return { diagnostics: sorted };
  return {
    conformance: {
      root: project === '.' ? packageRoot : `${packageRoot}/${project}`,
      suite: conformance.suite,
      packageRoot,
      ...defined({ config: config ?? conformance.config, packageField: described?.field }),
    },
    diagnostics: sorted,
  };
}

function packageFieldIn(diagnostics: Diagnostics, config: string): string | undefined {
  const document = readDocument(diagnostics, dirname(config), basename(config));
  return document && validated(diagnostics, document, validateRootFile)?.compat?.packageField;
}
