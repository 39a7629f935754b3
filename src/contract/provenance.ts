// A place in the source of a repository or of a tool package.

/** Where something was declared, relative to the repository root (or to the tool package for what it ships). */
export interface Provenance {
  file: string;
  line: number;
  column: number;
}
