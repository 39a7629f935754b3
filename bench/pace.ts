// How many of something a second, and what each took of a processor, this process's threads together.
export interface Pace {
  perSecond: number;
  cpuMs: number;
}

/** Begins to count; what it gives ends it. */
export function startPace(): (count: number) => Pace {
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  return (count) => {
    const [ms, { user, system }] = [performance.now() - from, process.cpuUsage(cpu)];
    return { perSecond: Number(((count * 1000) / ms).toFixed(1)), cpuMs: Number(((user + system) / 1000 / count).toFixed(2)) };
  };
}
