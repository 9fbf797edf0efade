import { fc, test as property } from "@fast-check/vitest";
import { mkdir, realpath, rename, stat, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { readRealPaths, toSandboxSpec } from "../../src/sandbox/sandbox-spec.ts";

const owner = { sessionKey: "room", agentId: "main" };
async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}

const refused = expect.objectContaining({ code: "SANDBOX_MOUNT_REFUSED", receipt: "none" });

describe("mounts of a sandbox", () => {
  test("use the path of the host if the backend cannot move folders", async () => {
    const workspaceDir = await realpath(await temporaryFolder());
    const network = { allow: ["example.com"] };
    expect(toSandboxSpec({ workspaceAccess: "rw", network }, { ...owner, workspaceDir }).mounts).toEqual([
      {
        name: "",
        hostPath: workspaceDir,
        path: workspaceDir,
        access: "rw",
        identity: await identityOf(workspaceDir),
      },
    ]);
  });

  test("are empty by default", async () => {
    const workspaceDir = await temporaryFolder();
    expect(toSandboxSpec({}, { ...owner, workspaceDir })).toMatchObject({
      workspace: "none",
      mounts: [],
      env: {},
      network: "none",
      lifetime: "tethered",
    });
  });

  test("use the real path, so that a link cannot be replaced afterwards", async () => {
    const folder = await temporaryFolder();
    const project = join(folder, "project");
    await mkdir(project);
    await symlink(project, join(folder, "link"));
    const { mounts } = toSandboxSpec(
      { workspaceAccess: "rw" },
      { ...owner, workspaceDir: join(folder, "link") },
    );
    const hostPath = await realpath(project);
    expect(mounts).toEqual([
      { name: "", hostPath, path: "/workspace", access: "rw", identity: await identityOf(hostPath) },
    ]);
  });

  test.each([
    "/",
    "/etc",
    "/proc/self",
    "/usr",
    "/usr/bin",
    "/usr/local",
    "/usr/lib",
    "/var",
    "/var/lib",
    "/var/log",
    "/run",
    homedir(),
    tmpdir(),
  ])("never include %s", async (path) => {
    const workspaceDir = await temporaryFolder();
    for (const access of ["ro", "rw"] as const) {
      expect(() => toSandboxSpec({ workspaceAccess: access }, { ...owner, workspaceDir: path })).toThrow(
        refused,
      );
      expect(() => toSandboxSpec({ roots: { data: { path, access } } }, { ...owner, workspaceDir })).toThrow(
        refused,
      );
    }
  });

  test("refuse links to closed folders, missing folders and Haft's state", async () => {
    const workspaceDir = await temporaryFolder();
    await symlink("/etc", join(workspaceDir, "harmless"));
    const root = (path: string) => () =>
      toSandboxSpec({ roots: { data: { path, access: "ro" } } }, { ...owner, workspaceDir });
    expect(root(join(workspaceDir, "harmless"))).toThrow(refused);
    expect(root(join(workspaceDir, "harmless/missing"))).toThrow(refused);
    expect(root(join(workspaceDir, "missing"))).toThrow(refused);
    const stateDir = join(workspaceDir, ".state");
    expect(() => toSandboxSpec({ workspaceAccess: "rw" }, { ...owner, workspaceDir, stateDir })).toThrow(
      refused,
    );
    const inside = join(stateDir, "approvals");
    await mkdir(inside, { recursive: true });
    for (const path of [stateDir, inside]) {
      const roots = { data: { path, access: "ro" as const } };
      expect(() => toSandboxSpec({ roots }, { ...owner, workspaceDir, stateDir })).toThrow(refused);
    }
  });

  test("refuse caches and records of sandboxes, and all folders inside", async () => {
    const workspaceDir = await temporaryFolder();
    const stateDir = join(workspaceDir, "state");
    const cache = join(workspaceDir, "cache");
    vi.stubEnv("XDG_CACHE_HOME", cache);
    vi.stubEnv("TMPDIR", workspaceDir);
    onTestFinished(() => void vi.unstubAllEnvs());
    const records = join(workspaceDir, `haft-${process.getuid!()}-sandboxes`);
    for (const folder of [
      join(stateDir, "undo"),
      join(cache, "haft/dev"),
      records,
      join(workspaceDir, "project"),
    ])
      await mkdir(folder, { recursive: true });
    const root = (path: string) => () =>
      toSandboxSpec({ roots: { data: { path, access: "ro" } } }, { ...owner, workspaceDir, stateDir });
    for (const path of [
      stateDir,
      join(stateDir, "undo"),
      cache,
      join(cache, "haft"),
      join(cache, "haft/dev"),
      records,
    ])
      expect(root(path)).toThrow(refused);
    expect(root(join(workspaceDir, "project"))).not.toThrow();
  });

  test("refuse a read-only root in a writable folder", async () => {
    const workspaceDir = await temporaryFolder();
    const docs = join(workspaceDir, "docs");
    await mkdir(docs);
    const spec = (workspaceAccess: "ro" | "rw", access: "ro" | "rw") => () =>
      toSandboxSpec({ workspaceAccess, roots: { docs: { path: docs, access } } }, { ...owner, workspaceDir });
    expect(spec("rw", "ro")).toThrow(refused);
    expect(spec("rw", "rw")).not.toThrow();
    expect(spec("ro", "ro")).not.toThrow();
    expect(spec("ro", "rw")).not.toThrow();
  });

  test("refuse a link that replaced a folder of the host", async () => {
    const folder = await temporaryFolder();
    const [workspaceDir, other] = [join(folder, "project"), join(folder, "other")];
    await mkdir(workspaceDir);
    await mkdir(other);
    const realPaths = readRealPaths([workspaceDir]);
    const spec = () => toSandboxSpec({ workspaceAccess: "rw" }, { ...owner, workspaceDir, realPaths });
    expect(spec).not.toThrow();
    await rename(workspaceDir, join(folder, "old"));
    expect(spec).toThrow(/ENOENT/);
    // Made anew, as a checkout may be.
    await mkdir(workspaceDir);
    expect(spec).not.toThrow();
    await rename(workspaceDir, join(folder, "older"));
    await symlink(other, workspaceDir);
    expect(spec).toThrow(refused);
  });

  test("refuse root names that are not plain words", async () => {
    const workspaceDir = await temporaryFolder();
    for (const name of ["../up", "a/b", "", "x", ".."]) {
      const settings = { roots: { [name]: { path: workspaceDir, access: "ro" as const } } };
      expect(() => toSandboxSpec(settings, { ...owner, workspaceDir })).toThrow(refused);
    }
  });
});

