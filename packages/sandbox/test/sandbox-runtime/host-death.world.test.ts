import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import type { SandboxRef } from "../../src/backend.ts";
import { createSandboxRuntimeBackend } from "../../src/sandbox-runtime/sandbox-runtime-backend.ts";
import { processesWith, tempFolder } from "../support.ts";
import { createWorkspaceFolder, testInSandbox } from "./support.ts";

const PROGRAM = fileURLToPath(new URL("host-program.ts", import.meta.url));

/** A host that is a program of its own, started by a shell with more files open than usual. */
async function aHost(script: string, files = "") {
  const stateFolder = join(tempFolder("state"), "sandboxes");
  const temporary = tempFolder("tmp");
  chmodSync(temporary, 0o755);
  const program = spawn(
    "bash",
    [
      "-c",
      `${files} exec "$@"`,
      "bash",
      process.execPath,
      ...conditions,
      PROGRAM,
      stateFolder,
      createWorkspaceFolder(),
      script,
    ],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, TMPDIR: temporary } },
  );
  onTestFinished(() => void program.kill("SIGKILL"));
  const [line] = (await once(program.stdout, "data")) as [Buffer];
  const { ref, output } = JSON.parse(line.toString()) as { ref: SandboxRef; output: string };
  return {
    program,
    ref,
    output,
    backend: createSandboxRuntimeBackend({ stateFolder }),
    temporary,
    stateFolder,
  };
}

testInSandbox("leaves no process or file after SIGKILL of the host", async () => {
  const mark = `haft-left-${crypto.randomUUID()}`;
  const { program, ref, backend, temporary, stateFolder } = await aHost(
    `setsid sh -c 'trap "" TERM HUP; sleep 987; : ${mark}' >/dev/null 2>&1 & true`,
  );
  expect(processesWith(mark)).not.toEqual([]);
  // Another program of this user sees it as long as it lives.
  expect(await backend.list()).toEqual([ref]);
  program.kill("SIGKILL");
  await once(program, "exit");
  await expect.poll(() => processesWith(mark)).toEqual([]);
  await expect.poll(() => backend.list()).toEqual([]);
  expect(readdirSync(temporary).filter((name) => name.startsWith("haft-srt-"))).toEqual([]);
  expect(readdirSync(stateFolder)).toEqual([]);
});

testInSandbox("lets another program end a sandbox", async () => {
  const { ref, backend, program } = await aHost("true");
  expect(await backend.destroy(ref)).toBe(true);
  expect(processesWith(`HAFT_SANDBOX=${ref.id}`)).toEqual([]);
  program.kill("SIGTERM");
  await once(program, "exit");
});

testInSandbox("passes no file that the host inherited from its parent", async () => {
  const folder = tempFolder("inherited");
  mkdirSync(join(folder, "closed"), { mode: 0o700 });
  writeFileSync(join(folder, "closed/secret"), "of the parent");
  const [closed, secret] = [`"${folder}/closed"`, `"${folder}/closed/secret"`];
  // Numbers among those the launcher uses itself, and beyond.
  const { output, program } = await aHost(
    "ls -l /proc/self/fd; for fd in /proc/self/fd/*; do [ -f $fd ] && cat $fd; [ -d $fd/. ] && ls $fd/; done; true",
    `exec 4<${closed} 7<${closed} 8<${secret} 23<${closed} 99<${secret};`,
  );
  expect(output).toContain("->");
  expect(output).not.toContain(folder);
  expect(output).not.toContain("of the parent");
  program.kill("SIGTERM");
  await once(program, "exit");
});
