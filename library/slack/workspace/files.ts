// Files, in three steps: a place to upload to, the bytes, and then the file, shared in a channel or not.
import type { ToolBlob } from 'drillyard/tool-sdk';
import { callerOf, isVisible, requireOpen } from './access.js';
import { listed } from './direct.js';
import { tell } from './events.js';
import type { Channel, Context, File, Shown, User } from './model.js';
import { post, threadOf } from './posting.js';
import { findRow, nextId, nextNumber, refuse, rowsWhere } from './rows.js';
import { filesHost, mimetypeOf, shownFile } from './shown.js';
import { nowSeconds } from './times.js';

const lengthMax = 25 * 1024 * 1024;
const textBytesMax = 200_000;

interface PlaceInput {
  readonly filename: string;
  readonly length: number;
  readonly alt_txt?: string;
  readonly alt_text?: string;
}

export function getUploadUrl({ filename, length, alt_txt, alt_text }: PlaceInput, context: Context): Shown {
  const user = callerOf(context);
  if (length < 1) refuse(context, 'MISSING_ARGUMENT', 'A file has at least one byte.');
  if (length > lengthMax) refuse(context, 'FILE_UPLOAD_SIZE_RESTRICTED', `A file has ${lengthMax} bytes at most here.`);
  const id = nextId(context, 'files');
  const upload = `${id}${nextNumber(context, 'uploads').toString(36).padStart(6, '0')}`;
  context.state.put('files', id, {
    ...{ id, upload, status: 'pending', user: user.id, name: filename, title: filename, length, mimetype: mimetypeOf(filename) },
    ...{ alt_txt: alt_txt ?? alt_text ?? null, created: nowSeconds(context), shares: [], blob: null },
  });
  return { ok: true, upload_url: `${filesHost}/upload/v1/${upload}`, file_id: id };
}

interface UploadInput {
  readonly upload: string;
  readonly bytes?: ToolBlob;
  readonly content?: string;
}

/** Takes the bytes. Until the file is completed they may be sent again. */
export function upload({ upload: place, bytes, content }: UploadInput, context: Context): Shown {
  callerOf(context);
  const wanted = place.slice(place.lastIndexOf('/') + 1);
  const [file] = rowsWhere(context, 'files', (row) => row.upload === wanted && (row.status === 'pending' || row.status === 'uploaded'));
  if (file === undefined) return refuse(context, 'UPLOAD_NOT_FOUND', 'There is no such place to upload to.');
  const blob = bytes ?? context.blobs.put(content ?? '', file.mimetype);
  if (blob.length !== file.length) refuse(context, 'UPLOAD_SIZE_MISMATCH', `${file.length} bytes were announced, ${blob.length} came.`);
  context.state.put('files', file.id, { ...file, status: 'uploaded', blob: { ...blob, contentType: file.mimetype } });
  return { ok: true, received: blob.length };
}

interface CompleteInput {
  readonly files: readonly { readonly id: string; readonly title?: string }[];
  readonly channel_id?: string;
  readonly channels?: string;
  readonly initial_comment?: string;
  readonly thread_ts?: string;
}

/** All of the files in one message of each channel, or none of them. */
export function completeUpload({ files, channel_id, channels, initial_comment = '', thread_ts }: CompleteInput, context: Context): Shown {
  const user = callerOf(context);
  const targets = (channel_id === undefined ? listed(channels) : [channel_id]).map((id) => requireOpen(context, id, user));
  const uploaded = files.map(({ id, title }) => {
    const file = findRow(context, 'files', id);
    if (file?.status !== 'uploaded' || file.user !== user.id) return refuse(context, 'FILE_NOT_FOUND', `${id} has not been uploaded.`);
    return { ...file, status: 'complete' as const, title: title ?? file.title };
  });
  for (const file of uploaded) context.state.put('files', file.id, file);
  for (const channel of targets) share(context, uploaded, channel, user, initial_comment, threadOf(context, channel, thread_ts));
  return { ok: true, files: uploaded.map(({ id }) => shownFile(context, findRow(context, 'files', id) as File)) };
}

