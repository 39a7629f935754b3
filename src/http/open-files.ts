// Whether this process may have as many files open as its connections and the hosts of worlds can take. Where it may not, requests are
// refused with control.UNAVAILABLE long before a bound that somebody has set says so.
import { readFileSync } from 'node:fs';
import { limits } from '../contract/limits.js';
import type { ControlSettings } from '../control/catalog/settings.js';
import { counted, grouped } from '../text/counted.js';
import type { ConnectionBounds } from './connection-count.js';
import type { ServiceWarning } from './service-warning.js';
import { tuning } from './tuning.js';

interface OpenFiles extends Pick<ControlSettings, 'isolation' | 'workers'>, Pick<ConnectionBounds, 'connectionsMax'> {
  /** Each counts its connections by itself. */
  listeners: number;
}

/** None where the system does not say what it allows. */
export function openFilesWarnings({ isolation, workers, connectionsMax = limits.connectionsMax, listeners }: OpenFiles): ServiceWarning[] {
  const allowed = openFilesMax();
  const connections = connectionsMax * listeners;
  const hosts = limits.projectsLiveMax * (isolation === 'thread' ? workers : 1);
  const wanted = connections + hosts * tuning.hostDescriptors + tuning.otherDescriptors;
  if (allowed === undefined || allowed >= wanted) return [];
  return [
    {
      code: 'few_open_files',
      message:
        `This process may have ${counted(allowed, 'file')} open (ulimit -n); ${counted(connections, 'connection')} and the hosts of worlds can take ` +
        `${grouped(wanted)}. Allow as many (LimitNOFILE= of a systemd unit, --ulimit nofile= of a container), or lower \`--connections-max\`.`,
    },
  ];
}

/** Linux only. Node.js raises what holds to what may hold when it starts. */
function openFilesMax(): number | undefined {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
