// What stands between the control plane and its worlds: the guard of its hosts, with the quarantines of builds, which the catalog keeps.
import type { ControlSettings } from '../catalog/settings.js';
import type { Change } from '../catalog/tables.js';
import { HostGuard } from './host-guard.js';
import { type QuarantineParts, Quarantines } from './quarantines.js';

export interface WorldGuardParts extends Omit<QuarantineParts, 'bounds'> {
  settings: Pick<ControlSettings, 'quarantine' | 'heldMsPerMinute'>;
}

export class WorldGuard extends HostGuard<Quarantines> {
  constructor(parts: WorldGuardParts) {
    const { catalog, settings } = parts;
    const quarantines = new Quarantines({ ...parts, bounds: settings.quarantine });
    super({ catalog, quarantines, heldMsPerMinute: settings.heldMsPerMinute });
  }

  /** An operation in the lane of a session was started too often: each start ended the process, and no host was there to say so. */
  spent(tx: Change, lane: string): void {
    if (lane.startsWith('session:')) this.quarantines.strikeIn(tx, 'hostEnd', lane.slice('session:'.length));
  }
}
