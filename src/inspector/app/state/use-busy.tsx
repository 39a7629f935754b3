// One piece of work at a time: a second click, or Enter again, while the first is under way begins nothing. What is wrong is a text.
// Buttons stay enabled meanwhile and say `aria-disabled`: one that is disabled would lose the focus.
import { useRef, useState } from 'preact/hooks';

export interface Busy {
  busy: boolean;
  problem: string | undefined;
  run: (work: () => Promise<void>) => void;
}

export function useBusy(): Busy {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  // Known before the next rendering, which a second click may precede.
  const isUnderWay = useRef(false);
  const begin = async (work: () => Promise<void>): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  };
  return { busy, problem, run: (work) => void begin(work) };
}
