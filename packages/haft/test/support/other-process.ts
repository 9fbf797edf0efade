import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import type { Line } from "./haft.ts";

const worker = fileURLToPath(new URL("./approvals-worker.ts", import.meta.url));

/** Another process with the same folder: say what it should do, and read its answers. */
export function otherProcess(folder: string) {
  const child = spawn(process.execPath, [...conditions, worker, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the other process is gone");
    const line: Line = JSON.parse(value);
    return line;
  };
  return {
    next,
    async do(...command: unknown[]) {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      return next();
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
