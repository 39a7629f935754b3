// A run handed on: its link, its failure as Markdown, all of it as one zip.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../../../viewer/kit/parts.tsx';
import { failureMarkdown } from '../state/failure-markdown.tsx';
import { isOffline } from '../state/live.tsx';
import { copyText, saveZip } from '../state/share.tsx';

export function ShareRun({ runId }: { runId: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const close = (): void => menu.current?.removeAttribute('open');
  useEffect(() => {
    const onPress = (event: Event): void => {
      if (menu.current?.contains(event.target as Node) === false) close();
    };
    addEventListener('pointerdown', onPress);
    return () => removeEventListener('pointerdown', onPress);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || menu.current?.open !== true) return;
    event.stopPropagation();
    close();
    menu.current.querySelector('summary')?.focus();
  };
  const act = (words: string, work: () => Promise<void>) => (): void => {
    setProblem(undefined);
    work().then(
      () => setSaid(words),
      (error: Error) => setProblem(error.message),
    );
    close();
    menu.current?.querySelector('summary')?.focus();
  };
  return (
    <>
      <details class="menu" ref={menu} onKeyDown={onKeyDown}>
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
