export function visibleText(text: string): string;
export function visibleLine(text: string): string;
