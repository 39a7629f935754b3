// The files of a repository the compiler reads.
import type { EnvironmentId, ProjectId, Seed, Sha256Digest, Slug, Title, VirtualUs } from '../primitives.js';
import type { tags } from '../tags.js';
import type { FaultSelection, InitialEvent, ScenarioActor, ScenarioActorInput, StatePatch, ToolOverride } from '../world/scenario.js';

/** drillyard.json, or the file named by --config. */
export interface RootFile {
  schemaVersion: 1;
  sourceRoot?: string & tags.MinLength<1> & tags.MaxLength<1024>;
  /** Relative to `sourceRoot`. */
  world?: string & tags.MinLength<1> & tags.MaxLength<1024>;
  /** npm package names, or folders relative to the root file ("./tools/x"); "library:<id>" names a package that ships with Drillyard. */
  toolPackages?: (string & tags.MinLength<1> & tags.MaxLength<1024>)[] & tags.MaxItems<256>;
  /** What packages were when they were added, by their entries in `toolPackages`. `drillyard tool add` writes it. */
  toolPins?: { [entry: string]: ToolPin };
  /** The hosted service that `push` and `run --remote` use where no flag says otherwise. Never a credential. */
  remote?: RemoteService;
  compat?: { toolSdk?: string[]; packageField?: string; environmentPrefixes?: (string & tags.Pattern<'^[A-Z][A-Z0-9_]*$'>)[] };
}
export interface ToolPin {
  /** Of the files that a build reads of the package. */
  digest: Sha256Digest;
  /** Where it came from: "npm:<name>@<version>", "git+<url>#<commit>", or a path. */
  from?: string & tags.MinLength<1> & tags.MaxLength<2048>;
}
export interface RemoteService {
  /** Scheme, host and port: https, or http on this machine. */
  url: string & tags.MinLength<1> & tags.MaxLength<2048>;
  /** Default: the only project of the credential. */
  project?: ProjectId;
  /** Where sessions are created. Default: the first active environment of the project. */
  environment?: EnvironmentId;
  /** The name of the source draft. Default: the id of the world. */
  draft?: string & tags.MinLength<1> & tags.MaxLength<100>;
}
/** The root file with every default present. */
export interface RootSettings {
  schemaVersion: 1;
  sourceRoot: string;
  world: string;
  toolPackages: string[];
  toolPins: { [entry: string]: ToolPin };
  compat: { toolSdk: string[]; packageField?: string; environmentPrefixes: string[] };
  remote?: RemoteService;
}

export interface World {
  schemaVersion: 1;
  id: Slug;
  title?: Title;
  seed: Seed;
  virtualTimeUs: VirtualUs;
  actors: ScenarioActor[];
  state: StatePatch[];
  faults: FaultSelection[];
  initialEvents: InitialEvent[];
  toolOverrides?: ToolOverride[] & tags.MaxItems<1000>;
}
export interface WorldInput extends Omit<World, 'seed' | 'virtualTimeUs' | 'actors' | 'state' | 'faults' | 'initialEvents'> {
  seed?: Seed;
  virtualTimeUs?: VirtualUs;
  actors?: ScenarioActorInput[];
  state?: StatePatch[];
  faults?: FaultSelection[];
  initialEvents?: InitialEvent[];
}
