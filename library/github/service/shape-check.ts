// Check runs and statuses of commits.
import type { Check, Context, Repo, RowOf } from './model.js';
import { idOf } from './people.js';
import { rowsOf } from './rows.js';
import { nodeId, repoApi, repoWeb, shownUser, web } from './shape-base.js';
import { isoOf } from './time.js';

export function shownCheck(context: Context, repo: Repo, check: Check) {
  const url = `${repoApi(repo)}/check-runs/${check.id}`;
  const html = `${repoWeb(repo)}/runs/${check.id}`;
  return {
    id: check.id,
    name: check.name,
    node_id: nodeId('CheckRun', check.id),
    head_sha: check.headSha,
    external_id: check.externalId,
    url,
    html_url: html,
    details_url: check.detailsUrl ?? html,
    status: check.status,
    conclusion: check.conclusion,
    started_at: isoOf(check.startedAtUs),
    completed_at: check.completedAtUs === null ? null : isoOf(check.completedAtUs),
    output: { title: check.title, summary: check.summary, text: null, annotations_count: 0, annotations_url: `${url}/annotations` },
    check_suite: { id: suiteId(check) },
    app: shownApp(context, repo, check.app),
    pull_requests: pullsOf(context, repo, check),
  };
}

// Runs of one app on one commit are one suite; its id is made of both.
function suiteId({ headSha, app }: Check): number {
  return Number.parseInt(headSha.slice(0, 8), 16) + (idOf(app) % 1_000_000);
}

function shownApp(context: Context, repo: Repo, app: string) {
  return {
    id: idOf(app),
    slug: app,
    node_id: nodeId('App', app),
    owner: shownUser(context, repo.owner),
    name: app,
    description: null,
    external_url: `${web}/apps/${app}`,
    html_url: `${web}/apps/${app}`,
    created_at: isoOf(repo.createdAtUs),
    updated_at: isoOf(repo.createdAtUs),
    permissions: { checks: 'write', metadata: 'read' },
    events: ['check_run', 'push'],
  };
}

function pullsOf(context: Context, repo: Repo, { headSha }: Check) {
  const within = { id: repo.id, url: repoApi(repo), name: repo.name };
  return rowsOf(context, 'pulls', `${repo.key}:`)
    .filter((pull) => pull.headSha === headSha)
    .map((pull) => ({
      url: `${repoApi(repo)}/pulls/${pull.number}`,
      id: pull.id,
      number: pull.number,
      head: { ref: pull.head, sha: pull.headSha, repo: within },
      base: { ref: pull.base, sha: pull.baseSha, repo: within },
    }));
}

export function shownStatus(context: Context, repo: Repo, status: RowOf<'statuses'>) {
  return {
    url: `${repoApi(repo)}/statuses/${status.sha}`,
    avatar_url: shownUser(context, status.creator).avatar_url,
    id: status.id,
    node_id: nodeId('StatusContext', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: isoOf(status.createdAtUs),
    updated_at: isoOf(status.createdAtUs),
  };
}
