import type { Processes } from "@haft/core";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { stateFolderOf } from "./haft.ts";

/** What runs the command on terminals at which somebody could type, each of its own. All terminals of a file have one runner. */
export function haftTerminals() {
  let processes: ReturnType<typeof createHostProcesses> | undefined;
  let count = 0;
  // Its root is nobody's workspace: each command goes to its own.
  const root = mkdtempSync(join(tmpdir(), "haft-terminals-"));
  afterAll(async () => {
    await processes?.close();
    rmSync(root, { recursive: true });
  });
  return (
    args: readonly string[],
    cwd: string,
    more = ["--state", stateFolderOf(cwd)],
    env: Readonly<Record<string, string>> = {},
  ) => {
    processes ??= createHostProcesses({ workspace: createHostWorkspace({ root }) });
    return openTerminal(processes, `terminal-${++count}`, { args: [...args, ...more], cwd, env });
  };
}

async function openTerminal(
  all: Processes,
  callerId: string,
  { args, cwd, env }: { args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> },
) {
  const command = [...haftCommand, ...args];
  // It is a person's, and no session's.
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const argv = [
    "/bin/sh",
    "-c",
    'cd "$0" && unset HAFT_PROCESS && exec "$@"',
    cwd,
    "env",
    ...set,
    ...command,
  ];
  const { id } = await all.start(callerId, {
    argv,
    pty: { cols: 120, rows: 40 },
    stdin: "open",
  });
  onTestFinished(async () => void (await all.kill(id, { graceMs: 0 }).catch(() => {})));
  let from = 0;
  let seen = "";
  const more = async (waitMs: number) => {
    const { chunks, next } = await all.read(id, from, { waitMs });
    from = next;
    for (const { bytes } of chunks) seen += Buffer.from(bytes).toString();
  };
  return {
    /** Sends a signal to the command alone, not to what it started. */
    signal: (name: NodeJS.Signals) => all.signal(id, name, { tree: false }),
    type: (text: string) => all.write(id, Buffer.from(text)),
    /** Waits until this has come since the last time, and answers all that came. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(seen)) await more(1_000);
      const all = seen;
      seen = "";
      return all;
    },
    async end() {
      const { exitCode } = await all.wait(id);
      await more(0);
      return { exitCode, output: seen };
    },
  };
}
