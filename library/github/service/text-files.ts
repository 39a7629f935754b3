// Files as text: what the tools of GitHub's MCP server do with several calls of the API, or with what it answers in base64.
import { bytesOf, bytesOfBase64, textOf } from '../git/bytes.js';
import { shaAt } from '../git/merge.js';
import { branchHead, filesOf, getCommit, heads, putText } from '../git/store.js';
import { invalid, notFound, viewerOf, writeRepo } from './access.js';
import { cleanPath, getContent, writeBytes } from './contents.js';
import { pushRule } from './merge-state.js';
import type { Context, RepoInput } from './model.js';
import { authorOf } from './people.js';
import { commitFiles, isBlockedPath } from './pushes.js';
import { getRefOf } from './refs.js';

interface TextFile {
  readonly path: string;
  readonly content: string;
}

/** Bytes that are no UTF-8 stay in base64. */
export function getFileContents(input: RepoInput & { readonly path: string; readonly branch?: string }, context: Context) {
  const { branch: ref, ...place } = input;
  const found = getContent({ ...place, ...(ref === undefined ? {} : { ref }) }, context);
  if (!('content' in found)) return found;
  const text = textOf(bytesOfBase64(String(found.content)) ?? []);
  return text === undefined ? found : { ...found, content: text, encoding: 'utf-8' };
}

interface OneFile extends RepoInput, TextFile {
  readonly message: string;
  readonly branch: string;
  readonly sha?: string;
}

/** Without a sha, the file is replaced as it is then. */
export function createOrUpdateFile(input: OneFile, context: Context) {
  const repo = writeRepo(context, input);
  const head = getCommit(context, repo.key, branchHead(context, repo.key, input.branch));
  const current = input.sha ?? shaAt(filesOf(context, head), input.path.replace(/^\/+/, ''));
  return writeBytes({ ...input, ...(current === undefined ? {} : { sha: current }) }, context, bytesOf(input.content));
}

interface ManyFiles extends RepoInput {
  readonly branch: string;
  readonly message: string;
  readonly files: readonly TextFile[];
}

/** One commit; what was there is replaced. */
export function pushFiles(input: ManyFiles, context: Context) {
  const { branch, message } = input;
  const repo = writeRepo(context, input);
  const head = getCommit(context, repo.key, branchHead(context, repo.key, branch));
  if (head === undefined) return notFound(context);
  const rule = pushRule(context, repo, { branch });
  if (rule !== undefined) return invalid(context, rule);
  const files = filesOf(context, head);
  const blobs = new Map(input.files.map(({ path, content }) => [cleanPath(context, path), putText(context, content)]));
  const blocked = [...blobs.keys()].find((path) => isBlockedPath({ ...files, ...Object.fromEntries(blobs) }, path));
  if (blocked !== undefined) return invalid(context, `tree.path contains a malformed path component: ${blocked}`);
  const user = viewerOf(context);
  commitFiles(context, repo, { branch, blobs, message, user, author: authorOf(context, user), atUs: context.clock.nowUs() });
  return getRefOf({ owner: repo.owner, repo: repo.name, ref: `${heads}${branch}` }, context);
}
