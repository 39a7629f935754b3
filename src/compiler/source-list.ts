// What of a repository its build was made of: documents, the modules of tools, the files that targets and judges name. Who compiles it
// elsewhere needs these and no others. What lies outside of the repository, or is installed, is not listed.
import type { Target } from '../contract/run/target.js';
import { inlineDrillName, type ProjectDocuments } from './project-documents.js';
import { entryKind, pathBelow } from './source-files.js';
import type { CompiledSource } from './tool-compile.js';

export interface SourceList {
  /** Relative to the root, with forward slashes, ordered. */
  files: readonly string[];
  /** Folders that have to be there, whatever is in them: where commands are started. */
  folders: readonly string[];
}
export const noSource: SourceList = { files: [], folders: [] };

/** Without the root file, which may lie anywhere. */
export function sourceList(
  root: string,
  project: ProjectDocuments,
  { tools, modules }: { tools: readonly CompiledSource[]; modules: readonly string[] },
): SourceList {
  const { world, scenarios, targets, drills, suites, caseFiles } = project;
  const documents = [...(world === undefined ? [] : [world]), ...scenarios, ...targets, ...drills, ...suites].map(
    ({ document }) => document.file,
  );
  const files = [
    ...documents,
    ...caseFiles,
    ...tools.flatMap((tool) => filesOfTool(root, tool)),
    ...modules.flatMap((module) => pathBelow(module) ?? []),
  ];
  return {
    files: [...new Set(files.filter(isOfRepository))].sort(),
    folders: [...new Set(targets.flatMap(({ item }) => folderOfTarget(item)))].sort(),
  };
}

function filesOfTool(root: string, { document, starter, shownAs, files }: CompiledSource): string[] {
  const description = `${shownAs}package.json`;
  return [
    document.file,
    ...(starter === undefined ? [] : [starter.file]),
    ...files.map(({ path }) => shownAs + path),
    ...(isOfRepository(description) && shownAs !== '' && entryKind(root, description) === 'file' ? [description] : []),
  ];
}

function folderOfTarget(target: Target): string[] {
  const path = target.kind === 'command' && target.workingDirectory !== undefined ? pathBelow(target.workingDirectory) : undefined;
  return path === undefined || path === '.' ? [] : [path];
}

const isOfRepository = (path: string): boolean =>
  !path.startsWith('library:') &&
  !path.startsWith(`${inlineDrillName}[`) &&
  !path.startsWith('../') &&
  !path.split('/').includes('node_modules');
