// What a request cannot become a call for: it is no request of this API, or the desk does not have what it asks for.
import { ToolFailure } from 'drillyard/tool-sdk';

export const invalid = (message: string): ToolFailure => new ToolFailure({ code: 'INVALID_REQUEST', message });
export const unsupported = (what: string): ToolFailure => new ToolFailure({ code: 'UNSUPPORTED', message: `${what} is not served.` });
