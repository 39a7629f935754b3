// Issues, labels, milestones and comments, driven by @octokit/rest.
import assert from 'node:assert/strict';
import type { Octokit } from '@octokit/rest';

const at = { owner: 'acme', repo: 'web' } as const;

export async function issues(octokit: Octokit): Promise<void> {
  const { rest, paginate } = octokit;
  const { data: milestone } = await rest.issues.createMilestone({ ...at, title: 'Summer', due_on: '2026-07-01T00:00:00Z' });
  assert.ok((await rest.issues.listMilestones(at)).data.some(({ number }) => number === milestone.number));
  const wanted = { title: 'It breaks', body: 'Always.', labels: ['bug', 'new'], assignees: ['bo'], milestone: milestone.number };
  const { data: issue } = await rest.issues.create({ ...at, ...wanted });
  const one = { ...at, issue_number: issue.number };
  assert.equal((await rest.issues.get(one)).data.milestone?.title, 'Summer');
  assert.ok((await paginate(rest.issues.listForRepo, { ...at, per_page: 2, state: 'all' })).length > 3);
  assert.ok((await paginate(rest.issues.listAssignees, { ...at, per_page: 1 })).some(({ login }) => login === 'ada'));
  assert.equal((await rest.issues.checkUserCanBeAssigned({ ...at, assignee: 'ada' })).status, 204);
  assert.equal((await rest.issues.checkUserCanBeAssignedToIssue({ ...one, assignee: 'ada' })).status, 204);
  await assert.rejects(rest.issues.checkUserCanBeAssigned({ ...at, assignee: 'stranger' }), { status: 404 });
  await rest.issues.addAssignees({ ...one, assignees: ['ada'] });
  assert.ok((await rest.issues.list({ state: 'open' })).data.some(({ number }) => number === issue.number));
  assert.deepEqual(
    (await rest.issues.removeAssignees({ ...one, assignees: ['bo'] })).data.assignees?.map(({ login }) => login),
    ['ada'],
  );
  await rest.issues.lock({ ...one, lock_reason: 'resolved' });
  assert.equal((await rest.issues.get(one)).data.active_lock_reason, 'resolved');
  await rest.issues.unlock(one);
  await labels(octokit, issue.number);
  await comments(octokit, issue.number);
  const { data: closed } = await rest.issues.update({ ...one, state: 'closed', state_reason: 'not_planned' });
  assert.deepEqual([closed.state, closed.state_reason, closed.closed_by?.login], ['closed', 'not_planned', 'ada']);
}

async function labels({ rest }: Octokit, issue_number: number): Promise<void> {
  const one = { ...at, issue_number };
  const { data: made } = await rest.issues.createLabel({ ...at, name: 'needs: review', color: 'f29513', description: 'Somebody looks' });
  assert.equal((await rest.issues.getLabel({ ...at, name: made.name })).data.id, made.id);
  const { data: renamed } = await rest.issues.updateLabel({ ...at, name: made.name, new_name: 'in review' });
  assert.ok((await rest.issues.listLabelsForRepo(at)).data.some(({ name }) => name === renamed.name));
  assert.equal((await rest.issues.addLabels({ ...one, labels: [renamed.name] })).data.length, 3);
  assert.equal((await rest.issues.listLabelsOnIssue(one)).data.length, 3);
  assert.equal((await rest.issues.removeLabel({ ...one, name: 'in review' })).data.length, 2);
  assert.deepEqual(
    (await rest.issues.setLabels({ ...one, labels: ['bug'] })).data.map(({ name }) => name),
    ['bug'],
  );
  await rest.issues.removeAllLabels(one);
  await rest.issues.deleteLabel({ ...at, name: 'in review' });
}

async function comments({ rest, paginate }: Octokit, issue_number: number): Promise<void> {
  const one = { ...at, issue_number };
  const { data: first } = await rest.issues.createComment({ ...one, body: 'Looking.' });
  await rest.issues.createComment({ ...one, body: 'Found it.' });
  assert.equal((await paginate(rest.issues.listComments, { ...one, per_page: 1 })).length, 2);
  assert.ok((await rest.issues.listCommentsForRepo(at)).data.length >= 2);
  await rest.issues.updateComment({ ...at, comment_id: first.id, body: 'Looking closely.' });
  assert.equal((await rest.issues.getComment({ ...at, comment_id: first.id })).data.body, 'Looking closely.');
  await rest.issues.deleteComment({ ...at, comment_id: first.id });
}
