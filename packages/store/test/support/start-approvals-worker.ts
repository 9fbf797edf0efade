import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";

const worker = fileURLToPath(new URL("./approvals-worker.ts", import.meta.url));

/** Another process with the same database: say what it should do, and read its answers. */
export function startApprovalsWorker(path: string) {
  const child = spawn(process.execPath, [...conditions, worker, path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the other process is gone");
    return JSON.parse(value);
  };
  return {
    next,
    async do(...command: unknown[]): Promise<unknown> {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      return next();
    },
    async kill(): Promise<void> {
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
