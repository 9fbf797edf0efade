import { type SandboxBackend, createDockerBackend } from "@haft/sandbox";
import { chmod, chown, mkdir, readdir, realpath, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startDockerd } from "../../../../test/support/dockerd.ts";
import { ASK_FOR_SIGNAL, watchForAsking } from "../../../../test/support/end-runner.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openTestHost, bubblewrap, call, isSkipped, run } from "./support.ts";

const daemon = await startDockerd();
afterAll(() => daemon?.stop());
const docker = (): SandboxBackend => createDockerBackend({ socketPath: daemon!.socketPath });

async function folders() {
  const base = await realpath(await temporaryFolder());
  await chmod(base, 0o755);
  const [project, secret] = [join(base, "project"), join(base, "secret")];
  const docs = join(project, "docs");
  await mkdir(docs, { recursive: true });
  watchForAsking(project);
  await mkdir(secret);
  await writeFile(join(secret, "key"), "of the host\n");
  await writeFile(join(docs, "a.txt"), "docs\n");
  // The user inside can end its own processes, the runner among them.
  if (process.getuid?.() === 0) for (const folder of [project, docs]) await chown(folder, 1000, 1000);
  return { project, docs, secret };
}

// With what ends whatever serves inside, and with it the sandbox.
for (const [name, backend, left, KILL] of [
  ["bubblewrap", bubblewrap, isSkipped, `cd /workspace && ${ASK_FOR_SIGNAL}; sleep 600`],
  ["Docker", docker, daemon === undefined, "kill -9 -1"],
] as const) {
  describe.skipIf(left)(`a sandbox of ${name} that is opened again`, () => {
    test("does not mount a replacement that a command made for a folder", async () => {
      const { project, docs, secret } = await folders();
      const roots = { docs: { path: docs, access: "rw" as const } };
      const host = await openTestHost(project, {
        sandbox: { backend: backend(), workspaceAccess: "rw", roots },
      });
      const session = await host.openSession({ kind: "sandboxed" });
      expect(await run(session, "cat /mnt/docs/a.txt")).toBe("docs");
      await run(session, `mv /workspace/docs /workspace/d2 && ln -s ${secret} /workspace/docs`);
      await call(session, "exec", { command: KILL });
      const outcome = await call(session, "exec", { command: "ls /mnt/docs; echo x >/mnt/docs/written" });
      expect(outcome).toMatchObject({ code: "SANDBOX_MOUNT_REFUSED", receipt: "none" });
      expect(await readdir(secret)).toEqual(["key"]);
    });

    test("mounts the same folders as before if they are unchanged", async () => {
      const { project, docs } = await folders();
      const roots = { docs: { path: docs, access: "rw" as const } };
      const host = await openTestHost(project, {
        sandbox: { backend: backend(), workspaceAccess: "rw", roots },
      });
      const session = await host.openSession({ kind: "sandboxed" });
      await call(session, "exec", { command: KILL });
      expect(await run(session, "cat /mnt/docs/a.txt")).toBe("docs");
    });

    test("reports a workspace that has moved", async () => {
      const { project } = await folders();
      const host = await openTestHost(project, { sandbox: { backend: backend(), workspaceAccess: "rw" } });
      const session = await host.openSession({ kind: "sandboxed" });
      await rename(project, `${project}-renamed`);
      watchForAsking(`${project}-renamed`);
      await call(session, "exec", { command: KILL });
      const outcome = await call(session, "exec", { command: "pwd" });
      expect(outcome).toMatchObject({ kind: "error" });
      expect(JSON.stringify(outcome)).toContain(project);
      await rename(`${project}-renamed`, project);
      expect(await run(session, "pwd")).toBe("/workspace");
    });
  });
}
