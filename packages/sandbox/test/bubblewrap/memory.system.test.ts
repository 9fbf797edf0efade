import { describe, expect, onTestFinished } from "vitest";
import { createBubblewrapBackend, openSandbox } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { tempFolder } from "../support.ts";
import { createWorkspaceFolder, testGrouped } from "./support.ts";

const limits = { memoryMb: 160, tasks: 64, cpus: 0, fileMb: 64, tmpMb: 32 };

/** Sends what nobody reads, through a hundred connections or up to 400 MiB, and says how many MiB that were. */
const UNREAD = `
import socket
door = socket.create_server(("127.0.0.1", 0)); ends = []; sent = 0
while len(ends) < 100 and sent < 400 << 20:
    one = socket.create_connection(door.getsockname()); ends.append((one, door.accept()[0])); one.setblocking(False)
    try:
        while True: sent += one.send(bytes(65536))
    except BlockingIOError: pass
print(sent >> 20)`;

async function opened(owner?: number) {
  const backend = createBubblewrapBackend({ stateFolder: tempFolder("state") });
  const sandbox = await openSandbox(backend, specFor(createWorkspaceFolder(owner), { limits }));
  onTestFinished(() => sandbox.close());
  const run = async (script: string) => {
    const { id } = await sandbox.processes.start(crypto.randomUUID(), { script });
    return sandbox.processes.wait(id);
  };
  return { sandbox, run };
}

describe.each([["the user of the host", undefined] as const, ["another user", 4321] as const])(
  "a limit on memory, in a workspace of %s",
  (_who, owner) => {
    testGrouped.for([
      "tail /dev/zero",
      "tail /dev/zero; exit $?",
      "tail /dev/zero | cat; exit ${PIPESTATUS:-137}",
    ])("ends only a command that exceeds it, and reports the limit: %s", async (script) => {
      const { sandbox, run } = await opened(owner);
      const before = sandbox.ref.id;
      expect(await run(script)).toMatchObject({ state: "exited", outOfMemory: { limitMb: 160 } });
      expect(await run("true")).toMatchObject({ exitCode: 0 });
      expect(sandbox.ref.id).toBe(before);
    });

    testGrouped("is not reported if a command ends for another reason", async () => {
      const { run } = await opened(owner);
      for (const script of ["kill -9 $$", "exit 137", "true"]) {
        expect(await run(script)).not.toHaveProperty("outOfMemory");
      }
    });

    testGrouped("counts data that waits in sockets", async () => {
      const { sandbox } = await opened(owner);
      const { id } = await sandbox.processes.start("sockets", { script: `python3 -c '${UNREAD}'` });
      await sandbox.processes.wait(id);
      const { chunks } = await sandbox.processes.read(id, 0);
      const mb = Number(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString());
      expect(mb).toBeGreaterThan(0);
      expect(mb).toBeLessThanOrEqual(limits.memoryMb);
    });

    testGrouped("cannot be changed from inside", async () => {
      const { sandbox } = await opened(owner);
      const script = `for f in $(find /sys/fs/cgroup -type f); do
        { command : >>"$f"; } 2>/dev/null && echo "opened $f"; chmod 644 "$f" 2>/dev/null && echo "changed $f"
      done; find /sys/fs/cgroup -type f | wc -l`;
      const { id } = await sandbox.processes.start("look", { script });
      await sandbox.processes.wait(id);
      const { chunks } = await sandbox.processes.read(id, 0);
      expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe("2\n");
    });
  },
);
