import type { TerminalSize } from "@haft/core";
import type { Child, ChildListener, Launch } from "./child.ts";
import { RunnerError } from "./runner-error.ts";

/** Starts a command on a terminal of its own. */
export async function startOnTerminal(_launch: Launch, _size: TerminalSize, _listener: ChildListener): Promise<Child> {
  throw new RunnerError("PTY_UNAVAILABLE", "not yet");
}
