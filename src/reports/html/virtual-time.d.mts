export function virtualClock(us: number): string;
export function virtualDuration(us: number): string;
export function virtualOffset(us: number): string;
