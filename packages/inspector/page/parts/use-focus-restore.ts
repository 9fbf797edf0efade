import { useEffect, useRef } from "preact/hooks";

/** The browser first moves the focus away from hidden elements. */
const BLUR_MS = 50;

/** If `key` changes and no element has the focus, focuses the result of `find`. */
export function useFocusRestore(key: string, find: () => HTMLElement | null): void {
  const known = useRef(key);
  useEffect(() => {
    if (known.current === key) return undefined;
    known.current = key;
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) find()?.focus();
    }, BLUR_MS);
    return () => clearTimeout(timer);
  }, [key]);
}