function share(context: Context, files: readonly File[], channel: Channel, user: User, text: string, parent_ts: string | null): void {
  const ids = files.map(({ id }) => id);
  const { ts } = post(context, channel, { text, user: user.id, origin: 'actor', files: ids, parent_ts, subtype: null });
  for (const id of ids) {
    const file = findRow(context, 'files', id) as File;
    context.state.put('files', id, { ...file, shares: [...file.shares, { channel: channel.id, ts }] });
    tell(context, 'file_shared', channel, { file_id: id, user_id: user.id, file: { id }, channel_id: channel.id });
  }
}

export function getFile({ file: id }: { file: string }, context: Context): Shown {
  return { ok: true, file: shownFile(context, requireFile(context, id, callerOf(context))), comments: [], ...metadataEmpty };
}
const metadataEmpty = { response_metadata: { next_cursor: '' } };

interface ListInput {
  readonly channel?: string;
  readonly user?: string;
  readonly ts_from?: string;
  readonly ts_to?: string;
  readonly types?: string;
  readonly count?: number;
  readonly page?: number;
}
const countDefault = 100;
const typesOf = new Map([
  ['images', /^image\//],
  ['pdfs', /pdf$/],
  ['snippets', /^text\//],
  ['zips', /zip$/],
]);

/** Newest first, by numbered pages. */
export function listFiles(input: ListInput, context: Context): Shown {
  const { channel, user, ts_from = '0', ts_to = '9999999999', types = 'all', count = countDefault, page = 1 } = input;
  const caller = callerOf(context);
  const wanted = types.split(',').map((type) => type.trim());
  const files = rowsWhere(
    context,
    'files',
    (file) =>
      file.status === 'complete' &&
      isOpenTo(context, file, caller) &&
      (channel === undefined || file.shares.some((shared) => shared.channel === channel)) &&
      (user === undefined || file.user === user) &&
      file.created >= Number(ts_from) &&
      file.created <= Number(ts_to) &&
      (wanted.includes('all') || wanted.some((type) => typesOf.get(type)?.test(file.mimetype))),
  ).sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  const paging = { count, total: files.length, page, pages: Math.ceil(files.length / count) };
  return { ok: true, files: files.slice((page - 1) * count, page * count).map((file) => shownFile(context, file)), paging };
}

/** By who uploaded it, and by admins. The messages it was shared in stay. */
export function deleteFile({ file: id }: { file: string }, context: Context): Shown {
  const user = callerOf(context);
  const file = requireFile(context, id, user);
  if (file.user !== user.id && !user.is_admin && !user.is_owner)
    refuse(context, 'CANT_DELETE_FILE', 'A file is deleted by who uploaded it, and by admins.');
  context.state.put('files', id, { ...file, status: 'deleted', blob: null });
  for (const { channel, ts } of file.shares) {
    const rowId = `${channel}:${ts}`;
    const message = findRow(context, 'messages', rowId);
    if (message !== undefined) context.state.put('messages', rowId, { ...message, files: message.files.filter((one) => one !== id) });
  }
  return { ok: true };
}

/** What `url_private` leads to. */
export function download({ file: named }: { file: string }, context: Context): Shown {
  const id = named.slice(named.lastIndexOf('-') + 1);
  const file = requireFile(context, id, callerOf(context));
  if (file.blob === null) return refuse(context, 'FILE_NOT_FOUND', `${id} has no content.`);
  const isText = /^text\/|json$/.test(file.mimetype) && file.length <= textBytesMax;
  return {
    ok: true,
    name: file.name,
    mimetype: file.mimetype,
    blob: { ...file.blob },
    content: isText ? context.blobs.text(file.blob) : undefined,
  };
}

function requireFile(context: Context, id: string, user: User): File {
  const file = findRow(context, 'files', id);
  if (file?.status === 'deleted') return refuse(context, 'FILE_DELETED', `${id} was deleted.`);
  if (file?.status === 'complete' && isOpenTo(context, file, user)) return file;
  return refuse(context, 'FILE_NOT_FOUND', `There is no file ${id} that ${user.id} can see.`);
}

function isOpenTo(context: Context, file: File, user: User): boolean {
  if (file.user === user.id) return true;
  return file.shares.some(({ channel }) => {
    const row = findRow(context, 'channels', channel);
    return row !== undefined && isVisible(row, user.id);
  });
}
