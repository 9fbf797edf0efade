import { useEffect, useRef } from "preact/hooks";
import type { Process } from "../../../src/wire/api.ts";
import { BackOff, pause } from "../../client/back-off.ts";
import { callApi, RequestError } from "../../client/request.ts";
import { processes as texts } from "../../strings/machine.ts";
import { openTerminal } from "./open-terminal.ts";
import "./terminal.css";

interface AttachedTerminalProps {
  process: Process;
  canType: boolean;
  onTrouble: (message: string) => void;
  onLeave: () => void;
}

const BEFORE = 512 * 1024;
const WAIT_MS = 25_000;

export function AttachedTerminal({ process, canType, onTrouble, onLeave }: AttachedTerminalProps) {
  const container = useRef<HTMLDivElement>(null);
  const path = { run: process.runId, id: process.id };
  useEffect(() => {
    const closing = new AbortController();
    let typed = "";
    let isSending = false;
    const type = async (text: string) => {
      typed += text;
      if (isSending) return;
      isSending = true;
      while (typed !== "" && !closing.signal.aborted) {
        const now = typed;
        typed = "";
        onTrouble(await typeInto(path, now));
      }
      isSending = false;
    };
    // Only sends a person's input: the session answers programs' queries.
    const hasFocus = () => container.current?.contains(document.activeElement) === true;
    const opened = openTerminal(container.current!, {
      label: texts.terminal,
      ...(canType
        ? {
            typed: (text: string, by: "person" | "mouse") => {
              if (by === "person" || (process.pty && hasFocus())) void type(text);
            },
            left: onLeave,
          }
        : {}),
      convertEol: !process.pty,
    });
    // A person must enter before the size changes.
    let isEntered = false;
    const fit = () => {
      const size = opened.fit();
      if (size !== undefined && canType && process.pty && isEntered)
        void callApi("POST /api/runs/:run/processes/:id/resize", { path, body: size }).catch(() => undefined);
    };
    fit();
    let timer = 0;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(fit, 100);
    });
    observer.observe(container.current!);
    container.current!.addEventListener(
      "focusin",
      () => {
        isEntered = true;
        fit();
      },
      { once: true, signal: closing.signal },
    );
    void follow(process, (bytes) => opened.writeBytes(bytes), closing.signal);
    return () => {
      closing.abort();
      clearTimeout(timer);
      observer.disconnect();
      opened.dispose();
    };
  }, [process.runId, process.id, canType]);
  return <div class="screen tall" ref={container} role="group" aria-label={texts.terminal} />;
}

async function typeInto(path: { run: string; id: string }, text: string): Promise<string> {
  try {
    const { kind, content, code } = await callApi("POST /api/runs/:run/processes/:id/write", {
      path,
      body: { text },
    });
    const textBlock = content.find((block) => block.type === "text");
    return kind === "ok" ? "" : (textBlock?.text ?? code ?? kind);
  } catch (thrown) {
    return thrown instanceof RequestError ? thrown.error.message : String(thrown);
  }
}

/** Reconnects at the same offset. */
async function follow(
  process: Process,
  write: (bytes: Uint8Array) => void,
  closing: AbortSignal,
): Promise<void> {
  const path = { run: process.runId, id: process.id };
  const backOff = new BackOff();
  let from = Math.max(0, process.output.total - BEFORE);
  while (!closing.aborted) {
    try {
      const query = { from, wait: WAIT_MS };
      const page = await callApi("GET /api/runs/:run/processes/:id/output", { path, query, signal: closing });
      backOff.reset();
      for (const { base64 } of page.chunks)
        write(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
      const isNew = page.next > from;
      from = page.next;
      if (page.state !== "running" && !isNew) return;
    } catch (thrown) {
      if (closing.aborted || (thrown instanceof RequestError && thrown.status >= 400 && thrown.status < 500))
        return;
      await pause(backOff.next(), closing);
    }
  }
}
