// The local inspector on recordings: what was done in a run or a world to play with, as files of the repository.
import type { PositiveCount, Sha256Digest, Slug, Title } from '../primitives.js';
import type { Recording, RecordingPin } from '../run/recording.js';
import type { tags } from '../tags.js';

export interface RecordingRequest {
  as: 'drill' | 'scenario';
  /** Of the drill or the scenario; its file has the same name. */
  id: Slug;
  title?: Title;
  /** Default: the end. */
  toSequence?: PositiveCount;
  /** A target that plays the tasks of a run. Default: the calls are made again. */
  targetId?: Slug;
  /** Default: the rows that changed, and the calls that did not go well. */
  pins?: RecordingPin[] & tags.MaxItems<100>;
  /** Writes the files, if they are still the ones with this digest. Default: nothing is written. */
  write?: { digest: Sha256Digest; replace?: boolean };
}
export interface RecordingReply {
  schemaVersion: 1;
  recording: Recording;
  written: boolean;
}
