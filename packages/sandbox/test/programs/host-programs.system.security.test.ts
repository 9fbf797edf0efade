import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandboxRuntimeBackend, createSshBackend } from "../../src/index.ts";
import { clientEnvironment } from "../../src/ssh/ssh-client.ts";
import {
  createTestBackend,
  openTestSandbox,
  createWorkspaceFolder,
  testAsRoot,
  testInSandbox,
} from "../bubblewrap/support.ts";
import { specFor } from "../spec-for.ts";
import { catchFailure, tempFolder } from "../support.ts";

const NAMES = ["bwrap", "mknod", "sh", "socat", "rg", "which", "ssh", "nc"];

/** A workspace, first on the PATH, with programs that tell on themselves; and what they told. */
function planted(only = false) {
  const root = createWorkspaceFolder();
  const mark = join(tempFolder("mark"), "ran");
  for (const name of NAMES) {
    const path = join(root, "bin", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho ${name} >>${mark}\nexec /usr/bin/${name} "$@"\n`);
    chmodSync(path, 0o755);
  }
  vi.stubEnv("PATH", [join(root, "bin"), ...(only ? [] : [process.env["PATH"]])].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  return { root, ran: () => (existsSync(mark) ? readFileSync(mark, "utf8") : "") };
}

describe("programs in a mounted folder", () => {
  testInSandbox("are not used as bubblewrap, at the start or in the probe", async () => {
    const { root, ran } = planted();
    const backend = createTestBackend();
    await openTestSandbox(specFor(root, { workspace: "rw" }), backend);
    expect((await backend.probe()).details["program"]).toBe("/usr/bin/bwrap");
    expect(ran()).toBe("");
  });

  testAsRoot("are not used as mknod, for devices of a workspace of root", async () => {
    const { root, ran } = planted();
    const cacheFolder = tempFolder("cache");
    chmodSync(cacheFolder, 0o755);
    await openTestSandbox(specFor(root, { workspace: "rw" }), createTestBackend({ cacheFolder }));
    expect(existsSync(join(cacheFolder, "dev/null"))).toBe(true);
    expect(ran()).toBe("");
  });

  test("are not used by sandbox-runtime", async () => {
    const { root, ran } = planted();
    const backend = createSandboxRuntimeBackend({ stateFolder: tempFolder("state") });
    // It may fail for other reasons; that is not what is asked here.
    const connection = await backend.open(specFor(root, { network: { allow: [] } })).catch(() => undefined);
    await connection?.close();
    expect(ran()).toBe("");
  });

  test("are not used as ssh or started by it", async () => {
    const { root, ran } = planted();
    await createTestBackend()
      .open(specFor(root))
      .catch(() => {})
      .then((one) => one?.close());
    const options = { ProxyCommand: "nc nowhere 1" };
    const backend = createSshBackend({ host: "nowhere.invalid", root: "/", options });
    const failure = await catchFailure(backend.open(specFor(root, { network: "full", mounts: [] })));
    expect(failure.code).toBe("SANDBOX_UNAVAILABLE");
    expect(clientEnvironment()["PATH"]!.split(delimiter)).not.toContain(join(root, "bin"));
    expect(ran()).toBe("");
  });

  test.each(["bubblewrap", "ssh", "sandbox-runtime"])(
    "cause an error with the reason if %s finds no other program on the PATH",
    async (id) => {
      const { root, ran } = planted(true);
      const spec = specFor(root, { network: id === "ssh" ? "full" : "none" });
      await catchFailure(createTestBackend().open(spec));
      const backend =
        id === "bubblewrap"
          ? createTestBackend()
          : id === "ssh"
            ? createSshBackend({ host: "nowhere.invalid", root: "/" })
            : createSandboxRuntimeBackend();
      const failure = await catchFailure(backend.open(id === "ssh" ? { ...spec, mounts: [] } : spec));
      expect(failure).toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
        message: expect.stringMatching(
          /(bwrap|ssh) is not started from \S+\/bin\/(bwrap|ssh): it lies in \S+, where/,
        ),
        fix: expect.stringContaining("no other user may write to"),
      });
      expect(ran()).toBe("");
    },
  );
});

describe("a program that the operator named", () => {
  test.each([
    ["bwrap", (path: string) => createTestBackend({ bwrap: path }).open(specFor(createWorkspaceFolder()))],
    [
      "ssh",
      (path: string) =>
        createSshBackend({ host: "nowhere.invalid", root: "/", ssh: path }).open(
          specFor(createWorkspaceFolder(), { network: "full", mounts: [] }),
        ),
    ],
  ])("is rejected with the name of its option if all may write to %s", async (option, open) => {
    const path = join(tempFolder("open"), "program");
    writeFileSync(path, "#!/bin/sh\n");
    chmodSync(path, 0o777);
    const failure = await catchFailure(open(path));
    expect(failure.code).toBe("SANDBOX_UNAVAILABLE");
    expect(failure.message).toContain(`${path} (the option "${option}"): others may write to ${path}`);
  });
});

testInSandbox("returns an error if bwrap was replaced between two starts", async () => {
  const bwrap = join(tempFolder("bin"), "bwrap");
  writeFileSync(bwrap, '#!/bin/sh\nexec /usr/bin/bwrap "$@"\n');
  chmodSync(bwrap, 0o755);
  const backend = createTestBackend({ bwrap });
  await openTestSandbox(specFor(createWorkspaceFolder()), backend);
  appendFileSync(bwrap, "# more\n");
  expect(await catchFailure(backend.open(specFor(createWorkspaceFolder())))).toMatchObject({
    code: "HOST_PROGRAM_CHANGED",
    message: `Cannot open a sandbox: ${bwrap} is not the file any more that this host found as bwrap.`,
    receipt: "none",
  });
});
