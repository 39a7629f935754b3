// The bytes of files, which go to and come from another host than the API: plain text says what came of them.
import type { DecodedRequest, EncodeInput, HttpRequest, JsonValue, ToolBlob, WireReply } from 'drillyard/tool-sdk';

/** Bytes as the whole body, or as a part of a form, whatever it is called. */
export const uploadCodecs = {
  decode: ({ path, body }: HttpRequest): DecodedRequest => {
    const bytes = body.kind === 'bytes' ? body.value : body.kind === 'multipart' ? body.parts.find((part) => part.bytes)?.bytes : undefined;
    return { arguments: { upload: path.upload, ...(bytes === undefined ? {} : { bytes: { ...bytes } }) } };
  },
  encode: ({ outcome }: EncodeInput): WireReply => {
    if (outcome.kind === 'ok') return text(`OK - ${(outcome.value as { received: number }).received}`);
    return text(outcome.error.code.toLowerCase());
  },
};

export const downloadCodecs = {
  decode: ({ path }: HttpRequest): DecodedRequest => ({ arguments: { file: path.file } }),
  encode: ({ outcome }: EncodeInput): WireReply => {
    if (outcome.kind !== 'ok') return text(outcome.error.code.toLowerCase());
    const { blob, name, mimetype } = outcome.value as { readonly [member: string]: JsonValue };
    return {
      headers: { 'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(String(name))}` },
      body: { kind: 'blob', value: blob as unknown as ToolBlob, contentType: String(mimetype) },
    };
  },
};

const text = (value: string): WireReply => ({ body: { kind: 'text', value, contentType: 'text/plain; charset=utf-8' } });
