import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { basename, dirname } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { stateFolderOf } from "./haft.ts";

/** One for all terminals of a file: {@link temporaryFolder} makes all folders in one place. */
let processes: ReturnType<typeof createHostProcesses> | undefined;
afterAll(() => processes?.close());
let count = 0;

/** Runs the command on a terminal of its own, at which somebody could type. */
export async function haftOnTerminal(args: readonly string[], cwd: string) {
  processes ??= createHostProcesses({ workspace: createHostWorkspace({ root: dirname(cwd) }) });
  const all = processes;
  const argv = [...haftCommand, ...args, "--state", stateFolderOf(cwd)];
  const { id } = await all.start(`terminal-${++count}`, {
    argv,
    cwd: basename(cwd),
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
