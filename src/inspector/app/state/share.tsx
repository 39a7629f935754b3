// What leaves the page: text to the clipboard, a run as one file.
import { saveAs } from '../kit/save.tsx';
import { client } from './session.tsx';

/** Handed over as a promise: the browser takes what is made after the click only so. */
export async function copyText(make: () => Promise<string>): Promise<void> {
  const text = make().then((made) => new Blob([made], { type: 'text/plain' }));
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
}

export async function saveZip(runId: string): Promise<void> {
  saveAs(await client.bytes('getReportZip', { path: { runId } }), `${runId}.zip`);
}
