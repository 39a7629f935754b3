// What the homes of a node report, as lines of its log. An operator looks them up in docs/cluster.md.
import type { HomesProblem } from '../cluster/homes-options.js';
import type { OutageChange } from '../cluster/members.js';
import type { ControlLog } from '../control/core/services.js';

export function noteProblem(log: Pick<ControlLog, 'warn' | 'error'>, problem: HomesProblem): void {
  const { error: err } = problem;
  switch (problem.kind) {
    case 'closed':
      log.error('a home of the cluster stays closed on this node', { home: problem.home, err });
      break;
    case 'failed':
      log.warn('something with a home of the cluster failed on this node; it is tried again', { home: problem.home, err });
      break;
    case 'unstored':
      log.warn('the disk of this node has no space for a home of the cluster; it is tried again', { home: problem.home, err });
      break;
    case 'refused':
      log.error('the cluster refuses this node', { err });
  }
}

/** Both at one level, so that who reads of the beginning reads of the end. The reason is what the driver says, which knows no password. */
export function noteOutage(log: Pick<ControlLog, 'warn'>, change: OutageChange): void {
  if (change.isOver) log.warn('the log of the cluster answers again', { awaySeconds: Math.round(change.awayMs / 100) / 10 });
  else log.warn('the log of the cluster does not answer', { reason: change.reason });
}
