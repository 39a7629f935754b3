// Which homes come to this service while it works: for what is done once a home's worlds can be asked.
import type { HomedWorlds } from '../../worlds/api.js';
import type { ServiceHomes } from '../core/services.js';

export class HomesOpened {
  #follower: ((home: number) => void) | undefined;

  /** From now on, after each home that was opened. */
  follow(follower: (home: number) => void): void {
    this.#follower = follower;
  }

  /** The same homes, seen. */
  watched(homes: ServiceHomes): ServiceHomes {
    return {
      count: homes.count,
      log: homes.log,
      owned: () => homes.owned(),
      use: (worlds: HomedWorlds) =>
        homes.use({
          openHome: async (home) => {
            await worlds.openHome(home);
            this.#follower?.(home);
          },
          closeHome: (home, how) => worlds.closeHome(home, how),
        }),
    };
  }
}
