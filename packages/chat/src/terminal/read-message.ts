import { createInterface, type Interface } from "node:readline";

export type ReadResult = { message: string } | { left: "ctrl-c" | "end" };

/** Unstored messages for arrow keys, newest first. */
export type History = string[];

const MAX_HISTORY = 200;

/**
 * Reads a message from the terminal. A paste, or lines after a trailing backslash, form one message. Ctrl-C
 * clears the input. Ctrl-D, a second Ctrl-C on an empty line, or a closed terminal leaves.
 */
export function readMessage(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  { prompt, history, signal }: { prompt: string; history: History; signal: AbortSignal },
): Promise<ReadResult> {
  if (signal.aborted) return Promise.resolve({ left: "end" });
  const lines = createInterface({
    input,
    output,
    terminal: true,
    prompt,
    history: [...history],
    historySize: MAX_HISTORY,
  });
  const { promise, resolve } = Promise.withResolvers<ReadResult>();
  let before: string[] = [];
  let wantsToLeave = false;
  let waiting: NodeJS.Immediate | undefined;
  const done = (read: ReadResult): void => {
    signal.removeEventListener("abort", leave);
    resolve(read);
    lines.close();
    input.pause();
  };
  const leave = (): void => done({ left: "end" });
  signal.addEventListener("abort", leave);
  const complete = (): void => {
    // A paste continues.
    if (lines.line !== "") return;
    const last = before.at(-1);
    if (last?.endsWith("\\") === true) {
      before[before.length - 1] = last.slice(0, -1);
      lines.setPrompt("… ");
      return lines.prompt();
    }
    const text = before.join("\n");
    before = [];
    if (text.trim() === "") {
      lines.setPrompt(prompt);
      return lines.prompt();
    }
    remember(history, text);
    done({ message: text });
  };
  lines.on("line", (line) => {
    wantsToLeave = false;
    before.push(line);
    // All pasted lines come first.
    waiting ??= setImmediate(() => {
      waiting = undefined;
      complete();
    });
  });
  lines.on("SIGINT", () => {
    const isEmpty = lines.line === "" && before.length === 0;
    if (isEmpty && wantsToLeave) return done({ left: "ctrl-c" });
    wantsToLeave = isEmpty;
    before = [];
    forgetLine(lines);
    output.write(isEmpty ? "\n(press Ctrl-C again to leave)\n" : "\n");
    lines.setPrompt(prompt);
    lines.prompt();
  });
  lines.on("close", () => resolve({ left: "end" }));
  lines.prompt();
  return promise;
}

function forgetLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: "e" });
  lines.write(null, { ctrl: true, name: "u" });
}

function remember(history: History, text: string): void {
  const line = text.replaceAll("\n", " ");
  if (history[0] !== line) history.unshift(line);
  history.length = Math.min(history.length, MAX_HISTORY);
}
