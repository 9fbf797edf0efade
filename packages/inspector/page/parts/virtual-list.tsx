import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** For fast scrolling. */
const BEYOND = 12;

interface VirtualListProps {
  count: number;
  /** Pixels. */
  rowHeight: number;
  /** For screen readers. */
  label: string;
  /** -1 for none. */
  chosen: number;
  onChoose: (index: number) => void;
  /** Enter or a second click. */
  onOpen?: (index: number) => void;
  onShown?: (from: number, to: number) => void;
  row: (index: number) => ComponentChildren;
  rowClass?: (index: number) => string;
  /** Follows added rows at the end. */
  follow?: boolean;
  /** The user leaves or reaches the end. */
  onFollow?: (follow: boolean) => void;
  id: string;
}

/** Only visible rows exist. Arrow keys move inside its single tab stop. */
export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, label, chosen, id, follow = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useHeight(box, (value) => (height.value = value));
  const from = Math.max(0, Math.floor(top.value / rowHeight) - BEYOND);
  const to = Math.min(count, Math.ceil((top.value + height.value) / rowHeight) + BEYOND);

  useEffect(() => props.onShown?.(from, to), [from, to, count]);
  useLayoutEffect(() => {
    if (follow && box.current !== null) box.current.scrollTop = count * rowHeight;
  }, [count, follow, height.value]);
  useLayoutEffect(() => {
    if (chosen >= 0 && box.current !== null) bringIntoView(box.current, chosen, rowHeight);
  }, [chosen]);

  const choose = (index: number) => {
    if (count > 0) props.onChoose(Math.max(0, Math.min(count - 1, index)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height.value / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      j: chosen + 1,
      ArrowUp: chosen - 1,
      k: chosen - 1,
      PageDown: chosen + page,
      PageUp: chosen - page,
      Home: 0,
      End: count - 1,
    };
    const next = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (next !== undefined) choose(next);
    else if (event.key === "Enter" && chosen >= 0) props.onOpen?.(chosen);
    else return;
    event.preventDefault();
  };
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    top.value = scrollTop;
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - rowHeight;
    if (isAtEnd !== follow) props.onFollow?.(isAtEnd);
  };

  const rows = [];
  for (let index = from; index < to; index++) {
    rows.push(
      <div
        key={index}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === chosen}
        aria-setsize={count}
        aria-posinset={index + 1}
        class={`row ${index === chosen ? "chosen " : ""}${props.rowClass?.(index) ?? ""}`}
        style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
        onClick={() => (index === chosen ? props.onOpen?.(index) : choose(index))}
      >
        {props.row(index)}
      </div>,
    );
  }
  return (
    <div
      class="list"
      ref={box}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={chosen >= from && chosen < to ? `${id}-${chosen}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div class="list-inner" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {rows}
      </div>
    </div>
  );
}

function useHeight(box: RefObject<HTMLDivElement | null>, set: (height: number) => void): void {
  useLayoutEffect(() => {
    const element = box.current!;
    set(element.clientHeight);
    const observer = new ResizeObserver(() => set(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

/** Scrolls little, but centres distant rows. */
function bringIntoView(box: HTMLElement, index: number, rowHeight: number): void {
  const [above, below] = [index * rowHeight, (index + 1) * rowHeight];
  const { scrollTop, clientHeight } = box;
  if (above >= scrollTop && below <= scrollTop + clientHeight) return;
  const isFar = above < scrollTop - 2 * rowHeight || below > scrollTop + clientHeight + 2 * rowHeight;
  if (isFar) box.scrollTop = above - (clientHeight - rowHeight) / 2;
  else box.scrollTop = above < scrollTop ? above : below - clientHeight;
}
