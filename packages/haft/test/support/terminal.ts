import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { Terminals } from "../../../../scripts/lib/terminals.ts";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";

/** Returns a function that runs the command on a terminal of its own, at which a person could type. */
export function haftTerminals() {
  let count = 0;
  const root = mkdtempSync(join(tmpdir(), "haft-terminals-"));
  const terminals = new Terminals(root);
  afterAll(async () => {
    await terminals.close();
    rmSync(root, { recursive: true });
  });
  return (
    args: readonly string[],
    cwd: string,
    more = ["--state", getStateFolder(cwd)],
    env: Readonly<Record<string, string>> = {},
  ) => {
    return openTerminal(terminals, `terminal-${++count}`, { args: [...args, ...more], cwd, env });
  };
}

async function openTerminal(
  all: Terminals,
  callerId: string,
  { args, cwd, env }: { args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> },
) {
  const command = [...haftCommand, ...args];
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const argv = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', cwd, "env", ...set, ...command];
  const { id } = await all.start(callerId, {
    argv,
    pty: { cols: 120, rows: 40 },
    stdin: "open",
  });
  onTestFinished(() => all.kill(id).catch(() => {}));
  let from = 0;
  let seen = "";
  const more = async (waitMs: number) => {
    const { chunks, next, state } = await all.read(id, from, { waitMs });
    from = next;
    for (const { bytes } of chunks) seen += Buffer.from(bytes).toString();
    return chunks.length > 0 || state === "running";
  };
  return {
    /** Sends a signal to the command alone, not to what it started. */
    signal: (name: NodeJS.Signals) => all.signal(id, name),
    type: (text: string) => all.write(id, Buffer.from(text)),
    /** Waits until this has come since the last time, and answers all that came. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(seen))
        if (!(await more(1_000)))
          throw new Error(`The command ended, and ${String(pattern)} is not in:\n${seen}`);
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
