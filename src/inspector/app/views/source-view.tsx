// All source that runs follow from: the files of the repository as a tree, and those of packages from elsewhere, as they were read.
//   #/source/<file>?line=12, #/source/<tool>/<file>, #/source?at=drills/one.drill.yaml&line=3, #/source?find=refund
import type { SourceListReply } from '../../../contract/inspector/source.js';
import type { ProjectView } from '../../../contract/run/project-view.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { Hash, PageHead } from '../../../viewer/kit/parts.tsx';
import { projectLoad, projectReply } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client, refine, route } from '../state/session.tsx';
import { Code } from './source-code.tsx';
import { FindField, Found } from './source-find.tsx';
import { SourceTree, type TreeFile } from './source-tree.tsx';

interface SourceProps {
  path: string[];
  query: { [name: string]: string };
}

export function SourceView({ path, query }: SourceProps) {
  const project = projectLoad();
  const generation = projectReply.value?.generation ?? 0;
  const list = useLoad(`source list ${generation}`, () => client.call('listSource', {}), { keep: true });
  return (
    <>
      <PageHead title="Source" lead="What runs follow from: world, scenarios, drills, agents, tools. Nothing here is run." />
      <Await of={project} what="the project" lines={10}>
        {(view) => (
          <Await of={list} what="the files" lines={10}>
            {(source) => <Files view={view} source={source} path={path} query={query} generation={generation} />}
          </Await>
        )}
      </Await>
    </>
  );
}

/** A file that is looked at: of the repository, or of a package from elsewhere. */
interface Chosen {
  toolId?: string;
  fileId: string;
  displayPath: string;
}

function Files({
  view,
  source,
  path,
  query,
  generation,
}: SourceProps & { view: ProjectView; source: SourceListReply; generation: number }) {
  const chosen = chosenIn(view, source, path, query);
  const words = (query.find ?? '').trim();
  const here = (file: { fileId: string; displayPath: string }, hash: string): TreeFile => {
    return { displayPath: file.displayPath, hash, isChosen: file.fileId === chosen?.fileId };
  };
  const own = new Set(source.files.map(({ implementationFileId }) => implementationFileId));
  const packages = new Map(
    view.tools.flatMap(({ toolId, implementation: { files } }) => {
      const others = files.filter(({ fileId }) => !own.has(fileId));
      return others.length === 0 ? [] : [[toolId, others.map((file) => here(file, routeHash('source', [toolId, file.fileId])))] as const];
    }),
  );
  const find = (next: string): void => refine(routeHash('source', route.value.path, { ...route.value.query, find: next }));
  return (
    <div class="split source">
      <div class="source-side">
        <FindField words={words} onWords={find} />
        {words === '' ? (
          <SourceTree files={source.files.map((file) => here(file, routeHash('source', [file.fileId])))} packages={packages} />
        ) : (
          <Found
            words={words}
            generation={generation}
            hash={({ toolId, fileId, line }) =>
              routeHash('source', toolId === undefined ? [fileId] : [toolId, fileId], { line, find: words })
            }
          />
        )}
      </div>
      <div class="panel">
        <Unavailable view={view} source={source} />
        {chosen === undefined ? (
          <Empty title="Nothing to read">
            <p>The source has no such file.</p>
          </Empty>
        ) : (
          <FileText key={chosen.fileId} chosen={chosen} line={Number(query.line ?? 0)} generation={generation} />
        )}
      </div>
    </div>
  );
}

/** By its id, by its place in the repository, or by tool: of these the file of the repository, where it is one. */
function chosenIn(
  view: ProjectView,
  { files }: SourceListReply,
  [first, second]: string[],
  { at }: SourceProps['query'],
): Chosen | undefined {
  if (at !== undefined) return files.find(({ displayPath }) => displayPath === at);
  if (first === undefined) return files.find(({ role }) => role === 'root') ?? files[0];
  const tool = view.tools.find(({ toolId }) => toolId === first);
  if (tool === undefined) return files.find(({ fileId }) => fileId === first);
  const { files: modules } = tool.implementation;
  const file = modules.find(({ fileId }) => fileId === second) ?? modules[0];
  const own = files.find(({ implementationFileId, displayPath }) =>
    file === undefined ? displayPath === tool.provenance.file : implementationFileId === file.fileId,
  );
  return own ?? (file === undefined ? undefined : { toolId: tool.toolId, fileId: file.fileId, displayPath: file.displayPath });
}

function Unavailable({ view, source }: { view: ProjectView; source: SourceListReply }) {
  const refused = [...source.unavailable, ...view.tools.flatMap(({ implementation }) => implementation.unavailable)];
  return (
    <>
      {refused.map(({ displayPath, message }) => (
        <div key={displayPath} class="notice">
          <h2 class="h3">
            <code>{displayPath}</code> cannot be shown
          </h2>
          <p>{message}</p>
        </div>
      ))}
    </>
  );
}

function FileText({ chosen: { toolId, fileId, displayPath }, line, generation }: { chosen: Chosen; line: number; generation: number }) {
  const source = useLoad(`source ${generation} ${toolId} ${fileId}`, async () =>
    toolId === undefined
      ? (await client.call('getSource', { path: { fileId } })).source
      : (await client.call('getImplementation', { path: { toolId, fileId } })).source,
  );
  return (
    <>
      <header class="panel-head row">
        <h2 class="h3">
          <code>{displayPath}</code>
        </h2>
        {toolId !== undefined && <a href={routeHash('world', ['tools', toolId])}>{toolId}</a>}
      </header>
      <Await of={source} what="the file" lines={12}>
        {({ content, contentHash }) => (
          <>
            <Code name={displayPath} content={content} line={line} />
            <dl class="hashes-row">
              <Hash name="content" value={contentHash} />
            </dl>
          </>
        )}
      </Await>
    </>
  );
}
