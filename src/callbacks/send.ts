// One attempt on the wire: a signed request to an address that is allowed, and what came of it.
//   SEND-1. The address is checked when the socket connects: the one that is looked up is the one that is used.
//   SEND-2. Nothing is followed, no proxy is asked, certificates are checked. Of the answer only the status is read, and once its head has
//     come, nothing that happens to its body changes it.
import { lookup as resolveName } from 'node:dns';
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { limits } from '../contract/limits.js';
import type { DeliveryRequest } from '../contract/world/delivery-request.js';
import type { DeliveryAnswer } from '../contract/world/world-protocol.js';
import type { AddressRule } from './addresses.js';
import type { Receiver } from './receivers.js';
import { type Signed, sign } from './signatures.js';

/**
 * Never rejects: a receiver that cannot be reached is an answer too. Undefined: `signal`, or the end of the sender, broke it off before an
 * answer came, which says nothing of the receiver.
 */
export async function send(
  request: DeliveryRequest,
  receiver: Receiver,
  signal: AbortSignal | undefined,
): Promise<DeliveryAnswer | undefined> {
  const signed = signedRequest(request, receiver);
  const answer = await exchange(signed, receiver, signal);
  // The network's doing: the same bytes again, and the sender knows the first answer alone.
  if (request.fault === 'duplicate') await exchange(signed, receiver, signal);
  return answer;
}

/** As it goes out. */
interface SignedRequest extends Signed {
  method: string;
  timeoutMs: number;
}

function signedRequest(request: DeliveryRequest, { url, secret }: Receiver): SignedRequest {
  const { method, path, headers, signature, signedAtUs, deliveryId, timeoutMs, fault } = request;
  const target = new URL(url);
  const unsigned = {
    method,
    url: target.origin + target.pathname.replace(/\/$/, '') + path,
    contentType: headers['content-type'],
    body: Buffer.from(request.bodyBase64, 'base64'),
    deliveryId,
  };
  const key = {
    secret: fault === 'bad_signature' ? `not ${secret}` : secret,
    atMs: signedAtUs === undefined ? Date.now() : signedAtUs / 1000,
  };
  const signed = sign(unsigned, signature, key);
  return { ...signed, headers: { ...headers, ...signed.headers, 'content-length': String(signed.body.length) }, method, timeoutMs };
}

const noAnswer = (reason: 'timeout' | 'connection' | 'address_refused'): DeliveryAnswer => ({ kind: 'none', reason });
class AddressRefused extends Error {}

function exchange(request: SignedRequest, receiver: Receiver, signal?: AbortSignal): Promise<DeliveryAnswer | undefined> {
  const target = new URL(receiver.url);
  const host = target.hostname.replace(/^\[|\]$/g, '');
  // A literal address is never looked up.
  if (isIP(host) !== 0 && !receiver.isAllowed(host)) return Promise.resolve(noAnswer('address_refused'));
  const own = [signal, receiver.leaving].filter((one) => one !== undefined);
  if (own.some(({ aborted }) => aborted)) return Promise.resolve(undefined);
  if (receiver.signals.some(({ aborted }) => aborted)) return Promise.resolve(noAnswer('connection'));
  const outgoing = begun(request, { target, host, receiver });
  if (outgoing === undefined) return Promise.resolve(noAnswer('connection'));
  return new Promise((resolve) => {
    let answered: DeliveryAnswer | undefined;
    const end = (otherwise: DeliveryAnswer | undefined): void => {
      clearTimeout(timer);
      for (const one of own) one.removeEventListener('abort', leave);
      for (const one of receiver.signals) one.removeEventListener('abort', breakOff);
      resolve(answered ?? otherwise);
      outgoing.destroy();
    };
    const breakOff = (): void => end(noAnswer('connection'));
    const leave = (): void => end(undefined);
    const timer = setTimeout(() => end(noAnswer('timeout')), request.timeoutMs);
    for (const one of own) one.addEventListener('abort', leave);
    for (const one of receiver.signals) one.addEventListener('abort', breakOff);
    outgoing.on('error', (error) => end(noAnswer(error instanceof AddressRefused ? 'address_refused' : 'connection')));
    outgoing.on('close', breakOff);
    outgoing.on('upgrade', () => end({ kind: 'status', status: 101 }));
    outgoing.on('response', (incoming) => {
      answered = { kind: 'status', status: incoming.statusCode as number };
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > limits.callbackAnswerBytesMax) breakOff();
      });
      incoming.on('end', breakOff);
      incoming.on('error', breakOff);
    });
    outgoing.end(request.body);
  });
}

/** Undefined for what no request can have: a receiver's URL and a world's path, put together. */
function begun(request: SignedRequest, address: ResolvedAddress): ClientRequest | undefined {
  const options = requestOptions(request, address);
  try {
    return address.target.protocol === 'https:' ? httpsRequest({ ...options, rejectUnauthorized: true }) : httpRequest(options);
  } catch {
    return undefined;
  }
}

interface ResolvedAddress {
  target: URL;
  host: string;
  receiver: Receiver;
}
function requestOptions(
  { method, url, headers }: SignedRequest,
  { target, host, receiver: { isAllowed } }: ResolvedAddress,
): RequestOptions {
  return {
    hostname: host,
    ...(target.port === '' ? {} : { port: target.port }),
    path: url.slice(target.origin.length),
    method,
    headers,
    agent: false,
    lookup: lookupWithin(isAllowed),
    maxHeaderSize: limits.callbackAnswerBytesMax,
  };
}

/** A name that stands for one address to which nothing may go stands for none. */
function lookupWithin(isAllowed: AddressRule): LookupFunction {
  return (hostname, { all, ...options }, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) callback(error, '', 0);
      else if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
        callback(new AddressRefused(`${hostname} is at an address to which nothing is delivered`), '', 0);
      } else if (all === true) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}
