// Bodies as bytes of any kind: what reads them ends, with all of a body or a refusal, and never with less than was sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { planBody } from '../../src/bindings/wire-body.js';
import { sha256Digest } from '../../src/contract/digest.js';
import { isServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import type { ServerRequest } from '../../src/http/server.js';
import fc from '../fast-check.js';

const bytes = fc.uint8Array({ maxLength: 300 });
function received(body: Uint8Array, headers: { [name: string]: string }) {
  const all = new Map(Object.entries({ 'content-length': String(body.length), ...headers }));
  const request = { headers: all, repeatedHeaders: new Map(), body: async () => body } as unknown as ServerRequest;
  return planBody(request, ['json', 'form', 'multipart', 'text', 'bytes']).read();
}

// BODY-CODING-1
test('any cut of bytes into chunks is the bytes, and any change of them is refused or is other bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 99 }), { maxLength: 5 }),
      fc.nat(),
      fc.nat(255),
      async (chunks, at, value) => {
        const whole = Buffer.concat(chunks);
        const framed = Buffer.concat([
          ...chunks.flatMap((chunk) => [
            Buffer.from(`${chunk.length.toString(16)};chunk-signature=0\r\n`),
            Buffer.from(chunk),
            Buffer.from('\r\n'),
          ]),
          Buffer.from('0\r\nx-amz-a: b\r\n\r\n'),
        ]);
        const headers = { 'content-type': 'x/y', 'content-encoding': 'aws-chunked' };
        const { body, trailers, blobs } = await received(framed, headers);
        assert.deepEqual([body.kind === 'bytes' && body.value.digest, { ...trailers }], [sha256Digest(whole), { 'x-amz-a': 'b' }]);
        assert.equal(blobs[0]?.base64, whole.toString('base64'));
        const changed = Buffer.from(framed);
        changed[at % framed.length] = value;
        await endsWell(received(changed, { ...headers, 'x-amz-decoded-content-length': String(whole.length) }));
      },
    ),
  );
});

// MULTIPART-1
test('parts of any bytes are those bytes, and a body that is cut is refused', async () => {
  const part = bytes.filter((content) => !Buffer.from(content).includes('--boundary'));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), fc.nat(), async (parts, at) => {
      const whole = Buffer.concat([
        ...parts.flatMap((content, place) => [
          Buffer.from(`--boundary\r\nContent-Disposition: form-data; name="${place}"; filename="f"\r\n\r\n`),
          Buffer.from(content),
          Buffer.from('\r\n'),
        ]),
        Buffer.from('--boundary--'),
      ]);
      const headers = { 'content-type': 'multipart/form-data; boundary=boundary' };
      const { body } = await received(whole, headers);
      assert.deepEqual(
        body.kind === 'multipart' && body.parts.map((one) => one.bytes?.digest),
        parts.map((content) => sha256Digest(content)),
      );
      const cut = await endsWell(received(whole.subarray(0, 1 + (at % (whole.length - 1))), headers));
      assert.equal(cut, undefined);
    }),
  );
});

// MULTIPART-1
test('a body in parts is read as it is, or refused', async () => {
  const parts = async (text: string, type = 'form-data') => {
    const { body } = await received(Buffer.from(text, 'latin1'), { 'content-type': `multipart/${type}; boundary=B` });
    return body.kind === 'multipart' ? body.parts : assert.fail(body.kind);
  };
  const named = 'Content-Disposition: form-data; name="a"';
  const fields = (count: number, text = 'y'): string => Array.from({ length: count }, (_, index) => `X-${index}: ${text}`).join('\r\n');
  const one = (head: string, rest = '\r\n\r\nx\r\n--B--\r\n'): string => `--B\r\n${head}${rest}`;
  for (const [name, text, content] of [
    ['blanks behind the boundary', `--B \t\r\n${named}\r\n\r\nx\r\n--B \r\n${named}\r\n\r\nx\r\n--B-- \r\n`, 'x'],
    ['words around', `before\r\n${one(named)}behind`, 'x'],
    ['as many fields as may be', one(`${named}\r\n${fields(limits.multipartHeadersMax - 1)}`), 'x'],
    ['a folded field', one('Content-Disposition: form-data;\r\n name="a"'), 'x'],
    ['nothing but fields', one(named, '\r\n\r\n--B--'), ''],
    ['a boundary in the middle of a line', one(named, '\r\n\r\n-\r\n-B --B--\r\n--B--'), '-\r\n-B --B--'],
  ] as const)
    for (const part of await parts(text)) assert.deepEqual([part.name, part.text], ['a', content], name);
  assert.deepEqual(await parts('--B--'), []);
  assert.deepEqual(
    (await parts(one(''), 'mixed')).map(({ headers }) => ({ ...headers })),
    [{}],
  );
  for (const [name, text] of Object.entries({
    'no name': one('Content-Disposition: form-data'),
    'no fields': one(''),
    'fields that do not end': one(named, '\r\n--B--\r\n'),
    'a field too many': one(`${named}\r\n${fields(limits.multipartHeadersMax)}`),
    'fields too large': one(`${named}\r\n${fields(1, 'y'.repeat(limits.multipartHeaderBytesMax))}`),
    'no colon': one(`${named}\r\nfoo`),
    'a line feed alone': one(`${named}\r\nX: a\nY: b`),
    'no field to fold to': one(` a\r\n${named}`),
    'more behind the boundary': one(named, '\r\n\r\nx\r\n--Bx\r\n--B--'),
    'line feeds': `--B\n${named}\n\nx\n--B--\n`,
  }))
    await assert.rejects(parts(text), { code: 'control.INVALID_REQUEST' }, name);
});

test('bytes of any kind, under any content type and coding, are read or refused', async () => {
  const types = [
    'application/json',
    'text/plain',
    'x/y',
    'application/x-www-form-urlencoded',
    'multipart/related; boundary=b',
    'multipart/mixed',
    ';;=',
  ];
  await fc.assert(
    fc.asyncProperty(
      bytes,
      fc.constantFrom(...types),
      fc.constantFrom('', 'gzip', 'deflate', 'aws-chunked', 'aws-chunked,gzip'),
      async (body, type, coding) => {
        await endsWell(received(body, { 'content-type': type, 'content-encoding': coding }));
        const packed = coding === 'gzip' ? gzipSync(body) : coding === 'deflate' ? deflateSync(body) : undefined;
        if (packed !== undefined) await endsWell(received(packed, { 'content-type': type, 'content-encoding': coding }));
      },
    ),
  );
});

async function endsWell<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    assert.ok(isServiceError(error), String(error));
    return undefined;
  }
}
