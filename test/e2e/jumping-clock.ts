// Loaded into a node before its program (`--import`), and into its threads: its wall clock is as many milliseconds wrong as a file says at
// the moment. The monotonic clock is left alone, as the system leaves it alone when somebody sets the time.
import { readFileSync } from 'node:fs';

const file = process.env.DRILLYARD_TEST_CLOCK;
const lookMs = 50;
if (file !== undefined) {
  let offsetMs = 0;
  const look = (): void => {
    try {
      offsetMs = Number(readFileSync(file, 'utf8'));
    } catch {
      offsetMs = 0;
    }
  };
  look();
  setInterval(look, lookMs).unref();
  const System = Date;
  const now = (): number => System.now() + offsetMs;
  globalThis.Date = new Proxy(System, {
    construct: (target, given: unknown[], made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    apply: () => new System(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}
