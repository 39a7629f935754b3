// The implementation files as they were compiled: read-only, with line numbers, addressed by their opaque ids.
import { useEffect, useRef } from 'preact/hooks';
import type { ProjectView, ToolView } from '../../../contract/run/project-view.js';
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
  const items = view.tools.map((one) => ({
    id: one.toolId,
    title: one.definition.title ?? one.toolId,
    note: one.declarative
      ? 'declarative'
      : `${one.implementation.files.length} ${one.implementation.files.length === 1 ? 'file' : 'files'}`,
  }));
  return (
    <div class="split">
      <Chooser label="Tools" items={items} chosen={tool.toolId} hash={(id) => routeHash('source', [id])} />
      <ToolFiles key={tool.toolId} tool={tool} fileId={path[1]} line={line} />
    </div>
  );
}

function ToolFiles({ tool, fileId, line }: { tool: ToolView; fileId: string | undefined; line: number }) {
  const { files, unavailable } = tool.implementation;
  const file = files.find((one) => one.fileId === fileId) ?? files[0];
  return (
    <div class="panel">
      {files.length > 0 && (
        <nav class="tabs small" aria-label="Files">
          {files.map((one) => (
            <a key={one.fileId} href={routeHash('source', [tool.toolId, one.fileId])} aria-current={one === file ? 'true' : undefined}>
              {one.displayPath} {one.role === 'entry' && <span class="count">entry</span>}
            </a>
          ))}
        </nav>
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
