// The conformance project of a tool package: what `tool test` runs. Looks it up; its caller compiles and runs it.
import { basename, dirname, isAbsolute } from 'node:path';
import { defined } from '../contract/defined.js';
import type { Diagnostic } from '../contract/run/build.js';
import { validateRootFile } from '../contract/validate/validators.js';
import { Diagnostics, placeOfFile } from './diagnostics.js';
import { readDocument, validated } from './project-documents.js';
import { entryKind, pathBelow, realRoot } from './source-files.js';
import { describePackage, type ToolPackage } from './tool-packages.js';

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
  if (described !== undefined && conformance === undefined) reportNoProject(diagnostics, described);
  const root = described && projectFolder(described);
  if (conformance !== undefined && root === undefined) diagnostics.report('DY5002', conformance.place, missingText(conformance));
  const sorted = diagnostics.sorted();
  if (diagnostics.hasErrors || conformance === undefined || root === undefined) return { diagnostics: sorted };
  return {
    conformance: {
      root,
      suite: conformance.suite,
      packageRoot,
      ...defined({ config: config ?? conformance.config, packageField: described?.field }),
    },
    diagnostics: sorted,
  };
}

/** Says at the field of a package that the project it names is not there; the package works without it. */
export function checkConformance(diagnostics: Diagnostics, described: ToolPackage): void {
  const { conformance } = described;
  if (conformance !== undefined && projectFolder(described) === undefined)
    diagnostics.report('DY5038', conformance.place, missingText(conformance));
}

/** Absolute; undefined where the package names none, or one that is not there. */
function projectFolder({ root, conformance }: ToolPackage): string | undefined {
  const project = conformance && pathBelow(conformance.project);
  if (project === undefined || entryKind(root, project) !== 'folder') return undefined;
  return project === '.' ? root : `${root}/${project}`;
}

function missingText({ project }: { project: string }): string {
  return `the conformance project '${project}' is no folder of the package`;
}

function reportNoProject(diagnostics: Diagnostics, { toolFile, field }: ToolPackage): void {
  const conformance = '"conformance": { "project": "conformance", "suite": "conformance" }';
  const folder = "'conformance' is a repository whose 'toolPackages' is ['..'], with drills and a suite of that name";
  if (field !== undefined)
    diagnostics.report('DY5002', placeOfFile('package.json'), 'the package names no conformance project', {
      suggestion: `Write ${conformance} beside "tool"; ${folder}.`,
    });
  else
    diagnostics.report('DY5002', placeOfFile(toolFile), 'the package is a tool file alone: it has no conformance project to run', {
      suggestion: `Write "drillyard": { "layer": "tool-pack", "tool": "${toolFile}", "lifecycle": "active", ${conformance} } in a package.json beside it; ${folder}.`,
    });
}

function packageFieldIn(diagnostics: Diagnostics, config: string): string | undefined {
  const document = readDocument(diagnostics, dirname(config), basename(config));
  return document && validated(diagnostics, document, validateRootFile)?.compat?.packageField;
}
