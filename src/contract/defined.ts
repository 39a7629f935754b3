// Optional members that are absent rather than undefined: shapes know no other absence.

export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy without the members that are undefined, in the same order. It costs some copies, so the turns of a world, its calls of tools, the
 * path of a request and the code of the realm spread a condition instead. Elsewhere a condition stands only where the member is computed of
 * what is not undefined.
 */
export function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
