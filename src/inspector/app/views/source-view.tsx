// The implementation files as they were compiled: read-only, with line numbers, addressed by their opaque ids.
import { useEffect, useRef } from 'preact/hooks';
import type { ImplementationFile, ProjectView, ToolView } from '../../../contract/run/project-view.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { Hash, PageHead } from '../../../viewer/kit/parts.tsx';
import { colorCode } from '../kit/code-colors.ts';
import { projectLoad } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client } from '../state/session.tsx';
import { Chooser } from './world-parts.tsx';

export function SourceView({ path, query }: { path: string[]; query: { [name: string]: string } }) {
  const project = projectLoad();
  return (
    <>
      <PageHead title="Source" lead="What the tools are made of, exactly as it was compiled. Nothing here is run." />
      <Await of={project} what="the project">
        {(view) => <Files view={view} path={path} line={Number(query.line ?? 0)} />}
      </Await>
    </>
  );
}

function Files({ view, path, line }: { view: ProjectView; path: string[]; line: number }) {
  const tool =
    view.tools.find((one) => one.toolId === path[0]) ?? view.tools.find((one) => one.implementation.files.length > 0) ?? view.tools[0];
  if (tool === undefined) {
    return (
      <Empty title="No source yet">
        <p>The world has no tools, so there is nothing to read.</p>
      </Empty>
    );
  }
  // Of the one that is shown: its place in the list.
  const file = tool.implementation.files.find((one) => one.fileId === path[1]) ?? tool.implementation.files[0];
  const items = view.tools.flatMap((one) =>
    one.implementation.files.length === 0
      ? [{ id: one.toolId, title: 'declarative: no code', group: one.toolId }]
      : one.implementation.files.map(({ fileId, displayPath, role }) => ({
          id: `${one.toolId}/${fileId}`,
          title: displayPath,
          group: one.toolId,
          ...(role === 'entry' ? { note: 'entry' } : {}),
        })),
  );
  return (
    <div class="split source">
      <Chooser
        label="Files"
        items={items}
        chosen={file === undefined ? tool.toolId : `${tool.toolId}/${file.fileId}`}
        hash={(id) => routeHash('source', id.split('/'))}
        canFilter
      />
      <ToolFiles key={tool.toolId} tool={tool} file={file} line={line} />
    </div>
  );
}

function ToolFiles({ tool, file, line }: { tool: ToolView; file: ImplementationFile | undefined; line: number }) {
  const { unavailable } = tool.implementation;
  return (
    <div class="panel">
      {file !== undefined && (
        <header class="panel-head row">
          <h2 class="h3">
            <code>{file.displayPath}</code>
          </h2>
          <a href={routeHash('world', ['tools', tool.toolId])}>{tool.definition.title ?? tool.toolId}</a>
        </header>
      )}
      {unavailable.map((one) => (
        <div key={one.displayPath} class="notice">
          <h2 class="h3">
            <code>{one.displayPath}</code> cannot be shown
          </h2>
          <p>
            {one.message} <code class="quiet">{one.reason}</code>
          </p>
        </div>
      ))}
      {file === undefined ? (
        <Empty title="Nothing to read">
          <p>
            {tool.declarative
              ? 'This tool is declarative: its operations come from its state schemas, and no code is behind them.'
              : 'Its source is not available here.'}
          </p>
        </Empty>
      ) : (
        <Code key={file.fileId} toolId={tool.toolId} fileId={file.fileId} line={line} />
      )}
    </div>
  );
}

function Code({ toolId, fileId, line }: { toolId: string; fileId: string; line: number }) {
  const source = useLoad(
    `source ${toolId} ${fileId}`,
    async () => (await client.call('getImplementation', { path: { toolId, fileId } })).source,
  );
  const marked = useRef<HTMLLIElement>(null);
  const here = source.value !== undefined;
  useEffect(() => {
    if (here) marked.current?.scrollIntoView({ block: 'center' });
  }, [here]);
  return (
    <Await of={source} what="the file" lines={12}>
      {(document) => (
        <>
          <div class="code" tabIndex={0} role="region" aria-label={document.displayPath}>
            <ol>
              {document.content
                .replace(/\n$/, '')
                .split('\n')
                .map((text, index) => (
                  <li
                    key={index}
                    id={`L${index + 1}`}
                    class={index + 1 === line ? 'marked' : undefined}
                    ref={index + 1 === line ? marked : null}
                  >
                    {colorCode(text).map((piece, at) =>
                      piece.kind === '' ? (
                        piece.text
                      ) : (
                        <span key={at} class={`code-${piece.kind}`}>
                          {piece.text}
                        </span>
                      ),
                    )}
                  </li>
                ))}
            </ol>
          </div>
          <dl class="hashes-row">
            <Hash name="content" value={document.contentHash} />
            <Hash name="artifact" value={document.artifactHash} />
            <Hash name="build" value={document.buildHash} />
          </dl>
        </>
      )}
    </Await>
  );
}
