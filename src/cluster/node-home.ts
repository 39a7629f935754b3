// One home as the node stands to it: what it does with it, and under which epoch.
import type { HomePhase } from './log.js';

export interface NodeHome {
  phase: HomePhase;
  /** Under which this node has it; 0 while it follows. */
  epoch: number;
  isLost: boolean;
  /** Until when the owner before may still answer reads: it was heard of while this node claimed. */
  quietUntilMs: number;
  /** It was lost while it was being given away: its files are left for good when this is over. */
  closing?: Promise<void>;
}

/**
 * Also where it was lost within the work: its files fall back as they are left, of which who takes it again is to know. Rejects as the work
 * does, or where the files could not be left.
 */
export async function untilLeft(home: NodeHome, work: (home: NodeHome) => Promise<void>): Promise<void> {
  try {
    await work(home);
  } finally {
    await home.closing;
  }
}
