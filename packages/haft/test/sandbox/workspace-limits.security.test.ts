import { fc } from "@fast-check/vitest";
import type { SandboxSettings } from "@haft/config";
import { readWorkspaceConfig } from "@haft/config/internal/document";
import { DEFAULT_LIMITS, mergeSettings, applyCaps } from "@haft/config/internal/settings";
import { HaftError } from "@haft/core";
import { createHost } from "@haft/host";
import type { SandboxBackend, SandboxSpec, SandboxLimits } from "@haft/sandbox";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openHost } from "../../../host/test/support/open-host.ts";
import { haftHere } from "../support/haft.ts";

// A workspace can be anybody's: its limits take away, and give nobody more.

beforeEach(() => {
  for (const name of ["HAFT_CONFIG", "HAFT_POLICY", "HAFT_ADMIN_POLICY"]) vi.stubEnv(name, "");
  onTestFinished(() => void vi.unstubAllEnvs());
});

describe("an invalid limit is rejected", () => {
  test.each([
    ["no processors, which is all of them", "sandbox: { limits: { cpus: 0 } }", /limits\.cpus: Expected/],
    ["nothing at all", "sandbox: { limits: { memoryMb: 0 } }", /limits\.memoryMb: Expected/],
    ["less than nothing", "sandbox: { limits: { tasks: -1 } }", /limits\.tasks: Expected/],
    ["no end", "sandbox: { limits: { cpus: .inf } }", /:1: .*\.inf/],
    ["no number", "sandbox: { limits: { tmpMb: .nan } }", /:1: .*\.nan/],
    ["a text", 'sandbox: { limits: { fileMb: "1" } }', /limits\.fileMb: Expected/],
    ["no object", "sandbox: { limits: 5 }", /sandbox\.limits: Expected/],
    ["a limit that does not exist", "sandbox: { limits: { memoryMB: 5 } }", /Did you mean "memoryMb"/],
  ])("%s", async (_what, content, message) => {
    await expect(readWorkspaceConfig("/w/haft.config.yaml", content)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(message),
    });
  });
});

describe("other settings of a sandbox need trust", () => {
  test.each([
    ["another key", "sandbox: { network: full }", /:1: sandbox\.network: It says where commands run/],
    ["beside limits", "sandbox:\n  limits: { tasks: 5 }\n  setup: evil", /:3: sandbox\.setup: It says/],
    ["no sandboxes", "sandbox: false", /:1: sandbox: It says where commands run/],
    ["a list", "sandbox: [limits]", /:1: sandbox: It says/],
  ])("%s", async (_what, content, message) => {
    const { rules, loosening } = await readWorkspaceConfig("/w/haft.config.yaml", content);
    expect(loosening.map(({ path, line, message: why }) => `:${line}: ${path}: ${why}`)).toEqual([
      expect.stringMatching(message),
    ]);
    expect(rules.limits).toEqual(content.includes("tasks: 5") ? { tasks: 5 } : undefined);
  });
});

const most = fc.double({ min: 1, max: 2 ** 30, noNaN: true });
const limits = fc.record(
  {
    memoryMb: most,
    tasks: fc.integer({ min: 1, max: 2 ** 30 }),
    cpus: fc.double({ min: 0.01, max: 512, noNaN: true }),
    fileMb: most,
    tmpMb: most,
  },
  { requiredKeys: [] },
);
const settings = fc.record<SandboxSettings>(
  {
    limits: fc.oneof(
      limits,
      limits.map((each) => ({ ...each, cpus: 0 })),
    ),
    network: fc.constantFrom("none", "full"),
    workspaceAccess: fc.constantFrom("none", "ro", "rw"),
    env: fc.dictionary(fc.string(), fc.string()),
  },
  { requiredKeys: [] },
);

