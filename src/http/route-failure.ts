/** A bug met while answering: what the client does not see. */
export interface RouteFailure {
  correlationId: string;
  method: string;
  path: string;
  error: unknown;
}
