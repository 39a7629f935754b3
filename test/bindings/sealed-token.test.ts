// Laws of seals: what one access has sealed it finds again, in whatever text, and nothing else is taken for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSealedBy, sealedToken, sealToken, unsealed } from '../../src/bindings/sealed-token.js';
import { hashOf } from '../../src/bindings/token-table.js';
import { sealedMessage } from '../../src/bindings/wire-tokens.js';
import { limits } from '../../src/contract/limits.js';
import fc from '../fast-check.js';

const keyOf = (token: string) => ({ token, tokenHash: hashOf(token) });
const [own, other] = [keyOf('a'.repeat(43)), keyOf('b'.repeat(43))];
const chars = [...'ABCxyz019._-'];
const minted = fc.string({ unit: fc.constantFrom(...chars), minLength: 16, maxLength: 80 });
const between = fc.string({ unit: fc.constantFrom(...'"{}:=& /é~'), maxLength: 12 });

// SEALED-TOKEN-1
test('a sealed token is found again in any text, by its own access alone', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(between, minted), { maxLength: 5 }), between, (parts, end) => {
      const told: string[] = [];
      const text = parts.map(([before, one]) => `${before}\n${sealToken(one, own)}\n`).join('') + end;
      const clear = parts.map(([before, one]) => `${before}\n${one}\n`).join('') + end;
      assert.equal(
        unsealed(text, [other, own], (one) => told.push(one)),
        clear,
      );
      assert.deepEqual(
        told,
        parts.map(([, one]) => one),
      );
      assert.equal(
        unsealed(text, [other], () => assert.fail()),
        text,
      );
    }),
  );
});

// SEALED-TOKEN-1
test('a seal that was changed, moved to another text or made by another access is none', () => {
  fc.assert(
    fc.property(minted, fc.nat(), fc.constantFrom(...chars), (one, at, char) => {
      const sealed = sealToken(one, own);
      const place = at % sealed.length;
      const changed = `${sealed.slice(0, place)}${char}${sealed.slice(place + 1)}`;
      const parts = sealedToken(changed);
      if (changed !== sealed) assert.ok(parts === undefined || parts.tokenHash !== own.tokenHash || !isSealedBy(own.token, parts));
      const foreign = sealedToken(sealToken(one, other)) ?? assert.fail();
      assert.equal(isSealedBy(own.token, foreign), false);
      assert.equal(isSealedBy(own.token, sealedToken(sealed) ?? assert.fail()), true);
    }),
  );
});

test('many false seals cost about their length', () => {
  const forged = `${'x'.repeat(3_000)}~${own.tokenHash}~${'A'.repeat(43)}/`.repeat(300);
  assert.equal(
    unsealed(forged, [own], () => assert.fail()),
    forged,
  );
});

test('no text of a token is read as a pattern', () => {
  for (const token of ['(a+)+$', '[', 'a|b', '\\', '.*']) {
    const text = `${'a'.repeat(40)}!${token}!`;
    const { body } = sealedMessage({ headers: {}, body: { kind: 'json', text }, tokens: [token] }, own);
    assert.deepEqual(body, { kind: 'json', text: `${'a'.repeat(40)}!${sealToken(token, own)}!` });
  }
});

const sealedText = (text: string, tokens: string[]): string => {
  const { body } = sealedMessage({ headers: {}, body: { kind: 'text', text, contentType: 'text/plain' }, tokens }, own);
  return (body as { text: string }).text;
};

// TOKEN-SEARCH-1
test('wherever a token stands it is sealed, and the longest of those that begin there', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 6 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', ' ', 'é', '\u{1f600}'), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(few, { minLength: 1, maxLength: 16 }), text, (tokens, given) => {
      let expected = '';
      for (let at = 0; at < given.length; ) {
        const [longest] = tokens.filter((token) => given.startsWith(token, at)).sort((one, other) => other.length - one.length);
        expected += longest === undefined ? given[at] : sealToken(longest, own);
        at += longest?.length ?? 1;
      }
      assert.equal(sealedText(given, tokens), expected);
    }),
  );
});

// TOKEN-SEARCH-1
test('a long text of beginnings of long tokens is read in as many steps as it has characters', () => {
  const tokens = Array.from({ length: limits.sealedTokensMax }, (_, index) => `${'a'.repeat(limits.mintedTokenCharsMax - 1 - index * 9)}b`);
  const text = 'a'.repeat(limits.encodedBodyBytesMax);
  assert.equal(sealedText(text, tokens), text);
  assert.equal(sealedText(`${text}b`, tokens), `${text.slice(limits.mintedTokenCharsMax - 1)}${sealToken(tokens[0] as string, own)}`);
});
