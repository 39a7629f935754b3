// What holds tool code in this service, and what the service does not do without it: let others in, or put a second project beside the
// first.
import { ServiceError } from '../../contract/errors.js';
import { type BoundsHeld, boundsHeld } from '../../processes/bounds.js';
import { canBox } from '../../processes/bubblewrap.js';
import { projectTable } from '../catalog/organization-records.js';
import type { ControlSettings, Isolation } from '../catalog/settings.js';
import type { View } from '../catalog/tables.js';

/** For the ready line and /readyz: where it runs, and what bounds a host of a project. */
export interface ToolCodeFacts extends BoundsHeld {
  isolation: Isolation;
}
type Containment = Pick<ControlSettings, 'isolation' | 'trustToolCode'>;

/** A box where one is available. */
export function safestIsolation(): Isolation {
  return canBox().works ? 'box' : 'process';
}

/** control.INVALID_REQUEST for boxes that are not available. */
export function toolCodeFacts(isolation: Isolation): ToolCodeFacts {
  if (isolation === 'box') requireBoxes();
  if (isolation === 'thread') return { isolation, memory: 'heap only', cpu: 'none', processes: 'none' };
  return { isolation, ...boundsHeld({ inBox: isolation === 'box' }) };
}

/** It takes processes to find out, so nobody asks who needs none. */
function requireBoxes(): void {
  const { works, reason } = canBox();
  if (!works) throw new ServiceError('control.INVALID_REQUEST', { message: `--isolate box is not possible: ${reason}.` });
}

/** Before it listens for others: control.INVALID_REQUEST without boxes, unless tool code is trusted. */
export function requireContainedBeyondLoopback(settings: Containment, isBeyondLoopback: boolean): void {
  if (isBeyondLoopback && !isContained(settings)) throw uncontained('others may reach this service');
}

/** At a start: the projects that are there. */
export function requireContainedProjects(settings: Containment, view: View): void {
  if (projectsIn(view) > 1 && !isContained(settings)) throw uncontained('this service holds several projects');
}

/** For one project more: control.STATE_CONFLICT. */
export function requireContainedProject(settings: Containment, view: View): void {
  if (projectsIn(view) === 0 || isContained(settings)) return;
  throw new ServiceError('control.STATE_CONFLICT', {
    message:
      'This service runs tool code without boxes, so it holds one project. Its operator can start it with boxes, or trust all tool code.',
  });
}

/** No more of them are counted than matter, and one whose record is damaged counts. */
function projectsIn(view: View): number {
  return view.count(projectTable, { index: 'byOrganization', prefix: [], limit: 2 });
}

const isContained = ({ isolation, trustToolCode }: Containment): boolean => isolation === 'box' || trustToolCode;

function uncontained(why: string): ServiceError {
  const { works, reason } = canBox();
  const way = works ? 'Start it with `--isolate box`' : `Boxes are not available here: ${reason}. Install bubblewrap`;
  return new ServiceError('control.INVALID_REQUEST', {
    message: `Tool code would run without a box, and ${why}. ${way}, or say with \`--trust-tool-code true\` that everybody who may publish a build is trusted like you.`,
  });
}
