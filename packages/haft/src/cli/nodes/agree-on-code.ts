import { createInterface } from "node:readline/promises";
import { askYesNo, findTerminal } from "../approvals/find-terminal.ts";
import { UsageError } from "../usage.ts";

/** Who says whether both sides show the same code: a person at a terminal, or what is read from standard input. */
export type Agreement = (code: string, signal: AbortSignal) => Promise<boolean>;

/**
 * @param readCode the code that the other side shows is read from standard input, a line
 * @throws UsageError where nobody can be asked
 */
export function whoAgrees(command: string, readCode = false): Agreement {
  if (readCode) return async (code, signal) => digitsOf(await firstLine(signal)) === digitsOf(code);
  const terminal = findTerminal();
  if (terminal !== undefined)
    return (_code, signal) => askYesNo(terminal, "Does the other side show the same code?", signal);
  throw new UsageError(
    `${command} asks on a terminal whether both sides show the same code, and there is none. With --read-code, the code that the other side shows is read from standard input.`,
  );
}

/** However it is written: `1234 5678`, `1234-5678`. Nothing is no code. */
function digitsOf(text: string): string {
  return text.trim().replaceAll(/[ -]/g, "") || "none";
}

async function firstLine(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  const close = () => lines.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    signal.removeEventListener("abort", close);
    lines.close();
    process.stdin.pause();
  }
}
