import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { words } from "../strings/frame.ts";
import { Button } from "./button.tsx";

interface CopyButtonProps {
  text: string | (() => string);
  /** For screen readers: "Copy the command". */
  label?: string;
  icon?: "copy" | "link";
}

/** Milliseconds. */
const MESSAGE_MS = 2_000;

export function CopyButton({ text, label = words.copy, icon = "copy" }: CopyButtonProps) {
  const message = useSignal("");
  useEffect(() => {
    if (message.value === "") return undefined;
    const timer = setTimeout(() => (message.value = ""), MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [message.value]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      message.value = words.copied;
    } catch {
      // The clipboard is missing or denied.
      message.value = words.notCopied;
    }
  };
  return (
    <>
      <Button
        look="plain small copy"
        icon={icon}
        title={label}
        aria-label={label}
        onClick={() => void copy()}
      />
      <span role="status" class={message.value === "" ? "unseen" : "soft small"}>
        {message.value}
      </span>
    </>
  );
}
