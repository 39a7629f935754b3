// The bounds of wire routes: what they are sent, what codecs make, and the bytes that worlds keep. Read through limits.ts.

export const wireLimits = {
  // What codecs of tools make: replies of wire routes, messages of callbacks.
  encodedBodyBytesMax: 4 * 1024 * 1024,
  encodedHeadersMax: 64,
  /** Of a listener: sets of routes, of which those in use stay in any case. */
  wireTablesKeptMax: 64,
  /** How deep the JSON of a request may be; what decode makes of it, the arguments, is a value like any other (`jsonDepthMax`). */
  wireJsonDepthMax: 512,
  /** Texts of a request that may be the credential of an access that is not open. */
  requestTokensMax: 4,
  /** Of a path that no route answered, as it is shown. */
  unansweredPathCharsMax: 200,

  // Bodies with bytes: raw ones and those in parts.
  /** Of a request, before and after it is decompressed; other bodies have `bodyBytesMax`. */
  wireBodyBytesMax: 25 * 1024 * 1024,
  /** What the framing of aws-chunked may add to it. */
  wireFramingBytesMax: 1024 * 1024,
  wireTrailersMax: 16,
  multipartPartsMax: 100,
  /** Of one part. */
  multipartHeadersMax: 16,
  multipartHeaderBytesMax: 16 * 1024,
  /** Of all parts that are text. */
  multipartTextBytesMax: 1024 * 1024,
  /**
   * Such bodies on their way at once, and as many bytes of replies: of an organization (else of a world) two of the largest bodies; of all
   * behind a listener.
   */
  ownerWireBytesMax: 52 * 1024 * 1024,
  wireBytesUnderWayMax: 208 * 1024 * 1024,
  /** Replies with bytes that wait until others have left, and for how long. */
  wireRepliesWaitingMax: 8,
  wireReplyWaitMs: 10_000,

  // Bytes that a world keeps.
  /** Of one blob; of all that one turn makes or is sent; of all that a world has. */
  blobBytesEachMax: 64 * 1024 * 1024,
  turnBlobBytesMax: 96 * 1024 * 1024,
  worldBlobBytesMax: 256 * 1024 * 1024,
  blobContentTypeCharsMax: 256,
  /** Of one reply: what of a blob is sent at once. */
  blobReplyBytesMax: 32 * 1024 * 1024,

  // Event streams.
  encodedEventsMax: 10_000,
} as const;
