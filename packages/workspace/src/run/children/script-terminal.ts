import type { TerminalSize } from "@haft/core";
import {
  RunnerError,
  attempt,
  findHostProgram,
  formatMissingProgram,
  requireUnchangedProgram,
  scanProcesses,
  runProgram,
} from "@haft/system/processes";
import { readlinkSync } from "node:fs";
import { findProgram, quoteForShell } from "../shell-program.ts";
import type { Child, ChildListener, Launch } from "./child.ts";
import { type Pipes, startOnPipes } from "./pipe-child.ts";

/** Without the library, the program `script` creates the terminal. It needs one more process, and a signal arrives as exit code 128 + n. */
export async function startOnScriptTerminal(
  launch: Launch,
  size: TerminalSize,
  pipes: Pipes,
  listener: ChildListener,
): Promise<Child> {
  // The PATH of the command does not count.
  const [script, shell, stty] = ["script", "sh", "stty"].map((name) => findHostProgram(name));
  if (script?.program === undefined || shell?.program === undefined) {
    const [name, found] = script?.program === undefined ? ["script", script] : ["sh", shell];
    const why = formatMissingProgram(name, found?.leftOut ?? []);
    throw new RunnerError("pty-unavailable", `\`@lydell/node-pty\` is not installed, and ${why}`);
  }
  const program = launch.program ?? findProgram(launch.argv[0]!, launch.env["PATH"], launch.cwd);
  const argv = [program, ...launch.argv.slice(1)];
  const command = `exec ${quoteForShell(argv)}`;
  const withSize =
    stty?.program === undefined
      ? command
      : `${quoteForShell([requireUnchangedProgram(stty.program), ...sizeArguments(size)])}; ${command}`;
  const child = await startOnPipes(
    {
      ...launch,
      program: requireUnchangedProgram(script.program),
      argv: [requireUnchangedProgram(script.program), "-qefc", withSize, "/dev/null"],
      env: { ...launch.env, SHELL: requireUnchangedProgram(shell.program) },
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
    resize: (wanted) => {
      const terminal = terminalBelow(child.pid);
      if (terminal === undefined || stty?.program === undefined) return;
      void runProgram(stty.program, ["-F", terminal, ...sizeArguments(wanted)], { env: {} });
    },
  };
}

function sizeArguments({ cols, rows }: TerminalSize): string[] {
  return ["cols", String(cols), "rows", String(rows)];
}

function terminalBelow(pid: number): string | undefined {
  const below = scanProcesses().filter(({ parent }) => parent === pid);
  const inputs = below.map((one) => attempt(() => readlinkSync(`/proc/${one.pid}/fd/0`)));
  return inputs.find((link) => link?.startsWith("/dev/pts/"));
}
