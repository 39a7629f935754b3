// The compiled project as people and the inspector see it. Also made of source that does not compile: then of what
// fits.
import { defined } from '../contract/defined.js';
import type { Provenance } from '../contract/provenance.js';
import type { CompiledBuild, Diagnostic } from '../contract/run/build.js';
import type { Drill } from '../contract/run/drill.js';
import type { ImplementationSource, ProjectView, ToolView } from '../contract/run/project-view.js';
import type { Scenario, WorldSetup } from '../contract/world/scenario.js';
import { captureImplementations } from './implementation.js';
import type { LocatedValue, ProjectDocuments } from './project-documents.js';
import { setupDigest } from './setups.js';
import type { SourceDocument } from './source-document.js';
import type { CompiledSource } from './tool-compile.js';

export interface ViewParts {
  build: CompiledBuild | undefined;
  project: ProjectDocuments;
  tools: readonly CompiledSource[];
  setups: { scenario: ReadonlyMap<Scenario, WorldSetup>; drill: ReadonlyMap<Drill, WorldSetup> };
  diagnostics: Diagnostic[];
}

export function projectView({ build, project, tools, setups, diagnostics }: ViewParts): {
  view: ProjectView;
  sources: Map<string, ImplementationSource>;
} {
  const { byTool, sources } = captureImplementations(tools, build?.buildHash ?? '');
  const setupHash = (setup: WorldSetup | undefined) => (setup === undefined ? '' : setupDigest(setup));
  const view: ProjectView = {
    schemaVersion: 1,
    ...defined({ buildHash: build?.buildHash, packageLockHash: build?.packageLockHash }),
    ...(project.world === undefined ? {} : { world: withProvenance(project.world) }),
    tools: tools.map((tool) => ({
      toolId: tool.compiled.packageId,
      version: tool.compiled.version,
      definition: tool.compiled.manifest,
      manifestHash: tool.compiled.manifestHash,
      artifactHash: tool.compiled.artifactHash,
      stateSchemaDigest: tool.compiled.stateSchemaDigest,
      declarative: tool.declarative,
      implementation:
        build === undefined
          ? { files: [], unavailable: byTool.get(tool)?.unavailable ?? [] }
          : (byTool.get(tool) as ToolView['implementation']),
      provenance: provenanceOf(tool.document),
    })),
    scenarios: project.scenarios.map((located) => ({
      ...withProvenance(located),
      setupHash: setupHash(setups.scenario.get(located.item)),
    })),
    targets: project.targets.map(withProvenance),
    drills: project.drills.map((located) => ({ ...withProvenance(located), setupHash: setupHash(setups.drill.get(located.item)) })),
    suites: project.suites.map(withProvenance),
    diagnostics,
  };
  return { view, sources: build === undefined ? new Map() : sources };
}

function withProvenance<T>({ item, document }: LocatedValue<T>): T & { provenance: Provenance } {
  return { ...item, provenance: provenanceOf(document) };
}

function provenanceOf(document: SourceDocument): Provenance {
  if (document.caseOf !== undefined) return document.caseOf.provenance;
  const { file, line, column } = document.place('');
  return { file, line, column };
}
