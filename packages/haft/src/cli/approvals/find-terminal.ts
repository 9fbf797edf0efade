import { closeSync, openSync } from "node:fs";
import { createInterface, type Interface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { ReadStream } from "node:tty";

/** Opened for each question, so that other programs can use it. */
export interface Terminal {
  open: () => { input: Readable; close: () => void };
  output: Writable;
}

/** Works with redirected standard input. */
export function findTerminal(): Terminal | undefined {
  const output = process.stderr;
  if (process.stdin.isTTY)
    return { output, open: () => ({ input: process.stdin, close: () => process.stdin.pause() }) };
  const openDevice = () => openSync("/dev/tty", "r");
  try {
    closeSync(openDevice());
  } catch {
    return undefined;
  }
  return {
    output,
    open() {
      const input = new ReadStream(openDevice());
      return { input, close: () => void input.destroy() };
    },
  };
}

/** Milliseconds in which early input is discarded. */
const TYPED_AHEAD_MS = 80;

/**
 * Discards input typed before the question.
 *
 * @param work receives a promise that resolves at Ctrl-C, Ctrl-D and a closed terminal
 */
export async function withLines<T>(
  { open, output }: Terminal,
  work: (lines: Interface, closed: Promise<undefined>) => Promise<T>,
): Promise<T> {
  const { input, close } = open();
  const lines = createInterface({ input, output, terminal: true, historySize: 0, prompt: "" });
  const closed = new Promise<undefined>((resolve) => {
    lines.on("SIGINT", () => resolve(undefined));
    lines.on("close", () => resolve(undefined));
  });
  try {
    await new Promise((resolve) => setTimeout(resolve, TYPED_AHEAD_MS));
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    return await work(lines, closed);
  } finally {
    lines.close();
    close();
  }
}

/** Ctrl-C, Ctrl-D, an abort and a closed terminal mean no. */
export function askYesNo(terminal: Terminal, question: string, signal?: AbortSignal): Promise<boolean> {
  return withLines(terminal, async (lines, closed) => {
    const text = `\n  ${question}  [y]es  [n]o  > `;
    const typed = lines.question(text, { ...(signal && { signal }) }).catch(() => undefined);
    return /^y(?:es)?$/i.test((await Promise.race([typed, closed]))?.trim() ?? "");
  });
}