test("a limit of a workspace never raises limits, and changes nothing else", () => {
  const bound = (name: keyof SandboxLimits, value: number) =>
    name === "cpus" && value === 0 ? Number.POSITIVE_INFINITY : value;
  fc.assert(
    fc.property(settings, settings, fc.array(limits, { maxLength: 3 }), (host, session, caps) => {
      const merged = mergeSettings(host, session);
      const given = applyCaps(merged, caps);
      expect({ ...given, limits: undefined }).toEqual({ ...merged, limits: undefined });
      const before = { ...DEFAULT_LIMITS, ...merged.limits };
      const after = { ...DEFAULT_LIMITS, ...given.limits };
      for (const name of Object.keys(DEFAULT_LIMITS) as (keyof SandboxLimits)[]) {
        const all = [before[name], ...caps.flatMap((cap) => cap[name] ?? [])].map((one) => bound(name, one));
        expect(bound(name, after[name])).toBe(Math.min(...all));
      }
    }),
  );
});

/** A backend that opens nothing, and keeps what it was to open. */
function keeping(): { backend: SandboxBackend; specs: SandboxSpec[] } {
  const specs: SandboxSpec[] = [];
  const backend = {
    name: "keeping",
    probe: async () => ({ backend: "keeping", available: true, details: {} }),
    async open(spec: SandboxSpec) {
      specs.push(spec);
      throw new Error("opens nothing");
    },
  } as unknown as SandboxBackend;
  return { backend, specs };
}

test("a session gets at most the limits of its workspace files", async () => {
  const above = await temporaryFolder();
  const workspaceDir = join(above, "sub");
  await mkdir(join(above, ".git"));
  await mkdir(workspaceDir);
  await writeFile(join(above, "haft.config.yaml"), "sandbox: { limits: { memoryMb: 300, cpus: 2 } }");
  await writeFile(
    join(workspaceDir, "haft.config.json"),
    '{"sandbox":{"limits":{"memoryMb":200,"tasks":100000}},"policy":{"deny":["bash"]}}',
  );
  const { backend, specs } = keeping();
  const host = await openHost({
    workspaceDir,
    stateDir: false,
    config: true,
    sandbox: { backend, limits: { tmpMb: 64 } },
  });
  const session = { kind: "sandboxed" as const, sandbox: { limits: { memoryMb: 4096, cpus: 8, tasks: 64 } } };
  await expect(host.openSession(session)).rejects.toThrow(/opens nothing/);
  expect(specs.map((spec) => spec.limits)).toEqual([
    { memoryMb: 200, cpus: 2, tasks: 64, fileMb: DEFAULT_LIMITS.fileMb, tmpMb: 64 },
  ]);
  const shown = await haftHere(["config", "show"], { cwd: workspaceDir });
  expect(shown.stdout).toMatch(/sandbox\.limits\.memoryMb +200 +\S+sub\/haft\.config\.json:1/);
});

test("if no sandbox starts, the error names the limits and their file", async () => {
  const workspaceDir = await temporaryFolder();
  const file = join(workspaceDir, "haft.config.yaml");
  await writeFile(file, "sandbox: { limits: { memoryMb: 1, tmpMb: 100000 } }");
  const failed = new HaftError("SANDBOX_START_FAILED", "It did not start.", {
    category: "operational",
    fix: "Allow more.",
  });
  const refusing = (thrown: Error) =>
    ({
      name: "refusing",
      probe: async () => ({ backend: "refusing", available: true, details: {} }),
      open: () => Promise.reject(thrown),
    }) as unknown as SandboxBackend;
  const open = async (thrown: Error, config: boolean) => {
    const options = { workspaceDir, stateDir: false, administratorPolicy: false, config } as const;
    const host = await createHost({ ...options, sandbox: { backend: refusing(thrown) } });
    onTestFinished(() => host.close());
    return host.openSession({ kind: "sandboxed" });
  };
  await expect(open(failed, true)).rejects.toMatchObject({
    code: "SANDBOX_START_FAILED",
    message: "It did not start.",
    fix: `Allow more. The workspace limits it to memoryMb: 1 (in ${file}).`,
    cause: failed,
  });
  // Neither without such a file, nor of what no limit is the reason for.
  await expect(open(failed, false)).rejects.toMatchObject({ fix: "Allow more." });
  const other = new HaftError("SANDBOX_UNAVAILABLE", "No.", { category: "operational", fix: "Install it." });
  await expect(open(other, true)).rejects.toMatchObject({ fix: "Install it." });
});
