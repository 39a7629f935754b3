// What one unit is in another, for conversions.

export const secondUs = 1_000_000;
export const millisecondNs = 1_000_000;
export const dayS = 86_400;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
export const mebibyte = 1024 * 1024;
