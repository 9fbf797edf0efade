import { HaftError } from "@haft/core";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxBackend, SandboxSpec } from "../../src/backend.ts";
import { checkMounts } from "../../src/docker/container/check-mounts.ts";
import { bubblewrapError } from "../../src/errors.ts";
import { openSandbox } from "../../src/index.ts";
import { identityFor } from "../../src/isolation/identity.ts";
import { hostMounts } from "../../src/mounts/host-mounts.ts";
import { withMountIdentities, withCheckedSetup } from "../../src/mounts/mounted-folders.ts";
import { createPipeBackend } from "../pipe-backend.ts";
import { specFor } from "../spec-for.ts";

const refused = expect.objectContaining({ code: "SANDBOX_MOUNT_REFUSED", receipt: "none" });

function folders() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-replaced-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [docs, secret] = [join(base, "project/docs"), join(base, "secret")];
  mkdirSync(docs, { recursive: true });
  mkdirSync(secret);
  writeFileSync(join(secret, "key"), "of the host\n");
  const replace = (): void => {
    renameSync(docs, join(base, "project/old"));
    symlinkSync(secret, docs);
  };
  return { base, docs, secret, replace };
}

describe("a checked folder", () => {
  const checks: [string, (spec: SandboxSpec) => unknown][] = [
    ["by local backends", (spec) => hostMounts(spec, bubblewrapError)],
    ["by Docker", (spec) => checkMounts(spec, "/nowhere/docker.sock")],
  ];
  for (const [who, check] of checks) {
    test(`is mounted while it is the same, ${who}`, () => {
      const { docs } = folders();
      const spec = withMountIdentities(specFor(docs));
      expect(() => check(spec)).not.toThrow();
      mkdirSync(join(docs, "more"));
      expect(() => check(spec)).not.toThrow();
    });

    test(`is refused after a link replaced it, ${who}`, () => {
      const { docs, replace } = folders();
      const spec = withMountIdentities(specFor(docs));
      replace();
      expect(() => check(spec)).toThrow(refused);
    });

    test(`is refused after a link replaced the folder above, ${who}`, () => {
      const { base, docs, secret } = folders();
      const spec = withMountIdentities(specFor(docs));
      mkdirSync(join(secret, "docs"));
      renameSync(join(base, "project"), join(base, "old"));
      symlinkSync(secret, join(base, "project"));
      expect(() => check(spec)).toThrow(refused);
    });

    test(`is refused after another folder replaced it, ${who}`, () => {
      const { docs, base } = folders();
      const spec = withMountIdentities(specFor(docs));
      renameSync(docs, join(base, "project/old"));
      mkdirSync(docs);
      expect(() => check(spec)).toThrow(refused);
    });
  }

  test("has its real path from the first check on", () => {
    const { base, docs } = folders();
    symlinkSync(docs, join(base, "link"));
    const { mounts } = withMountIdentities(specFor(join(base, "link")));
    const { dev, ino } = lstatSync(docs, { bigint: true });
    expect(mounts).toMatchObject([{ hostPath: docs, identity: `${dev}:${ino}` }]);
  });

  test.runIf(process.getuid?.() === 0)("determines the user of commands", () => {
    const { docs, replace } = folders();
    const spec = withMountIdentities(specFor(docs));
    expect(identityFor(spec, bubblewrapError)).toMatchObject({ root: true });
    replace();
    expect(() => identityFor(spec, bubblewrapError)).toThrow(refused);
  });
});

/** Mounts another folder than was checked: somebody was faster. */
function tricked(to: string): SandboxBackend & { closed: number } {
  const pipe = createPipeBackend();
  const backend = {
    ...pipe,
    closed: 0,
    async open(spec: SandboxSpec) {
      const mounts = spec.mounts.map((mount) => ({ ...mount, path: to }));
      const connection = await pipe.open({ ...spec, mounts });
      const close = async (): Promise<void> => {
        backend.closed++;
        await connection.close();
      };
      return { ...connection, hostFolders: true, close };
    },
  };
  return backend;
}

describe("a mounted folder", () => {
  test("is checked from inside before any program runs", async () => {
    const { docs, secret } = folders();
    const backend = tricked(secret);
    await expect(openSandbox(backend, specFor(docs))).rejects.toEqual(refused);
    expect(backend.closed).toBe(1);
  });

  test("is accepted if it is the specified folder", async () => {
    const { docs } = folders();
    await using workspace = await openSandbox(tricked(docs), specFor(docs));
    expect(workspace.describe().mounts).toMatchObject([{ path: docs }]);
  });

  test("is also checked by the setup script, which runs earlier", async () => {
    const { execFileSync } = await import("node:child_process");
    const { docs, secret } = folders();
    const spec = withMountIdentities({ ...specFor(docs), setup: "echo set up" });
    const script = (path: string): string => withCheckedSetup(spec, () => path).setup!;
    const run = (text: string): string =>
      execFileSync("sh", ["-c", text], { encoding: "utf8", stdio: "pipe" });
    expect(run(script(docs))).toBe("set up\n");
    expect(() => run(script(secret))).toThrow(/was replaced after the check/);
  });

  test("is refused if it cannot be identified", async () => {
    const { docs, base } = folders();
    const missing = join(base, "missing");
    const failed = openSandbox(tricked(docs), specFor(missing));
    await expect(failed).rejects.toSatisfy(
      (thrown) => HaftError.is(thrown) && thrown.code === "SANDBOX_MOUNT_REFUSED",
    );
  });
});
