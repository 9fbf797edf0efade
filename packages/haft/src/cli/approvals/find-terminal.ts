import { closeSync, openSync } from "node:fs";
import { createInterface, type Interface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { ReadStream } from "node:tty";

/** A terminal a person sits at: opened for each question, so that it is free in between. */
export interface Terminal {
  open: () => { input: Readable; close: () => void };
  output: Writable;
}

/** The terminal of this process, also when standard input is something else. `undefined` when there is none. */
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

/** Milliseconds in which what was typed before the question appeared is thrown away. */
const TYPED_AHEAD_MS = 80;

/**
 * Reads lines of a terminal. Somebody who types ahead has not seen what is asked, so that is forgotten.
 *
 * @param work gets what resolves at Ctrl-C, at Ctrl-D and when the terminal goes away
 */
export async function withLines<T>(
  { open, output }: Terminal,
  work: (lines: Interface, gone: Promise<undefined>) => Promise<T>,
): Promise<T> {
  const { input, close } = open();
  const lines = createInterface({ input, output, terminal: true, historySize: 0, prompt: "" });
  const gone = new Promise<undefined>((resolve) => {
    lines.on("SIGINT", () => resolve(undefined));
    lines.on("close", () => resolve(undefined));
  });
  try {
    await new Promise((resolve) => setTimeout(resolve, TYPED_AHEAD_MS));
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    return await work(lines, gone);
  } finally {
    lines.close();
    close();
  }
}

/** Asks one thing. Only a clear yes is one: Ctrl-C, Ctrl-D, an abort and a terminal that goes away are a no. */
export function askYesNo(terminal: Terminal, question: string, signal?: AbortSignal): Promise<boolean> {
  return withLines(terminal, async (lines, gone) => {
    const text = `\n  ${question}  [y]es  [n]o  > `;
    const typed = lines.question(text, { ...(signal && { signal }) }).catch(() => undefined);
    return /^y(?:es)?$/i.test((await Promise.race([typed, gone]))?.trim() ?? "");
  });
}
