// The files of a repository as a tree; on a narrow screen a select takes its place.
import type { RepositoryFile } from '../../../contract/inspector/source.js';
import { go } from '../state/session.tsx';

export interface TreeFile extends Pick<RepositoryFile, 'displayPath'> {
  hash: string;
  isChosen: boolean;
}
interface SourceTreeProps {
  /** Ordered by path. */
  files: readonly TreeFile[];
  /** Files of packages that lie elsewhere, by package. */
  packages: ReadonlyMap<string, readonly TreeFile[]>;
}

interface Folder {
  folders: Map<string, Folder>;
  files: TreeFile[];
}

export function SourceTree({ files, packages }: SourceTreeProps) {
  const all = [...files, ...[...packages.values()].flat()];
  return (
    <nav class="source-tree" aria-label="Files">
      <select
        class="narrow-only"
        aria-label="File"
        value={all.find(({ isChosen }) => isChosen)?.hash ?? ''}
        onChange={(event) => go(event.currentTarget.value)}
      >
        {all.map(({ hash, displayPath }) => (
          <option key={hash} value={hash}>
            {displayPath}
          </option>
        ))}
      </select>
      <div class="wide-only">
        <FolderList folder={treeOf(files)} />
        {[...packages].map(([name, members]) => (
          <Branch key={name} name={name} isOpen={members.some(({ isChosen }) => isChosen)}>
            <FileList files={members} nameOf={({ displayPath }) => displayPath} />
          </Branch>
        ))}
      </div>
    </nav>
  );
}

function treeOf(files: readonly TreeFile[]): Folder {
  const top: Folder = { folders: new Map(), files: [] };
  for (const file of files) {
    let folder = top;
    for (const name of file.displayPath.split('/').slice(0, -1)) {
      const inside: Folder = folder.folders.get(name) ?? { folders: new Map(), files: [] };
      folder.folders.set(name, inside);
      folder = inside;
    }
    folder.files.push(file);
  }
  return top;
}

function FolderList({ folder }: { folder: Folder }) {
  return (
    <>
      {[...folder.folders].map(([name, inside]) => (
        <Branch key={name} name={name} isOpen>
          <FolderList folder={inside} />
        </Branch>
      ))}
      <FileList files={folder.files} nameOf={({ displayPath }) => displayPath.slice(displayPath.lastIndexOf('/') + 1)} />
    </>
  );
}

function Branch({ name, isOpen, children }: { name: string; isOpen: boolean; children: preact.ComponentChildren }) {
  return (
    <details open={isOpen}>
      <summary>{name}</summary>
      {children}
    </details>
  );
}

function FileList({ files, nameOf }: { files: readonly TreeFile[]; nameOf: (file: TreeFile) => string }) {
  return (
    <ul>
      {files.map((file) => (
        <li key={file.hash}>
          <a href={file.hash} title={file.displayPath} aria-current={file.isChosen ? 'true' : undefined}>
            {nameOf(file)}
          </a>
        </li>
      ))}
    </ul>
  );
}
