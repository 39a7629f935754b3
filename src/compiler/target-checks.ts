// Targets: the files that they name are there. Looked at, never run.
import type { Target } from '../contract/target.js';
import type { Diagnostics } from './diagnostics.js';
import type { Located } from './project-documents.js';
import { entryKind } from './source-files.js';

export function checkTargets(diagnostics: Diagnostics, root: string, targets: readonly Located<Target>[]): void {
  for (const { item, document } of targets) {
    const check = (member: string, path: string, wanted: 'file' | 'folder') => {
      const kind = entryKind(root, path);
      if (kind === wanted) return;
      const place = document.place(`/target/${member}`);
      if (kind === 'escape')
        diagnostics.report('DY1008', place, `'${path}' leads out of the repository`, {
          suggestion: 'Paths of a target are relative to the repository root.',
        });
      else if (kind === 'symlink') diagnostics.report('DY1007', place, `'${path}' is, or lies behind, a symbolic link`);
      else
        diagnostics.report('DY3014', place, kind === 'unreadable' ? `'${path}' cannot be reached` : `there is no ${wanted} '${path}'`, {
          suggestion: 'Paths of a target are relative to the repository root.',
        });
    };
    if (item.kind === 'module') check('module', item.module, 'file');
    if (item.kind === 'command' && item.workingDirectory !== undefined) check('workingDirectory', item.workingDirectory, 'folder');
  }
}
