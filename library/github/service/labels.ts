// Labels of a repository, and which of them an issue has.
import { invalidField, notFound, readRepo, requireIssue, writeRepo } from './access.js';
import { storeEdit } from './edits.js';
import type { Context, Issue, PageInput, Repo, RepoInput, RowOf } from './model.js';
import { nextId, pageOf, rowId, rowsOf } from './rows.js';
import { labelsOf, shownLabel } from './shape-issue.js';

interface IssueInput extends RepoInput {
  readonly issue_number: number;
}
type LabelInput = string | { readonly name?: string };

/** The names as the repository writes them. A label that is not there yet is made, as GitHub does. */
export function requireLabels(context: Context, repo: Repo, given: readonly LabelInput[]): string[] {
  const names = given.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))).filter((name) => name !== '');
  return [...new Set(names.map((name) => (rowFor(context, repo, name) ?? makeLabel(context, repo, name, 'ededed', null)).name))];
}

function rowFor(context: Context, repo: Repo, name: string): RowOf<'labels'> | undefined {
  return context.state.get('labels', rowId(repo.key, name.toLowerCase()));
}

function makeLabel(context: Context, repo: Repo, name: string, color: string, description: string | null): RowOf<'labels'> {
  if (name.length > 50) return invalidField(context, 'Label', 'name', 'custom', 'name is too long (maximum is 50 characters)');
  const label = { id: nextId(context), repo: repo.key, name, color, description };
  context.state.put('labels', rowId(repo.key, name.toLowerCase()), label);
  return label;
}

export function listLabels(input: RepoInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  return pageOf(rowsOf(context, 'labels', `${repo.key}:`), input, (label) => shownLabel(repo, label));
}

interface NamedInput extends RepoInput {
  readonly name: string;
}
interface LabelMembers {
  readonly color?: string;
  readonly description?: string | null;
}

export function createLabel(input: NamedInput & LabelMembers, context: Context) {
  const repo = writeRepo(context, input);
  if (rowFor(context, repo, input.name) !== undefined) return invalidField(context, 'Label', 'name', 'already_exists');
  return shownLabel(repo, makeLabel(context, repo, input.name, colorOf(context, input.color ?? 'ededed'), input.description ?? null));
}

function colorOf(context: Context, color: string): string {
  if (!/^[0-9a-f]{6}$/i.test(color)) return invalidField(context, 'Label', 'color', 'invalid');
  return color.toLowerCase();
}

export function getLabel(input: NamedInput, context: Context) {
  const repo = readRepo(context, input);
  return shownLabel(repo, rowFor(context, repo, input.name) ?? notFound(context));
}

export function updateLabel(input: NamedInput & LabelMembers & { readonly new_name?: string }, context: Context) {
  const repo = writeRepo(context, input);
  const label = rowFor(context, repo, input.name) ?? notFound(context);
  const name = input.new_name ?? label.name;
  const taken = name.toLowerCase() !== label.name.toLowerCase() && rowFor(context, repo, name) !== undefined;
  if (taken) return invalidField(context, 'Label', 'name', 'already_exists');
  const changed = {
    ...label,
    name,
    color: input.color === undefined ? label.color : colorOf(context, input.color),
    description: input.description === undefined ? label.description : input.description,
  };
  context.state.delete('labels', rowId(repo.key, label.name.toLowerCase()));
  context.state.put('labels', rowId(repo.key, name.toLowerCase()), changed);
  replaceOnIssues(context, repo, label.name, [name]);
  return shownLabel(repo, changed);
}

export function deleteLabel(input: NamedInput, context: Context): null {
  const repo = writeRepo(context, input);
  const label = rowFor(context, repo, input.name) ?? notFound(context);
  context.state.delete('labels', rowId(repo.key, label.name.toLowerCase()));
  replaceOnIssues(context, repo, label.name, []);
  return null;
}

function replaceOnIssues(context: Context, repo: Repo, name: string, by: readonly string[]): void {
  for (const issue of rowsOf(context, 'issues', `${repo.key}:`))
    if (issue.labels.includes(name)) {
      const labels = issue.labels.flatMap((one) => (one === name ? by : [one]));
      context.state.put('issues', rowId(repo.key, issue.number), { ...issue, labels });
    }
}

export function listLabelsOnIssue(input: IssueInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  return pageOf(labelsOf(context, repo, requireIssue(context, repo, input.issue_number)), input, (label) => label);
}

interface LabelsInput extends IssueInput {
  readonly labels?: readonly LabelInput[];
}

export function addLabels(input: LabelsInput, context: Context) {
  return setOn(context, input, (issue, names) => [...issue.labels, ...names]);
}

export function setLabels(input: LabelsInput, context: Context) {
  return setOn(context, input, (_, names) => names);
}

export function removeAllLabels(input: IssueInput, context: Context): null {
  setOn(context, input, () => []);
  return null;
}

function setOn(context: Context, input: LabelsInput, choose: (issue: Issue, names: string[]) => string[]) {
  const repo = writeRepo(context, input, 'triage');
  const issue = requireIssue(context, repo, input.issue_number);
  const labels = [...new Set(choose(issue, requireLabels(context, repo, input.labels ?? [])))];
  const shown = labelsOf(context, repo, storeEdit(context, repo, issue, { ...issue, labels }));
  return { items: shown, total_count: shown.length };
}

export function removeLabel(input: IssueInput & { readonly name: string }, context: Context) {
  const repo = writeRepo(context, input, 'triage');
  const issue = requireIssue(context, repo, input.issue_number);
  const wanted = input.name.toLowerCase();
  if (!issue.labels.some((name) => name.toLowerCase() === wanted)) return notFound(context, 'Label does not exist');
  const labels = issue.labels.filter((name) => name.toLowerCase() !== wanted);
  const shown = labelsOf(context, repo, storeEdit(context, repo, issue, { ...issue, labels }));
  return { items: shown, total_count: shown.length };
}
