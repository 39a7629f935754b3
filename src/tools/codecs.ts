// The codecs of one behavior, run in the realm: what they are given is admitted there, and what they return is checked here before
// anybody sends it.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { checkedMessage, type HeaderFault, replyFault } from '../contract/world/message-rules.js';
import type { DecodeResult, EncodeResult, HandlerFault, MalformedMessage, ToolCodecs, WholeMessage } from './loaded-tool.js';
import { messageBody } from './message-body.js';
import { type RealmBehavior, threadRealm } from './realm.js';

export function toolCodecs(behavior: RealmBehavior): ToolCodecs {
  const { runCodec } = threadRealm();
  return {
    decodeHttp: (routeId, request) => decoded(runCodec(behavior, 'http', routeId, 'decode', request) as CodecReturn),
    encodeHttp: (routeId, input) => reply(runCodec(behavior, 'http', routeId, 'encode', input) as CodecReturn),
    encodeRefusal: (input) =>
      whole('refusal', encoded(runCodec(behavior, 'refusals', 'refuse', 'encode', input) as CodecReturn, replyFault)),
    encodeCallback: (callbackId, input) =>
      whole(
        'callback',
        encoded(runCodec(behavior, 'callbacks', callbackId, 'encode', input) as CodecReturn, () => undefined),
      ),
  };
}

type CodecReturn = { kind: 'value'; value: JsonValue; bytes?: Uint8Array } | HandlerFault;
type Fields = { readonly [name: string]: JsonValue | undefined };

function decoded(result: CodecReturn): DecodeResult {
  if (result.kind === 'thrown' && result.bound !== undefined) return misshapen(result.message);
  if (result.kind !== 'value') return result;
  const { arguments: given, idempotencyKey, streams } = (result.value ?? {}) as Fields;
  if (given === undefined) return misshapen('decode gives { arguments, idempotencyKey?, streams? }');
  if (streams !== undefined && typeof streams !== 'boolean') return misshapen('the streams of decode is a boolean');
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') return misshapen('the idempotencyKey of decode is a string');
  return {
    kind: 'value',
    arguments: given,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(streams === true ? { streams } : {}),
  };
}

/** Neither of them has bytes of the world, or is a stream. */
function whole(what: string, result: EncodeResult): EncodeResult<WholeMessage> {
  if (result.kind !== 'value') return result;
  const { kind } = result.message.body;
  if (kind === 'blob' || kind === 'events') return misshapen(`the body of a ${what} is not of the kind '${kind}'`);
  return result as EncodeResult<WholeMessage>;
}

/** With the status that it chooses. */
function reply(result: CodecReturn): EncodeResult {
  const message = encoded(result, replyFault);
  if (message.kind !== 'value' || result.kind !== 'value') return message;
  const { status } = result.value as Fields;
  if (status === undefined) return message;
  if (typeof status !== 'number') return misshapen('the status of encode is a number');
  return { ...message, status };
}

function encoded(result: CodecReturn, faultOf: HeaderFault): EncodeResult {
  if (result.kind !== 'value') return result;
  const { headers = {}, body, tokens = [] } = (result.value ?? {}) as Fields;
  const encodedBody = messageBody(isJsonObject(body) ? body : {}, result.bytes);
  if (typeof encodedBody === 'string') return misshapen(encodedBody);
  const message = checkedMessage({ headers, body: encodedBody, tokens }, { faultOf, bodyBytesMax: limits.encodedBodyBytesMax });
  return typeof message === 'string' ? misshapen(message) : { kind: 'value', message };
}

function misshapen(message: string): MalformedMessage {
  return { kind: 'misshapen', message };
}
