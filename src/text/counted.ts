// How many of something, in words that agree with the number.

/** `1 call`, `2,000 calls`. */
export function counted(many: number, one: string, more?: string): string {
  return `${grouped(many)} ${noun(many, one, more)}`;
}

/** The noun alone. */
export function noun(many: number, one: string, more = `${one}s`): string {
  return many === 1 ? one : more;
}

/** `1,000,000` */
export function grouped(many: number): string {
  return String(many).replace(/\B(?=(\d{3})+$)/g, ',');
}
