// What the page shows of an attachment: the end of a text file, as a log says at its end what went wrong, and an image as it is.
import { open, readFile } from 'node:fs/promises';
import { limits } from '../contract/limits.js';
import type { AttachmentDescriptor } from '../contract/run/run.js';
import { previewKind } from './preview-kind.js';

export type Preview = TextPreview | ImagePreview;
export interface TextPreview {
  text: string;
  /** False when the file has more before it. */
  whole: boolean;
}
export interface ImagePreview {
  /** A `data:` address. */
  image: string;
}
export function imageOfBytes(bytes: Uint8Array, mediaType: string): ImagePreview {
  return { image: `data:${mediaType};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}` };
}

export function previewOfBytes(bytes: Uint8Array): TextPreview {
  const whole = bytes.length <= limits.reportPreviewBytesMax;
  const end = whole ? bytes : bytes.subarray(-limits.reportPreviewBytesMax);
  // A cut character or bytes that are no UTF-8 become U+FFFD.
  return { text: new TextDecoder().decode(end), whole };
}

/** Of a file as an attachment with this descriptor; null where nothing of it is shown. */
export async function previewOfAttachment(
  path: string,
  descriptor: Pick<AttachmentDescriptor, 'mediaType' | 'bytes'>,
): Promise<Preview | null> {
  const kind = previewKind(descriptor);
  if (kind === 'image') return imageOfBytes(await readFile(path), descriptor.mediaType);
  return kind === 'text' ? textOfFile(path, descriptor.bytes) : null;
}

/** Reads no more than is shown. */
async function textOfFile(path: string, bytes: number): Promise<TextPreview> {
  const file = await open(path, 'r');
  try {
    const wanted = Math.min(bytes, limits.reportPreviewBytesMax);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, bytes - wanted);
    return { text: new TextDecoder().decode(buffer.subarray(0, bytesRead)), whole: wanted === bytes };
  } finally {
    await file.close();
  }
}
