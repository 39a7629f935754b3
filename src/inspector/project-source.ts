// The repository as it was last loaded: compiled once at the start and at each refresh, captured in memory, never run from here.
import { type CompileOptions, type CompileResult, compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type {
  EditorPlace,
  EditorRequest,
  ImplementationPath,
  ImplementationReply,
  InspectorProjectReply,
} from '../contract/inspector/inspector.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { Binding } from '../contract/run/target.js';
import { refuseTarget } from '../drills/plan/plan.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import type { RecordingPlace } from '../drills/stored/recording.js';
import { packageVersion } from '../files/installation.js';
import { type EditorCommand, openInEditor, placeOf } from './editor.js';
import type { EventHub } from './event-hub.js';
import { RepositorySource } from './repository-source.js';
import { excerptsOf } from './source-excerpts.js';

export interface ProjectOptions {
  root: string;
  config?: string;
  /** The embedding application gave an agent. */
  hasAgent: boolean;
  bindings: ReadonlySet<Binding>;
  hub: EventHub;
  editor?: EditorCommand;
}

export class ProjectSource {
  readonly #options: ProjectOptions;
  #compiled: CompileResult;
  #excerpts: string[];
  #repository: Promise<RepositorySource> | undefined;
  #generation = 1;
  #loadedAtMs = Date.now();

  private constructor(options: ProjectOptions, compiled: CompileResult) {
    this.#options = options;
    this.#compiled = compiled;
    this.#excerpts = excerptsOf(options.root, compiled.diagnostics);
  }

  static async load(options: ProjectOptions, onProgress?: CompileOptions['onProgress']): Promise<ProjectSource> {
    return new ProjectSource(options, await compile(options, onProgress));
  }

  async refresh(): Promise<InspectorProjectReply> {
    this.#compiled = await compile(this.#options);
    this.#excerpts = excerptsOf(this.#options.root, this.#compiled.diagnostics);
    this.#repository = undefined;
    this.#generation++;
    this.#loadedAtMs = Date.now();
    const reply = this.reply();
    const { buildHash } = reply.project;
    this.#options.hub.publish({ type: 'project', generation: reply.generation, ...defined({ buildHash }), errors: this.errors });
    return reply;
  }

  /** Whether a run saw another source than this: it compiles for itself. `buildHash`: of what it ran; absent where it could not. */
  isOutdated(buildHash: string | undefined): boolean {
    return this.#compiled.view.buildHash !== buildHash;
  }

  get compiles(): boolean {
    return this.#compiled.build !== undefined;
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
      excerpts: this.#excerpts,
      generation: this.#generation,
      loadedAtMs: this.#loadedAtMs,
      externalAgent: hasAgent,
      unavailableTargets: view.targets.flatMap((target) => {
        const refusal = refuseTarget(target, bindings, hasAgent);
        return refusal === undefined ? [] : [{ targetId: target.id, code: refusal.code, message: refusal.message }];
      }),
      engineVersion: packageVersion(),
      editor: this.#options.editor !== undefined,
    };
  }

  /** A file is selected by its id alone; a path is nothing here. */
  implementation({ toolId, fileId }: ImplementationPath): ImplementationReply {
    const source = this.#compiled.sources.get(fileId);
    if (source === undefined || source.toolId !== toolId)
      throw new ServiceError('control.NOT_FOUND', { message: 'The tool has no such implementation file. Its ids are in the project.' });
    return { schemaVersion: 1, source };
  }

  /** Read when it is first asked for after a load, and then as it was. */
  repository(): Promise<RepositorySource> {
    const { root, config } = this.#options;
    this.#repository ??= RepositorySource.read(root, this.#compiled, config);
    return this.#repository;
  }

  async openEditor(request: EditorRequest): Promise<EditorPlace> {
    const { editor, root } = this.#options;
    const place = placeOf(this.#compiled.view, request);
    if (editor === undefined)
      throw new ServiceError('control.STATE_CONFLICT', {
        message: 'No editor is named: start the inspector with DRILLYARD_EDITOR, such as "code -g".',
      });
    await openInEditor(editor, root, place);
    return place;
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
