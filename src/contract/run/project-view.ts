// The compiled project view.
import type { Provenance } from '../provenance.js';
import type { Scenario } from '../world/scenario.js';
import type { ToolManifest } from '../world/tool-manifest.js';
import type { Diagnostic } from './build.js';
import type { Drill, Suite } from './drill.js';
import type { World } from './project-files.js';
import type { Target } from './target.js';

export interface ImplementationFile {
  /** Opaque: never a path, never accepted as one. */
  fileId: string;
  role: 'entry' | 'helper';
  /** Shown to people only. */
  displayPath: string;
  mediaType: string;
  bytes: number;
}
export type SourceRefusal =
  | 'missing'
  | 'unsupported_type'
  | 'restricted_path'
  | 'symlink'
  | 'package_identity_changed'
  | 'invalid_text'
  | 'file_too_large'
  | 'budget_exceeded';
export interface ToolView {
  toolId: string;
  version: string;
  definition: ToolManifest;
  manifestHash: string;
  artifactHash: string;
  stateSchemaDigest: string;
  declarative: boolean;
  implementation: { files: ImplementationFile[]; unavailable: { displayPath: string; reason: SourceRefusal; message: string }[] };
  provenance: Provenance;
}
export interface ImplementationSource {
  fileId: string;
  toolId: string;
  role: 'entry' | 'helper';
  displayPath: string;
  content: string;
  /** Digest of the exact captured UTF-8 bytes. */
  contentHash: string;
  buildHash: string;
  artifactHash: string;
}
export interface ProjectView {
  schemaVersion: 1;
  /** Absent while the source does not compile. */
  buildHash?: string;
  packageLockHash?: string;
  world?: World & { provenance: Provenance };
  tools: ToolView[];
  scenarios: (Scenario & { setupHash: string; provenance: Provenance })[];
  targets: (Target & { provenance: Provenance })[];
  drills: (Drill & { setupHash: string; provenance: Provenance })[];
  suites: (Suite & { provenance: Provenance })[];
  diagnostics: Diagnostic[];
}
