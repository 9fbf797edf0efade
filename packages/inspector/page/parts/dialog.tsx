import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { words } from "../strings/frame.ts";
import { Button } from "./button.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  actions?: ComponentChildren;
}

/** Keeps the keyboard focus. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      // Browsers do this only for dialogs in the page.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog class="dialog" ref={element} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <header>
        <h2 id={id} class="grow">
          {title}
        </h2>
        <Button
          look="plain small"
          icon="close"
          onClick={onClose}
          aria-label={words.close}
          title={words.close}
        />
      </header>
      <div class="dialog-body">{children}</div>
      {actions !== undefined && <footer>{actions}</footer>}
    </dialog>
  );
}
