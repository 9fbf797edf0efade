import { useEffect, useRef } from "preact/hooks";

/** By then the browser has taken the keyboard from what is hidden or gone. */
const GONE_MS = 50;

/** When `key` changes and nothing has the keyboard any more, gives it to what `find` finds: it does not begin at the top again. */
export function useFocusRestore(key: string, find: () => HTMLElement | null): void {
  const known = useRef(key);
  useEffect(() => {
    if (known.current === key) return undefined;
    known.current = key;
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) find()?.focus();
    }, GONE_MS);
    return () => clearTimeout(timer);
  }, [key]);
}
