import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface SectionProps {
  title: string;
  children: ComponentChildren;
  /** Rendered when it is opened. */
  closed?: boolean;
}

export function Section({ title, children, closed = false }: SectionProps) {
  const open = useSignal(!closed);
  const id = useId();
  return (
    <section class="section">
      <h3>
        <button
          type="button"
          class="fold"
          aria-expanded={open.value}
          aria-controls={id}
          onClick={() => (open.value = !open.value)}
        >
          <Icon name="forward" />
          {title}
        </button>
      </h3>
      <div id={id} hidden={!open.value}>
        {open.value && children}
      </div>
    </section>
  );
}
