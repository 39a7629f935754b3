// The source of a repository, as the inspector shows it: what its runs follow from, file by file.
import type { tags } from '../tags.js';
import type { FileId, PageLimit } from './ids.js';

/** `root`: the root file. `module`: of targets and judges, with what they import. */
export type SourceRole = 'root' | 'document' | 'tool' | 'module';

export interface RepositoryFile {
  /** Opaque: never a path, never accepted as one. */
  fileId: string;
  /** Relative to the repository, with forward slashes. */
  displayPath: string;
  role: SourceRole;
  bytes: number;
  /** Of a module of a tool: its id among the implementation files of that tool. */
  implementationFileId?: string;
}
export interface SourceListReply {
  schemaVersion: 1;
  /** Ordered by path. */
  files: RepositoryFile[];
  /** What belongs to it and is not shown, with the reason. */
  unavailable: { displayPath: string; message: string }[];
}

export interface SourcePath {
  fileId: FileId;
}
export interface SourceFileReply {
  schemaVersion: 1;
  source: RepositoryFile & {
    content: string;
    contentHash: string;
  };
}

export interface SourceFindQuery {
  /** Text of one line, upper and lower case alike. */
  q: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** Default 200. */
  limit?: PageLimit;
}
export interface SourceMatch {
  fileId: string;
  /** Of a module of a package from elsewhere: its tool, and `fileId` is one of its implementation files. */
  toolId?: string;
  displayPath: string;
  /** From 1. */
  line: number;
  /** The line, or the part of it around the match. */
  text: string;
}
export interface SourceFindReply {
  schemaVersion: 1;
  /** The first match of each line; by path and line, those of packages from elsewhere last. */
  matches: SourceMatch[];
  /** There are others. */
  truncated: boolean;
}
