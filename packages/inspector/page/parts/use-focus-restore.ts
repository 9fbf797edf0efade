import { useEffect, useRef } from "preact/hooks";

/** Browsers first blur hidden elements. */
const BLUR_MS = 50;

/** If `key` changes without a focus, focuses `find`. */
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
