// Ids of git's objects, made as git makes them: the digest of a header and the content. `git hash-object` gives the same ones.
import { bytesOf } from './bytes.js';
import { sha1 } from './sha1.js';

/** Path to the id of the file's blob. Directories are not in it, as they have no being of their own in git. */
export type Files = { readonly [path: string]: string };

export interface Person {
  readonly login: string | null;
  readonly name: string;
  readonly email: string;
}

export interface CommitContent {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Person;
  readonly atUs: number;
  /** Where somebody else, or another time, has written the commit. */
  readonly committer?: Person;
  readonly committedAtUs?: number;
}

export function blobSha(bytes: readonly number[]): string {
  return objectSha('blob', bytes);
}

/** Every directory with its tree's id; the root is ''. */
export function treeShas(files: Files): Map<string, string> {
  const shas = new Map<string, string>();
  shaOfTree(files, '', shas);
  return shas;
}

export function commitSha(commit: CommitContent): string {
  const { tree, parents, message, author, atUs, committer = author, committedAtUs = atUs } = commit;
  const who = ({ name, email }: Person, us: number): string => `${name} <${email}> ${Math.floor(us / 1_000_000)} +0000`;
  const signed = [`author ${who(author, atUs)}`, `committer ${who(committer, committedAtUs)}`];
  return objectSha('commit', bytesOf([`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), ...signed, '', message].join('\n')));
}

function objectSha(kind: string, content: readonly number[]): string {
  return sha1([...bytesOf(`${kind} ${content.length}\0`), ...content]);
}

function shaOfTree(files: Files, directory: string, shas: Map<string, string>): string {
  const entries = new Map<string, { mode: string; sha: string }>();
  for (const [path, sha] of Object.entries(files)) {
    if (!path.startsWith(directory)) continue;
    const [name = '', ...deeper] = path.slice(directory.length).split('/');
    if (deeper.length === 0) entries.set(name, { mode: '100644', sha });
    else if (!entries.has(name)) entries.set(name, { mode: '40000', sha: shaOfTree(files, `${directory}${name}/`, shas) });
  }
  // Git sorts a directory as if its name ended with a slash, by bytes.
  const sorted = [...entries].map(([name, entry]) => ({ name: bytesOf(name), key: keyOf(name, entry.mode), ...entry })).sort(byKey);
  const content = sorted.flatMap(({ mode, name, sha }) => [...bytesOf(`${mode} `), ...name, 0, ...hexBytes(sha)]);
  const sha = objectSha('tree', content);
  shas.set(directory.slice(0, -1), sha);
  return sha;
}

const keyOf = (name: string, mode: string): number[] => bytesOf(mode === '40000' ? `${name}/` : name);

function byKey(a: { key: readonly number[] }, b: { key: readonly number[] }): number {
  for (let index = 0; index < Math.min(a.key.length, b.key.length); index += 1) {
    const difference = (a.key[index] ?? 0) - (b.key[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.key.length - b.key.length;
}

const hexBytes = (sha: string): number[] => (sha.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
