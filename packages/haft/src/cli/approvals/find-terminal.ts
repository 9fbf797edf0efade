import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { ReadStream } from "node:tty";

/** A terminal a person sits at: opened for each question, so that it is free in between. */
export interface Terminal {
  open(): { input: Readable; close: () => void };
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
