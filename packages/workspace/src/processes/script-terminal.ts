import { execFile } from "node:child_process";
import { readlinkSync } from "node:fs";
import type { TerminalSize } from "@haft/core";
import type { Child, ChildListener, Launch } from "./child.ts";
import type { FifoPipes } from "./fifo-pipes.ts";
import { findProgram } from "./find-program.ts";
import { startOnPipes } from "./pipe-child.ts";
import { scanProcesses } from "./process-scan.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { RunnerError } from "./runner-error.ts";

/**
 * A terminal without the library, where the program `script` is: it makes one, runs the command on it and copies
 * in both directions. It costs a process more, and a signal that ends the command arrives as exit code 128 + n.
 *
 * @throws RunnerError `PTY_UNAVAILABLE`, `PROGRAM_NOT_FOUND` and what {@link startOnPipes} throws
 */
export async function startOnScriptTerminal(
  launch: Launch,
  size: TerminalSize,
  pipes: FifoPipes,
  listener: ChildListener,
): Promise<Child> {
  const path = launch.env["PATH"];
  let script: string;
  try {
    script = findProgram("script", path, launch.cwd);
  } catch {
    throw new RunnerError("PTY_UNAVAILABLE", "there is neither `@lydell/node-pty` nor the program `script`");
  }
  const argv = [findProgram(launch.argv[0]!, path, launch.cwd), ...launch.argv.slice(1)];
  const command = `stty cols ${size.cols} rows ${size.rows}; exec ${quoteForShell(argv)}`;
  const child = await startOnPipes(
    {
      ...launch,
      argv: [script, "-qefc", command, "/dev/null"],
      // It takes its shell from there.
      env: { ...launch.env, SHELL: "/bin/sh" },
      input: true,
    },
    pipes,
    listener,
  );
  return {
    pid: child.pid,
    get queued() {
      return child.queued;
    },
    write: (bytes, done) => child.write(bytes, done),
    closeInput: () => {},
    resize: ({ cols, rows }) => {
      const terminal = terminalBelow(child.pid);
      if (terminal === undefined) return;
      // `stty` tells the command, too, as a terminal does when it is resized.
      execFile("stty", ["-F", terminal, "cols", String(cols), "rows", String(rows)], () => {});
    },
  };
}

/** The terminal of the process that `script` started. */
function terminalBelow(pid: number): string | undefined {
  for (const one of scanProcesses().filter(({ parent }) => parent === pid)) {
    try {
      const link = readlinkSync(`/proc/${one.pid}/fd/0`);
      if (link.startsWith("/dev/pts/")) return link;
    } catch {
      // It has ended, and there is nothing to resize.
    }
  }
  return undefined;
}
