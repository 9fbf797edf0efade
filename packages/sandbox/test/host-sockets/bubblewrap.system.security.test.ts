import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { createBubblewrapBackend } from "../../src/index.ts";
import { testInSandbox } from "../bubblewrap/support.ts";
import { openWithBackend, run } from "../docker/support.ts";
import { specFor } from "../spec-for.ts";
import { catchFailure, ORDINARY, tempFolder } from "../support.ts";
import { startMovedServer, startReader, startServer, connectOnce } from "./support.ts";

const backend = createBubblewrapBackend();
/** On a machine that is busy a look takes long, and the next one comes so much later: within a second at most. */
const untilNextPoll = () => sleep(1_000);
const aWorkspace = () => tempFolder("doors", ORDINARY);
const open = (hostPath: string, more: Partial<SandboxSpec> = {}) =>
  openWithBackend(backend, specFor(hostPath, more));
const readOnly = (hostPath: string, more: Partial<SandboxSpec> = {}) =>
  open(hostPath, {
    workspace: "ro",
    mounts: [{ name: "", hostPath, path: "/workspace", access: "ro" }],
    ...more,
  });

describe("servers and readers of the host in the workspace at the opening", () => {
  testInSandbox.for([
    ["read-only, with the network of the host", { workspace: "ro", network: "full" }],
    ["for writing, without a network", { workspace: "rw", network: "none" }],
  ] as const)("cannot be reached: %s", async ([, more]) => {
    const root = aWorkspace();
    mkdirSync(join(root, "deep/.s"), { recursive: true });
    const servers = [
      await startServer(join(root, "deep/.s/.s.PGSQL.5432")),
      await startMovedServer(join(root, "moved")),
    ];
    const read = startReader(join(root, "a fifo"));
    const sandbox = await (more.workspace === "ro" ? readOnly : open)(root, more);
    const { text } = await run(sandbox, connectOnce("deep/.s/.s.PGSQL.5432", "moved", "a fifo"));
    expect(text).toBe("nothing\nnothing\nnothing\n");
    // Whether a moved one is served was asked, where commands could have left it.
    expect(servers.map((one) => one.connections())).toEqual([0, more.workspace === "ro" ? 0 : 1]);
    expect(read()).toBe("");
    expect((await run(sandbox, "rm -f moved 'a fifo'; echo x >'a fifo'")).code).not.toBe(0);
    expect(lstatSync(join(root, "moved")).isSocket() && lstatSync(join(root, "a fifo")).isFIFO()).toBe(true);
  });
});

testInSandbox("starts no command while a later server of the host exists", async () => {
  const root = aWorkspace();
  const path = join(root, "late.sock");
  const sandbox = await open(root);
  expect((await run(sandbox, "echo fine")).text).toBe("fine\n");
  const server = await startServer(path);
  await untilNextPoll();
  await expect
    .poll(() =>
      run(sandbox, connectOnce("late.sock")).then(
        ({ text }) => text,
        (thrown: unknown) => thrown,
      ),
    )
    .toMatchObject({
      code: "SANDBOX_MOUNT_REFUSED",
      message: expect.stringContaining(path),
    });
  expect(server.connections()).toBe(0);
  // Another session has it covered.
  expect((await run(await open(root), connectOnce("late.sock"))).text).toBe("nothing\n");
  await server.close();
  rmSync(path, { force: true });
  expect((await run(sandbox, "echo fine again")).text).toBe("fine again\n");
});

testInSandbox("treats a restarted server as new, even with the old inode number", async () => {
  const root = aWorkspace();
  const path = join(root, "s");
  const first = await startServer(path);
  const sandbox = await open(root);
  expect((await run(sandbox, connectOnce("s"))).text).toBe("nothing\n");
  await first.close();
  const server = await startServer(path);
  await untilNextPoll();
  await expect
    .poll(() =>
      run(sandbox, connectOnce("s")).then(
        ({ text }) => text,
        (thrown: unknown) => thrown,
      ),
    )
    .toMatchObject({ code: "SANDBOX_MOUNT_REFUSED" });
  expect(server.connections()).toBe(0);
});

testInSandbox("keeps sockets and FIFOs of commands working, also after a reopening", async () => {
  const root = aWorkspace();
  const serve = `python3 -c 'import socket, os
if os.path.exists("own.sock"): os.unlink("own.sock")
s=socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen(); print("up", flush=True)
while True: s.accept()[0].send(b"reached")' >up 2>&1 & until [ -s up ]; do sleep 0.02; done`;
  const sandbox = await open(root);
  expect((await run(sandbox, `${serve}\n${connectOnce("own.sock")}`)).text).toBe("socket\nreached\n");
  expect(
    (
      await run(
        sandbox,
        "mkfifo own; (cat own >said &); echo hi >own; sleep 0.1; cat said; rm own; mkfifo own",
      )
    ).text,
  ).toBe("hi\n");
  expect((await run(sandbox, connectOnce("own.sock"))).text).toBe("socket\nreached\n");
  // Ended, with what served; the file stays.
  await backend.destroy(sandbox.ref);
  await sandbox.ended;
  expect(existsSync(join(root, "own.sock"))).toBe(true);
  expect(
    (await run(sandbox, `rm up\n${serve}\n${connectOnce("own.sock")}; (cat own &); echo hi >own`)).text,
  ).toContain("socket\nreached\n");
});

testInSandbox("lets commands reach servers in a writable folder on the host's network", async () => {
  const root = aWorkspace();
  await startServer(join(root, "s"));
  expect((await run(await open(root, { network: "full" }), connectOnce("s"))).text).toBe("socket\nreached\n");
});

testInSandbox("refuses too many sockets and FIFOs, and names the first", async () => {
  const root = aWorkspace();
  execFileSync(
    "mkfifo",
    Array.from({ length: 101 }, (_, at) => join(root, `fifo-${at}`)),
  );
  const failure = await catchFailure(open(root));
  expect(failure.code).toBe("SANDBOX_MOUNT_REFUSED");
  expect(failure.message).toMatch(new RegExp(`^${root}/fifo-\\d+ and 100 more sockets and FIFOs`));
});
