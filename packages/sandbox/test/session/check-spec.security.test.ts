import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxBackend, SandboxSpec } from "../../src/backend.ts";
import { openSandbox } from "../../src/index.ts";
import { checkSpec } from "../../src/session/check-spec.ts";
import { createPipeBackend } from "../pipe-backend.ts";
import { specFor } from "../spec-for.ts";

const invalid = expect.objectContaining({ code: "INVALID_OPTIONS", receipt: "none" });
const good = specFor("/tmp");
/** As somebody without types would write it. */
const withLoose = (more: object): SandboxSpec => ({ ...good, ...more });
const withAccess = (access: unknown): SandboxSpec =>
  withLoose({ mounts: [{ name: "", hostPath: "/tmp", path: "/workspace", access }] });

describe("a specification", () => {
  test.each([
    {},
    { network: "full" },
    { network: { allow: ["example.com"] } },
    { user: { uid: 1000, gid: 1000 } },
    { lifetime: { idleMs: 1, maxAgeMs: 1000 } },
    { lifetime: { idleMs: 1 } },
    { lifetime: { maxAgeMs: 1000 } },
    { lifetime: {} },
    { limits: { ...good.limits, cpus: 0.5 } },
    { limits: { ...good.limits, memoryMb: 1.5 } },
  ])("accepts %j", (more) => {
    expect(() => checkSpec(withLoose(more))).not.toThrow();
  });

  test.each(["RO", "readonly", "", undefined, null, true])("rejects the access %j", (access) => {
    expect(() => checkSpec(withAccess(access))).toThrow(invalid);
  });

  test.each(["off", "None", "", false, null, undefined, {}, { allow: "a.example" }, { allow: [1] }])(
    "rejects the network %j",
    (network) => expect(() => checkSpec(withLoose({ network }))).toThrow(invalid),
  );

  test.each([{ uid: "0", gid: 0 }, { uid: 1 }, { uid: -1, gid: 1 }, { uid: 1.5, gid: 1 }, null, "me"])(
    "rejects the user %j",
    (user) => expect(() => checkSpec(withLoose({ user }))).toThrow(invalid),
  );

  test.each([
    "forever",
    { idleMs: Number.NaN, maxAgeMs: 1 },
    { idleMs: 1, maxAgeMs: "1" },
    { idleMs: 0, maxAgeMs: 1 },
    { idleMs: 1, days: 1 },
    null,
  ])("rejects the lifetime %j", (lifetime) =>
    expect(() => checkSpec(withLoose({ lifetime }))).toThrow(invalid),
  );

  const amounts = [
    undefined,
    null,
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "64",
    "64; touch /tmp/injected",
    1e300,
  ];
  for (const name of ["memoryMb", "tasks", "fileMb", "tmpMb", "cpus"]) {
    test.each(amounts)(`rejects the limit ${name} of %j`, (amount) => {
      const spec = withLoose({ limits: { ...good.limits, [name]: amount } });
      if (name === "cpus" && amount === 0) expect(() => checkSpec(spec)).not.toThrow();
      else expect(() => checkSpec(spec)).toThrow(invalid);
    });
  }

  test.each([
    { limits: undefined },
    { limits: { ...good.limits, tasks: 1.5 } },
    { scope: "all" },
    { workspace: "RW" },
    { setup: "" },
    { image: 1 },
    { env: { A: 1 } },
  ])("rejects %j", (more) => expect(() => checkSpec(withLoose(more))).toThrow(invalid));

  test("is checked before the backend receives it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-spec-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const made = join(folder, "injected");
    const backend: SandboxBackend = createPipeBackend();
    const spec = withLoose({ limits: { ...good.limits, tasks: `64; touch ${made}` } });
    await expect(openSandbox(backend, spec)).rejects.toEqual(invalid);
    expect(existsSync(made)).toBe(false);
  });
});
