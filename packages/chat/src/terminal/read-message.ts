import { createInterface, type Interface } from "node:readline";

export type ReadResult = { message: string } | { left: "ctrl-c" | "end" };

/** What was said before, for the arrow keys; the newest first. Nothing of it outlives the program. */
export type History = string[];

const MAX_HISTORY = 200;

/**
 * Reads what a person says on a terminal. Lines that are pasted together are one message, and so is what follows a line that
 * ends with a backslash. Ctrl-C throws away what stands there; twice with nothing there leaves, as Ctrl-D does, and a terminal
 * that goes away.
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
    // The rest of what was pasted stands in the line, and is a part of the message.
    if (lines.line !== "") return;
    const last = before.at(-1);
    if (last?.endsWith("\\") === true) {
      before[before.length - 1] = last.slice(0, -1);
      lines.setPrompt("… ");
      return lines.prompt();
    }
    const said = before.join("\n");
    before = [];
    if (said.trim() === "") {
      lines.setPrompt(prompt);
      return lines.prompt();
    }
    remember(history, said);
    done({ message: said });
  };
  lines.on("line", (line) => {
    wantsToLeave = false;
    before.push(line);
    // What was pasted comes at once: its other lines are told of before this.
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
    output.write(isEmpty ? "\n(Ctrl-C once more leaves)\n" : "\n");
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

/** Several lines come back as one: the terminal has only one to show. */
function remember(history: History, said: string): void {
  const line = said.replaceAll("\n", " ");
  if (history[0] !== line) history.unshift(line);
  history.length = Math.min(history.length, MAX_HISTORY);
}
