// The end of a text file, for the page: a log says at its end what went wrong.
import { open } from 'node:fs/promises';
import { limits } from '../contract/limits.js';

export interface Preview {
  text: string;
  /** False when the file has more before it. */
  whole: boolean;
}

export function previewOfBytes(bytes: Uint8Array): Preview {
  const whole = bytes.length <= limits.reportPreviewBytesMax;
  const end = whole ? bytes : bytes.subarray(-limits.reportPreviewBytesMax);
  // A cut character or bytes that are no UTF-8 become U+FFFD.
  return { text: new TextDecoder().decode(end), whole };
}

/** Reads no more than is shown. */
export async function previewOfFile(path: string, bytes: number): Promise<Preview> {
  const file = await open(path, 'r');
  try {
    const wanted = Math.min(bytes, limits.reportPreviewBytesMax);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, bytes - wanted);
    return { text: new TextDecoder().decode(buffer.subarray(0, bytesRead)), whole: wanted === bytes };
  } finally {
    await file.close();
  }
}
