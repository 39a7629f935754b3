// Hands bytes to the browser to be saved: nothing that a run attached is ever opened inside the app.
import { tuning } from '../../tuning.js';

export function saveAs(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), tuning.savedUrlMs);
}
