/** What a test holds back, and lets go. */
export interface Gate {
  opened: Promise<void>;
  open(): void;
}
export function gate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
