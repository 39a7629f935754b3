// The compiled build: what the compiler yields and worlds run. Plain JSON, content addressed: equal meaning, equal `buildHash`.
import type { JsonObject } from '../json.js';
import type { Scenario, WorldSetup } from '../world/scenario.js';
import type { ToolManifest } from '../world/tool-manifest.js';
import type { Drill, Suite } from './drill.js';
import type { World } from './project-files.js';
import type { Target } from './target.js';

export interface CompiledTool {
  packageId: string;
  version: string;
  manifest: ToolManifest;
  /** Digest of the canonical manifest. */
  manifestHash: string;
  /** Digest of the bundled behaviour, or of the manifest for a declarative tool. */
  artifactHash: string;
  /** Digest of the canonical `state` list. */
  stateSchemaDigest: string;
  /** The bundle: a script whose value is a function of the ambient names (tools/realm.ts). Null for a declarative tool. */
  behavior: { code: string; codeHash: string } | null;
}

export interface CompiledScenario {
  scenario: Scenario;
  /** The world baseline followed by this scenario's layer. */
  setup: WorldSetup;
  setupHash: string;
}
/** A drill with what it runs in. `setup` includes the drill's own overrides. */
export interface CompiledDrill {
  drill: Drill;
  setup: WorldSetup;
  setupHash: string;
}

export interface CompiledBuild {
  schemaVersion: 1;
  buildHash: string;
  /** Digest over (packageId, version, manifestHash, artifactHash) of every tool. */
  packageLockHash: string;
  world: World;
  /** The world baseline alone, as a setup. */
  baseline: { setup: WorldSetup; setupHash: string };
  tools: CompiledTool[];
  scenarios: CompiledScenario[];
  targets: Target[];
  drills: CompiledDrill[];
  suites: Suite[];
  /** `dialect`: how its agents are spoken to, where it is not Drillyard's own way. */
  compat: { environmentPrefixes: string[]; dialect?: string };
}

/** What a world needs of a build; kept beside the world so that it can be opened again without its repository. */
export interface WorldProgram {
  schemaVersion: 1;
  buildHash: string;
  tools: CompiledTool[];
  setup: WorldSetup;
  setupHash: string;
}

export interface Diagnostic {
  /** `DY` and four digits; docs/diagnostics.md explains each. */
  code: string;
  severity: 'error' | 'warning';
  /** Relative to the repository root. */
  file: string;
  /** From 1. */
  line: number;
  column: number;
  /** JSON Pointer into the file's document; '' is the document. */
  path: string;
  message: string;
  suggestion?: string;
  details?: JsonObject;
}
