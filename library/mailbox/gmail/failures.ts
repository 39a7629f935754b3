// What a request cannot become a call for: it is wrong, or the mailbox does not have what it asks for.
import { ToolFailure } from 'drillyard/tool-sdk';

export const invalid = (message: string): ToolFailure => new ToolFailure({ code: 'INVALID_ARGUMENT', message });
export const unsupported = (message: string): ToolFailure => new ToolFailure({ code: 'UNSUPPORTED', message });
