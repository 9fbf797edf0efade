import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { onTestFinished } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { stateFolderOf } from "./haft.ts";

/** Runs the command on a terminal of its own, at which somebody could type. */
export async function haftOnTerminal(args: readonly string[], cwd: string) {
  const processes = createHostProcesses({ workspace: createHostWorkspace({ root: cwd }) });
  onTestFinished(() => processes.close());
  const argv = [...haftCommand, ...args, "--state", stateFolderOf(cwd)];
  const { id } = await processes.start("test", { argv, pty: { cols: 120, rows: 40 }, stdin: "open" });
  let from = 0;
  let seen = "";
  const more = async (waitMs: number) => {
    const { chunks, next } = await processes.read(id, from, { waitMs });
    from = next;
    for (const { bytes } of chunks) seen += Buffer.from(bytes).toString();
  };
  return {
    type: (text: string) => processes.write(id, Buffer.from(text)),
    /** Waits until this has come since the last time, and answers all that came. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(seen)) await more(1_000);
      const all = seen;
      seen = "";
      return all;
    },
    async end() {
      const { exitCode } = await processes.wait(id);
      await more(0);
      return { exitCode, output: seen };
    },
  };
}