describe("names of sandboxes", () => {
  const text = fc.string({ unit: codePoint, maxLength: 60 });
  property.prop([text, text])(
    "are harmless whatever sessions and agents are called",
    async (sessionKey, agentId) => {
      const { key } = toSandboxSpec({}, { sessionKey, agentId, workspaceDir: "/" });
      expect(key).toMatch(/^session-[a-z0-9-]{16,50}$/);
    },
  );

  property.prop([text, text, text, text])("are the same for the same owner only", (a, b, c, d) => {
    const key = (sessionKey: string, agentId: string) =>
      toSandboxSpec({}, { sessionKey, agentId, workspaceDir: "/" }).key;
    expect(key(a, b) === key(c, d)).toBe(a === c && b === d);
  });

  test("follow the scope and are never shared by projects", async () => {
    const [one, other] = [await temporaryFolder(), await temporaryFolder()];
    const key = (
      scope: "session" | "agent" | "shared",
      sessionKey: string,
      agentId: string,
      workspaceDir = one,
    ) => toSandboxSpec({ scope }, { sessionKey, agentId, workspaceDir }).key;
    expect(key("agent", "a", "x")).toBe(key("agent", "b", "x"));
    expect(key("agent", "a", "x")).not.toBe(key("agent", "a", "y"));
    expect(key("shared", "a", "x")).toBe(key("shared", "b", "y"));
    expect(key("shared", "a", "x")).not.toBe(key("shared", "a", "x", other));
  });
});
