// Targets: the files that they name are there, read, never run; what they would ask can be asked; what they name they are given.
import { pointerToken } from '../contract/json-fault.js';
import { headerFault, isLoopback, literalAddress, urlFault } from '../contract/run/http-agent.js';
import type { HttpTarget, Target } from '../contract/run/target.js';
import type { Diagnostics, Place } from './diagnostics.js';
import type { LocatedValue } from './project-documents.js';
import { entryKind } from './source-files.js';

export function checkTargets(diagnostics: Diagnostics, root: string, targets: readonly LocatedValue<Target>[]): void {
  for (const { item, document } of targets) {
    const check = (member: string, path: string, wanted: 'file' | 'folder') =>
      checkNamedFile(diagnostics, root, { path, wanted, place: () => document.place(`/target/${member}`), of: 'a target' });
    if (item.kind === 'module') check('module', item.module, 'file');
    if (item.kind === 'command' && item.workingDirectory !== undefined) check('workingDirectory', item.workingDirectory, 'folder');
    if (item.kind === 'http') checkRequest(diagnostics, { item, document });
    checkVariables(diagnostics, { item, document });
  }
}

interface NamedFile {
  path: string;
  /** Default: a file. */
  wanted?: 'file' | 'folder';
  place: () => Place;
  of: string;
}
export function checkNamedFile(diagnostics: Diagnostics, root: string, { path, wanted = 'file', place, of }: NamedFile): void {
  const kind = entryKind(root, path);
  if (kind === wanted) return;
  const suggestion = `Paths of ${of} are relative to the repository root.`;
  if (kind === 'escape') diagnostics.report('DY1008', place(), `'${path}' leads out of the repository`, { suggestion });
  else if (kind === 'symlink') diagnostics.report('DY1007', place(), `'${path}' is, or lies behind, a symbolic link`);
  else {
    const message = kind === 'unreadable' ? `'${path}' cannot be reached` : `there is no ${wanted} '${path}'`;
    diagnostics.report('DY3014', place(), message, { suggestion });
  }
}

function checkRequest(diagnostics: Diagnostics, { item, document }: LocatedValue<HttpTarget>): void {
  const place = () => document.place('/target/url');
  const fault = urlFault(item.url);
  if (fault !== undefined) {
    const suggestion = 'An agent on this machine is at http://127.0.0.1:<port>/; secrets that it needs go through headersFromEnvironment.';
    diagnostics.report('DY3017', place(), fault, { suggestion });
  } else {
    const address = literalAddress(new URL(item.url));
    if (address !== undefined && !isLoopback(address))
      diagnostics.report('DY3018', place(), `${address} is not this machine`, {
        suggestion: 'Such an agent is only asked with --allow-remote.',
      });
  }
  for (const name of Object.keys(item.headersFromEnvironment)) {
    const wrong = headerFault(name);
    if (wrong !== undefined)
      diagnostics.report('DY3017', document.place(`/target/headersFromEnvironment${pointerToken(name)}`, 'key'), wrong);
  }
}

function checkVariables(diagnostics: Diagnostics, { item, document }: LocatedValue<Target>): void {
  const bindings: readonly string[] = item.bindings;
  for (const [name, variable] of Object.entries(item.bindingEnvironment ?? {})) {
    const binding = variable.split('_')[1]?.toLowerCase() as string;
    if (bindings.includes(binding)) continue;
    const place = document.place(`/target/bindingEnvironment${pointerToken(name)}`);
    diagnostics.report('DY3019', place, `${name} will not be set: ${variable} is of the binding ${binding}`, {
      suggestion: `List ${binding} in bindings, or leave the name out.`,
    });
  }
}
