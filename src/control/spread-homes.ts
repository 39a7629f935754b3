// What a control plane stands on where several machines own the homes of worlds.
import { AskedRuns, AskedSessions } from './memory/asked-worlds.js';
import type { HomesPort } from './memory/world-asks.js';
import type { SpreadHomes } from './open-control.js';
import type { OwnedHomes } from './owned-homes.js';
import { runTable } from './runs/records.js';
import { SpreadWorlds } from './sessions/spread-worlds.js';

/** `port`: to the owners, this machine among them. `owned`: what this machine has; it reads the catalog while that is open here. */
export function spreadHomes(port: HomesPort, owned: OwnedHomes): SpreadHomes {
  return {
    open: ({ catalog, keyring, left }) => {
      owned.catalog.follow(catalog);
      const worlds = new SpreadWorlds(port, owned.worlds);
      const sessionOf = (hostedRunId: string): string | undefined => catalog.view.get(runTable, hostedRunId)?.run.sessionId;
      return {
        worlds,
        memory: {
          sessionMemory: new AskedSessions({ homes: port, worlds, acceptsKey: (generation) => keyring.accepts(generation) }),
          runMemory: new AskedRuns({ homes: port, sessionOf, leaving: left }),
          deliveryWatch: owned.services.deliveryWatch,
        },
      };
    },
    close: (catalog) => owned.catalog.leave(catalog),
  };
}
