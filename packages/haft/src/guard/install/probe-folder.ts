import { attempt, isAlive, thisProcess } from "@haft/workspace/internal/system";
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const NAME = /^haft-guard-probe-(\d+)-(\d+)-/;

/** Has an empty folder for as long as work goes on. It goes with a signal that ends this process; one of a killed process, with the next. */
export async function inProbeFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  removeLeft();
  const { pid, started } = thisProcess();
  let folder: string | undefined;
  const remove = () => folder !== undefined && rmSync(folder, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals) => {
    attempt(remove);
    for (const name of SIGNALS) process.off(name, end);
    process.kill(process.pid, signal);
  };
  // Before there is one: a signal may come at once.
  for (const name of SIGNALS) process.on(name, end);
  try {
    folder = mkdtempSync(join(tmpdir(), `haft-guard-probe-${pid}-${started}-`));
    return await work(folder);
  } finally {
    for (const name of SIGNALS) process.off(name, end);
    remove();
  }
}

/** Of this user: names in a folder that all may write to prove nothing. */
function removeLeft(): void {
  for (const name of attempt(() => readdirSync(tmpdir())) ?? []) {
    const [, pid, started] = NAME.exec(name) ?? [];
    if (pid === undefined || isAlive({ pid: Number(pid), started: Number(started) })) continue;
    attempt(() => {
      const path = join(tmpdir(), name);
      const found = lstatSync(path);
      if (found.isDirectory() && found.uid === process.geteuid?.()) rmSync(path, { recursive: true });
    });
  }
}
