// Milestones.
import { invalidField, readRepo, requireTitle, viewerOf, writeRepo } from './access.js';
import type { Context, PageInput, RepoInput } from './model.js';
import { userOf } from './people.js';
import { nextId, pageOf, rowId, rowsOf } from './rows.js';
import { shownMilestone } from './shape-issue.js';
import { usOf } from './time.js';

interface ListInput extends RepoInput, PageInput {
  readonly state?: 'open' | 'closed' | 'all';
  readonly sort?: 'due_on' | 'completeness';
  readonly direction?: 'asc' | 'desc';
}

export function listMilestones(input: ListInput, context: Context) {
  const repo = readRepo(context, input);
  const { state = 'open', direction = 'asc' } = input;
  const found = rowsOf(context, 'milestones', `${repo.key}:`).filter((one) => state === 'all' || one.state === state);
  const sign = direction === 'asc' ? 1 : -1;
  // One without a date is due last.
  const due = (us: number | null): number => us ?? Number.MAX_SAFE_INTEGER;
  const sorted = found.sort((a, b) => sign * (due(a.dueOnUs) - due(b.dueOnUs) || a.number - b.number));
  return pageOf(sorted, input, (milestone) => shownMilestone(context, repo, milestone));
}

interface NewMilestone extends RepoInput {
  readonly title: string;
  readonly state?: 'open' | 'closed';
  readonly description?: string;
  readonly due_on?: string;
}

export function createMilestone(input: NewMilestone, context: Context) {
  const repo = writeRepo(context, input, 'triage');
  const title = requireTitle(context, 'Milestone', input.title);
  const known = rowsOf(context, 'milestones', `${repo.key}:`);
  if (known.some((one) => one.title === title)) return invalidField(context, 'Milestone', 'title', 'already_exists');
  const dueOnUs = input.due_on === undefined ? null : usOf(input.due_on);
  if (dueOnUs === undefined) return invalidField(context, 'Milestone', 'due_on', 'invalid');
  const number = (known.at(-1)?.number ?? 0) + 1;
  const nowUs = context.clock.nowUs();
  const milestone = {
    id: nextId(context),
    repo: repo.key,
    number,
    title,
    description: input.description ?? null,
    state: input.state ?? 'open',
    creator: userOf(context, viewerOf(context)).login,
    dueOnUs,
    createdAtUs: nowUs,
    updatedAtUs: nowUs,
  } as const;
  context.state.put('milestones', rowId(repo.key, number), milestone);
  return shownMilestone(context, repo, milestone);
}
