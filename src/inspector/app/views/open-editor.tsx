// A button that opens a place of the source in the editor, where the inspector knows one.
import { useState } from 'preact/hooks';
import type { EditorRequest } from '../../../contract/inspector/inspector.js';
import { Problem } from '../../../viewer/kit/parts.tsx';
import { projectReply } from '../state/live.tsx';
import { client } from '../state/session.tsx';

export function OpenEditor({ place }: { place: EditorRequest }) {
  const [problem, setProblem] = useState<string | undefined>();
  if (projectReply.value?.editor !== true) return null;
  const open = (): void => {
    setProblem(undefined);
    client.call('openEditor', { body: place }).catch((error: Error) => setProblem(error.message));
  };
  return (
    <>
      <button type="button" class="link" onClick={open}>
        Open in editor
      </button>
      <Problem text={problem} />
    </>
  );
}
