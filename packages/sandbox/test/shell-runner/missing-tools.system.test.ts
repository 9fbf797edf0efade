import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { ChildStream } from "../../src/launch/launched-process.ts";
import { connectShellRunner, readShellProgram } from "../../src/shell-runner/connect-shell-runner.ts";

test("names missing tools and ends", async () => {
  const child = spawn("/bin/sh", ["-c", readShellProgram()], { stdio: "pipe", env: { PATH: "/nowhere" } });
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.stderr.resume();
  const mounts = [{ name: "", path: "/", access: "ro" as const }];
  await expect(connectShellRunner(new ChildStream(child), { mounts })).rejects.toMatchObject({
    code: "SANDBOX_NO_RUNNER",
    message: expect.stringMatching(/does not find .*mkfifo.*stat/),
  });
  child.stdin.destroy();
  await ended;
});
