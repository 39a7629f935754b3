// A child process that has loaded the module of a kind and waits for what it is to be (child.ts makes it).
import type { Child } from '../processes/spawn-child.js';
import type { BoardPage } from './board.js';
import type { Heartbeat } from './heartbeat.js';

export interface PreparedHost {
  readonly child: Child;
  readonly page: BoardPage & { kind: 'file' };
  readonly heartbeat: Heartbeat;
  /** Gives its messages to `receive` from now on. */
  listen(receive: (message: unknown, bytes: number) => void): void;
  /** Of one that has ended and was never anybody's host: what this process keeps for it. */
  release(): void;
}
