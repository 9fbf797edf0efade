import { createInterface } from "node:readline/promises";
import type { Terminal } from "./find-terminal.ts";
import { forgetTypedAhead } from "./terminal-approver.ts";

/** Asks one thing on a terminal. Only a clear yes is one: Ctrl-C, Ctrl-D, an abort and a terminal that goes away are a no. */
export async function askYesNo(terminal: Terminal, question: string, signal?: AbortSignal): Promise<boolean> {
  const { output } = terminal;
  const { input, close } = terminal.open();
  const lines = createInterface({ input, output, terminal: true, historySize: 0, prompt: "" });
  const gone = new Promise<string>((resolve) => {
    lines.on("SIGINT", () => resolve("no"));
    lines.on("close", () => resolve("no"));
  });
  try {
    await forgetTypedAhead(lines);
    const text = `\n  ${question}  [y]es  [n]o  > `;
    const typed = lines.question(text, { ...(signal && { signal }) }).catch(() => "no");
    return /^y(?:es)?$/i.test((await Promise.race([typed, gone])).trim());
  } finally {
    lines.close();
    close();
  }
}
