// Making a check run.
import type { Check, CheckRow, Context, Repo } from './model.js';
import { nextId, rowId } from './rows.js';

type NewCheck = Pick<CheckRow, 'headSha' | 'name' | 'app' | 'status'> & Partial<CheckRow>;

export function beginCheck(context: Context, repo: Repo, given: NewCheck): Check {
  const id = nextId(context);
  const nowUs = context.clock.nowUs();
  const unset = { conclusion: null, detailsUrl: null, externalId: '', title: null, summary: null, completedAtUs: null };
  const check = { ...unset, startedAtUs: nowUs, ...given, id, repo: repo.key };
  context.state.put('check-runs', rowId(repo.key, id), check);
  return check;
}
