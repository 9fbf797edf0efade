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
const SAID_MS = 2_000;

export function CopyButton({ text, label = words.copy, icon = "copy" }: CopyButtonProps) {
  const said = useSignal("");
  useEffect(() => {
    if (said.value === "") return undefined;
    const timer = setTimeout(() => (said.value = ""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said.value]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      said.value = words.copied;
    } catch {
      // The browser has no clipboard or denied it.
      said.value = words.notCopied;
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
      <span role="status" class={said.value === "" ? "unseen" : "soft small"}>
        {said.value}
      </span>
    </>
  );
}
