import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import type { SandboxMount } from "../../src/backend.ts";
import { getReadOnlyMountMode } from "../../src/docker/container/read-only-mounts.ts";
import { createDockerBackend, openSandbox } from "../../src/index.ts";
import { startServer, connectOnce } from "../host-sockets/support.ts";
import { specFor } from "../spec-for.ts";
import { startEngineProxy, folder, openWithBackend, run, useDocker } from "./support.ts";

const { daemon, socketPath, backend, keys, open } = await useDocker();

/** A file system of its own, for everybody to write to. */
function mounted(folderPath: string): string {
  mkdirSync(folderPath, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", "mode=777,size=1m", "haft-test", folderPath]);
  onTestFinished(() => void execFileSync("umount", ["-l", folderPath]));
  const file = join(folderPath, "file");
  writeFileSync(file, "of the host\n");
  chmodSync(file, 0o666);
  return file;
}

const readOnly = (hostPath: string, name = ""): SandboxMount => ({
  name,
  hostPath,
  path: name === "" ? "/workspace" : `/mnt/${name}`,
  access: "ro",
});

const codeOf = (thrown: unknown): string => (thrown as { code: string }).code;

/** Says what could be written. */
const attack = (...paths: string[]): string =>
  paths
    .map(
      (place) =>
        `cat '${place}/file'; (echo HACK >'${place}/file'; : >'${place}/made') 2>/dev/null && echo WRITTEN`,
    )
    .join("\n");

describe.skipIf(daemon === undefined)("mounts below a read-only folder of a container", () => {
  test("are visible and read-only in the workspace, nested, and under any name", async () => {
    const hostPath = folder();
    const inside = ["sub", "sub/deeper", "a folder/of its own"];
    const files = inside.map((name) => mounted(join(hostPath, name)));
    const sandbox = await open({ workspace: "ro", mounts: [readOnly(hostPath)] }, hostPath);
    const { text } = await run(sandbox, attack(...inside.map((name) => `/workspace/${name}`)));
    expect(text).toBe("of the host\n".repeat(3));
    for (const file of files) expect(readFileSync(file, "utf8")).toBe("of the host\n");
    await expect(sandbox.fs.write("sub/file", Buffer.from("x"))).rejects.toMatchObject({ code: "READ_ONLY" });
    expect(readdirSync(join(hostPath, "sub")).toSorted()).toEqual(["deeper", "file"]);
  });

  test("are read-only in a named root, and writable below a writable folder", async () => {
    const [hostPath, other] = [folder(), folder()];
    const [writable, others] = [mounted(join(hostPath, "sub")), mounted(join(other, "sub"))];
    const mounts = [{ ...readOnly(hostPath), access: "rw" as const }, readOnly(other, "other")];
    const sandbox = await open({ mounts }, hostPath);
    const { text } = await run(sandbox, attack("/workspace/sub", "/mnt/other/sub"));
    expect(text).toBe("of the host\nWRITTEN\nof the host\n");
    expect([writable, others].map((file) => readFileSync(file, "utf8"))).toEqual(["HACK\n", "of the host\n"]);
  });

  test("are not visible inside if they come while the sandbox runs", async () => {
    const hostPath = folder();
    mkdirSync(join(hostPath, "sub"));
    const sandbox = await open({ workspace: "ro", mounts: [readOnly(hostPath)] }, hostPath);
    const file = mounted(join(hostPath, "sub"));
    const { text } = await run(sandbox, attack("/workspace/sub"));
    expect(text).not.toContain("WRITTEN");
    expect(readFileSync(file, "utf8")).toBe("of the host\n");
  });

  test("are checked from inside, in case the Engine ignores an option", async () => {
    const hostPath = folder();
    const file = mounted(join(hostPath, "sub"));
    const opening = async (...deafTo: [RegExp, string][]) => {
      const path = await deafTo.reduce(
        async (before, [what, to]) => deaf(await before, what, to),
        Promise.resolve(socketPath),
      );
      const workspace = { workspace: "ro" as const, mounts: [readOnly(hostPath)] };
      return openSandbox(createDockerBackend({ socketPath: path }), specFor(hostPath, workspace));
    };
    const recursive: [RegExp, string] = [/"NonRecursive"/g, '"NotHeardOf00"'];
    // What comes by itself lies over what should not have come.
    const covered = await opening(recursive);
    expect((await run(covered, attack("/workspace/sub"))).text).toBe("of the host\n");
    await covered.close();
    for (const more of [
      [recursive, [/"Target":"\/workspace\/sub"/g, '"Target":"/workspace_sub"']],
      [[/"ReadOnly":true/g, '"ReadOnlx":true']],
    ] as [RegExp, string][][]) {
      await expect(opening(...more)).rejects.toMatchObject({
        code: "SANDBOX_MOUNT_REFUSED",
        category: "policy",
      });
    }
    expect(readFileSync(file, "utf8")).toBe("of the host\n");
    expect(await keys()).toEqual([]);
  });

  test.each(["below /usr, also mounted for this program", "below /usr, mounted for the Engine alone"])(
    "cannot be written to %s",
    async (which) => {
      const hostPath = folder();
      const source = folder();
      mkdirSync(join(source, "prog"));
      writeFileSync(join(source, "file"), "of the host\n");
      chmodSync(source, 0o777);
      chmodSync(join(source, "file"), 0o666);
      const program = fileURLToPath(new URL("in-namespace.ts", import.meta.url));
      const args = [
        source,
        which.includes("alone") ? "engine" : "both",
        JSON.stringify(specFor(hostPath)),
        attack("/usr/local/src"),
      ];
      const child = spawn(
        "unshare",
        ["-m", "--propagation", "private", process.execPath, ...conditions, program, ...args],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      onTestFinished(() => void child.kill("SIGKILL"));
      let output = "";
      child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
      await once(child, "close");
      const { text } = JSON.parse(output) as { text: string };
      expect(text).toMatch(which.includes("alone") ? /No such file/ : /^of the host\n$/);
      expect(text).not.toContain("WRITTEN");
      expect(readFileSync(join(source, "file"), "utf8")).toBe("of the host\n");
    },
  );

  test("cannot hide servers of the host, also in a detached sandbox", async () => {
    const hostPath = folder();
    await startServer(join(hostPath, "before.sock"));
    const spec = specFor(hostPath, { lifetime: { idleMs: 60_000, maxAgeMs: 60_000 } });
    const first = await openWithBackend(backend, spec);
    const serve = `import socket; s=socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen(); print("up", flush=True)
while True: s.accept()[0].send(b"reached")`;
    await run(first, `python3 -c '${serve}' >up 2>&1 & until [ -s up ]; do sleep 0.02; done; mkfifo own`);
    const second = await openWithBackend(backend, spec);
    expect(second.ref.id).toBe(first.ref.id);
    const script = `${connectOnce("before.sock", "own.sock")}; [ -p own ] && echo own`;
    expect((await run(second, script)).text).toBe("nothing\nsocket\nreached\nown\n");
    const later = await startServer(join(hostPath, "later.sock"));
    await expect(openWithBackend(backend, spec)).rejects.toMatchObject({
      code: "SANDBOX_MOUNT_REFUSED",
      message: expect.stringContaining(`${hostPath}/later.sock`) as string,
    });
    const started = () => run(second, "echo started").then(({ text }) => text, codeOf);
    await expect.poll(started).toBe("SANDBOX_MOUNT_REFUSED");
    await later.close();
    expect(await started()).toBe("started\n");
  });

  test("are also checked in a detached sandbox", async () => {
    const hostPath = folder();
    const file = mounted(join(hostPath, "sub"));
    const spec = specFor(hostPath, {
      key: "lives on",
      workspace: "ro",
      mounts: [readOnly(hostPath)],
      lifetime: { idleMs: 60_000, maxAgeMs: 600_000 },
    });
    for (let round = 0; round < 2; round++) {
      const sandbox = await openWithBackend(backend, spec);
      expect((await run(sandbox, attack("/workspace/sub"))).text).toBe("of the host\n");
      await sandbox.close();
    }
    expect(readFileSync(file, "utf8")).toBe("of the host\n");
  });
});

test.each([
  ["1.41", "6.1.0-18-amd64", "one-by-one"],
  ["1.43", "6.1.0", "one-by-one"],
  ["1.44", "6.1.0-18-amd64", "recursive"],
  ["1.47", "5.12.0", "recursive"],
  ["1.47", "5.11.22-generic", "one-by-one"],
  ["1.47", "", "one-by-one"],
  ["2.0", "10.0", "recursive"],
])("API %s on Linux %s: %s", (api, KernelVersion, way) => {
  expect(getReadOnlyMountMode(api, { KernelVersion })).toBe(way);
});

/** A socket before the Engine's where something is not understood; the length stays. */
function deaf(path: string, what: RegExp, instead: string): Promise<string> {
  return startEngineProxy(path, (bytes, engine) => {
    const text = bytes.toString("latin1");
    const isRequest = /^POST .*\/containers\/create/.test(text);
    engine.write(isRequest ? Buffer.from(text.replaceAll(what, instead), "latin1") : bytes);
  });
}
