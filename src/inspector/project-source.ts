// The repository as it was last loaded: compiled once at the start and at each refresh, captured in memory, never run from here.
import { type CompileOptions, type CompileResult, compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { ImplementationPath, ImplementationReply, InspectorProjectReply } from '../contract/inspector/inspector.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { Binding } from '../contract/run/target.js';
import { refuseTarget } from '../drills/plan/plan.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import type { RecordingPlace } from '../drills/stored/recording.js';
import { packageVersion } from '../files/installation.js';

export interface ProjectOptions {
  root: string;
  config?: string;
  /** The embedding application gave an agent. */
  hasAgent: boolean;
  bindings: ReadonlySet<Binding>;
}

export class ProjectSource {
  readonly #options: ProjectOptions;
  #compiled: CompileResult;
  #generation = 1;
  #loadedAtMs = Date.now();

  private constructor(options: ProjectOptions, compiled: CompileResult) {
    this.#options = options;
    this.#compiled = compiled;
  }

  static async load(options: ProjectOptions, onProgress?: CompileOptions['onProgress']): Promise<ProjectSource> {
    return new ProjectSource(options, await compile(options, onProgress));
  }

  async refresh(): Promise<InspectorProjectReply> {
    this.#compiled = await compile(this.#options);
    this.#generation++;
    this.#loadedAtMs = Date.now();
    return this.reply();
  }

  get generation(): number {
    return this.#generation;
  }
  get outsidePackages(): readonly string[] {
    return this.#compiled.outsidePackages;
  }
  get errors(): number {
    return this.#compiled.diagnostics.filter(({ severity }) => severity === 'error').length;
  }

  reply(): InspectorProjectReply {
    const { view } = this.#compiled;
    const { hasAgent, bindings } = this.#options;
    return {
      schemaVersion: 1,
      project: view,
      generation: this.#generation,
      loadedAtMs: this.#loadedAtMs,
      externalAgent: hasAgent,
      unavailableTargets: view.targets.flatMap((target) => {
        const refusal = refuseTarget(target, bindings, hasAgent);
        return refusal === undefined ? [] : [{ targetId: target.id, code: refusal.code, message: refusal.message }];
      }),
      engineVersion: packageVersion(),
    };
  }

  /** A file is selected by its id alone; a path is nothing here. */
  implementation({ toolId, fileId }: ImplementationPath): ImplementationReply {
    const source = this.#compiled.sources.get(fileId);
    if (source === undefined || source.toolId !== toolId)
      throw new ServiceError('control.NOT_FOUND', { message: 'The tool has no such implementation file. Its ids are in the project.' });
    return { schemaVersion: 1, source };
  }

  /** Where files are recorded to. Throws as `build`. */
  recordingPlace(): RecordingPlace {
    const { view, settings } = this.#compiled;
    return { build: this.build(), view, sourceRoot: settings?.sourceRoot ?? '.' };
  }

  /** Throws control.SOURCE_INVALID while the source does not compile. */
  build(): CompiledBuild {
    const { build, diagnostics } = this.#compiled;
    if (build === undefined) throw new SourceInvalidError(diagnostics);
    return build;
  }
}

function compile({ root, config }: ProjectOptions, onProgress?: CompileOptions['onProgress']): Promise<CompileResult> {
  return compileProject({ root, ...defined({ config, onProgress }) });
}
