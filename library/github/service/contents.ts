// Files of a branch: reading a file or directory, and writing one file as one commit.
import { bytesOfBase64, wrapped } from '../git/bytes.js';
import { shaAt } from '../git/merge.js';
import { type Files, type Person, treeShas } from '../git/objects.js';
import { branchHead, filesOf, getCommit, putBlob, resolve } from '../git/store.js';
import { conflict, invalid, notFound, readRepo, viewerOf, writeRepo } from './access.js';
import { pushRule } from './merge-state.js';
import type { Context, Repo, RepoInput } from './model.js';
import { authorOf, loginOf } from './people.js';
import { commitFiles, isBlockedPath, pushAsOther } from './pushes.js';
import { rowId } from './rows.js';
import { shownEntry, shownGitCommit } from './shape-commit.js';
import { usOf } from './time.js';

interface PathInput extends RepoInput {
  readonly path?: string;
}

interface ContentInput extends PathInput {
  readonly ref?: string;
  readonly mediaType?: { readonly format: 'raw' | 'object' };
}

export function getContent(input: ContentInput, context: Context) {
  const repo = readRepo(context, input);
  const path = (input.path ?? '').replace(/^\/+|\/+$/g, '');
  const ref = input.ref ?? repo.defaultBranch;
  const commit = resolve(context, repo, ref);
  if (commit === undefined)
    return notFound(context, input.ref === undefined ? 'This repository is empty.' : `No commit found for the ref ${ref}`);
  const found = contentAt(context, repo, ref, filesOf(context, commit), path);
  letRivalPush(context, repo, path);
  if (input.mediaType?.format !== 'object' || !Array.isArray(found)) return found;
  const sha = treeShas(filesOf(context, commit)).get(path) ?? '';
  return { ...shownEntry(repo, ref, { type: 'dir', path, sha, size: 0 }), entries: found };
}

function contentAt(context: Context, repo: Repo, ref: string, files: Files, path: string): object {
  const sha = shaAt(files, path);
  if (sha !== undefined) {
    const blob = context.state.get('blobs', sha) ?? { content: '', size: 0 };
    const entry = shownEntry(repo, ref, { type: 'file', path, sha, size: blob.size });
    return { ...entry, content: wrapped(blob.content), encoding: 'base64' };
  }
  const below = path === '' ? '' : `${path}/`;
  const trees = treeShas(files);
  const names = new Set(
    Object.keys(files).flatMap((file) => (file.startsWith(below) ? [file.slice(below.length).split('/')[0] ?? ''] : [])),
  );
  if (names.size === 0 && path !== '') return notFound(context);
  return [...names].sort().map((name) => {
    const at = `${below}${name}`;
    const blob = shaAt(files, at);
    const size = blob === undefined ? 0 : (context.state.get('blobs', blob)?.size ?? 0);
    return shownEntry(repo, ref, { type: blob === undefined ? 'dir' : 'file', path: at, sha: blob ?? trees.get(at) ?? '', size });
  });
}

/** A push between a read and the write that follows it: what was read is stale by then. */
function letRivalPush(context: Context, repo: Repo, path: string): void {
  const id = rowId(repo.key, path);
  const rival = context.state.get('rival-pushes', id);
  if (rival === undefined) return;
  context.state.delete('rival-pushes', id);
  pushAsOther(context, repo, rival);
}

interface Signature {
  readonly name: string;
  readonly email: string;
  readonly date?: string;
}
interface WriteInput extends RepoInput {
  readonly path: string;
  readonly message: string;
  readonly branch?: string;
  readonly sha?: string;
  readonly author?: Signature;
  readonly committer?: Signature;
}

export function writeFile(input: WriteInput & { readonly content: string }, context: Context) {
  const bytes = bytesOfBase64(input.content);
  return writeBytes(input, context, bytes ?? invalid(context, 'content is not valid Base64'));
}

export function writeBytes(input: WriteInput, context: Context, bytes: readonly number[]) {
  const { repo, branch, files, path } = placeOf(context, input);
  const current = shaAt(files, path);
  refuseDirect(context, repo, branch, current === undefined ? 'create' : 'update');
  if (isBlockedPath(files, path)) return invalid(context, `path contains a malformed path component: ${path}`);
  if (current !== undefined && input.sha === undefined) return invalid(context, 'Invalid request.\n\n"sha" wasn\'t supplied.');
  if (input.sha !== undefined && input.sha !== current) return staleSha(context, path, input.sha);
  const blob = putBlob(context, bytes);
  const commit = commitFiles(context, repo, { branch, blobs: new Map([[path, blob]]), ...signedBy(context, input) });
  const content = shownEntry(repo, branch, { type: 'file', path, sha: blob, size: bytes.length });
  return { created: current === undefined, content, commit: shownGitCommit(repo, commit) };
}

export function deleteFile(input: WriteInput & { readonly sha: string }, context: Context) {
  const { repo, branch, files, path } = placeOf(context, input);
  const current = shaAt(files, path);
  if (current === undefined) return notFound(context);
  refuseDirect(context, repo, branch, 'delete');
  if (input.sha !== current) return staleSha(context, path, input.sha);
  const commit = commitFiles(context, repo, { branch, blobs: new Map([[path, undefined]]), ...signedBy(context, input) });
  return { content: null, commit: shownGitCommit(repo, commit) };
}

function placeOf(context: Context, input: WriteInput) {
  const repo = writeRepo(context, input);
  const branch = input.branch ?? repo.defaultBranch;
  const path = cleanPath(context, input.path);
  const head = getCommit(context, repo.key, branchHead(context, repo.key, branch));
  // The first commit of an empty repository makes its branch; every other branch has to be there.
  if (head === undefined && branch !== repo.defaultBranch) return notFound(context, `Branch ${branch} not found`);
  return { repo, branch, path, files: filesOf(context, head) };
}

export function cleanPath(context: Context, given: string): string {
  const path = given.replace(/^\/+/, '');
  const malformed = path.split('/').some((part) => part === '' || part === '.' || part === '..' || part === '.git');
  return malformed ? invalid(context, 'path contains a malformed path component') : path;
}

function refuseDirect(context: Context, repo: Repo, branch: string, what: 'create' | 'update' | 'delete'): void {
  const rule = pushRule(context, repo, { branch });
  if (rule !== undefined) conflict(context, `Could not ${what} file: ${rule}`);
}

function staleSha(context: Context, path: string, sha: string): never {
  return conflict(context, `${path} does not match ${sha}`);
}

/** Who asks is author and committer; a committer that is given is the author as well, unless there is one. */
function signedBy(context: Context, { message, author, committer }: WriteInput) {
  const viewer = viewerOf(context);
  const person = ({ name, email }: Signature): Person => ({ name, email, login: loginOf(context, email) });
  const timeOf = (signature: Signature | undefined): number => usOf(signature?.date ?? '') ?? context.clock.nowUs();
  const wrote = author ?? committer;
  return {
    message,
    user: viewer,
    author: wrote === undefined ? authorOf(context, viewer) : person(wrote),
    atUs: timeOf(wrote),
    ...(wrote === undefined ? {} : { committer: committer === undefined ? authorOf(context, viewer) : person(committer) }),
    ...(wrote === undefined ? {} : { committedAtUs: timeOf(committer) }),
  };
}
