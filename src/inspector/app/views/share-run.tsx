// A run handed on: its link, its failure as Markdown, all of it as one zip.
import { useRef, useState } from 'preact/hooks';
import { Problem } from '../../../viewer/kit/parts.tsx';
import { failureMarkdown } from '../state/failure-markdown.tsx';
import { isOffline } from '../state/live.tsx';
import { copyText, saveZip } from '../state/share.tsx';

export function ShareRun({ runId }: { runId: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const act = (words: string, work: () => Promise<void>) => (): void => {
    setProblem(undefined);
    work().then(
      () => setSaid(words),
      (error: Error) => setProblem(error.message),
    );
    menu.current?.removeAttribute('open');
  };
  return (
    <>
      <details class="menu" ref={menu}>
        <summary class="button">Share</summary>
        <div class="menu-body">
          <button type="button" onClick={act('Link copied', () => copyText(async () => location.href))}>
            Copy link
          </button>
          <button type="button" disabled={isOffline.value} onClick={act('Copied', () => copyText(() => failureMarkdown(runId)))}>
            Copy as Markdown
          </button>
          <button type="button" disabled={isOffline.value} onClick={act('Saved', () => saveZip(runId))}>
            Save as zip
          </button>
        </div>
      </details>
      <span class="quiet" role="status">
        {said}
      </span>
      <Problem text={problem} />
    </>
  );
}
