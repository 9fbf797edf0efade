import { findProtectedPaths } from "@haft/config/internal/boundary";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signalRunners } from "../../../../test/support/end-runner.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openTestHost, call, isSkipped, run, getText } from "../sandbox/support.ts";

async function project() {
  const cwd = await temporaryFolder();
  for (const [path, content] of Object.entries({
    "node_modules/@x/plugin/dist/lazy.js": "one\n",
    "node_modules/other/index.js": "one\n",
    ".vscode/tasks.json": "{}\n",
    ".envrc": "one\n",
    "packages/a/.claude/settings.json": "{}\n",
    "src/a.ts": "one\n",
  })) {
    await mkdir(join(cwd, path, ".."), { recursive: true });
    await writeFile(join(cwd, path), content);
  }
  return { cwd, code: [join(cwd, "node_modules/@x/plugin")] };
}

const PLANT = String.raw`
  echo evil > node_modules/@x/plugin/dist/lazy.js
  echo evil > node_modules/@x/plugin/dist/new.js
  rm -rf node_modules/@x/plugin
  mv node_modules/@x/plugin away
  mv node_modules/@x away
  mv node_modules away && mkdir -p node_modules/@x/plugin/dist && echo evil > node_modules/@x/plugin/dist/lazy.js
  mkdir -p node_modules/@x/plugin/node_modules/y
  ln -s /tmp node_modules/@x/plugin/dist/link
  echo evil > .vscode/tasks.json
  mv .vscode .v && mkdir .vscode && echo evil > .vscode/tasks.json
  rm -rf .vscode
  echo evil > .envrc
  mv src/a.ts .envrc
  rm -f .envrc
  echo evil > packages/a/.claude/settings.json
  umount .vscode
  mount -o remount,rw .vscode
  true
`;

describe.skipIf(isSkipped)("protected paths in a sandbox", () => {
  test("prevent changes of code and settings and allow other work", async () => {
    const { cwd, code } = await project();
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "rw" }, boundary: { code } });
    const session = await host.openSession({ kind: "sandboxed" });
    await call(session, "exec", { command: PLANT });
    expect(await readFile(join(cwd, "node_modules/@x/plugin/dist/lazy.js"), "utf8")).toBe("one\n");
    expect(await readFile(join(cwd, ".vscode/tasks.json"), "utf8")).toBe("{}\n");
    expect(await readFile(join(cwd, ".envrc"), "utf8")).toBe("one\n");
    expect(await readFile(join(cwd, "packages/a/.claude/settings.json"), "utf8")).toBe("{}\n");
    expect(existsSync(join(cwd, "node_modules/@x/plugin/dist/new.js"))).toBe(false);
    expect((await readdir(join(cwd, "node_modules/@x/plugin"))).toSorted()).toEqual(["dist"]);
    expect(await readdir(join(cwd, "node_modules/@x/plugin/dist"))).toEqual(["lazy.js"]);
    await run(
      session,
      "mkdir -p node_modules/@y/z && echo b > node_modules/@y/z/i.js && echo c > src/b.ts && rm -r node_modules/other",
    );
    expect(existsSync(join(cwd, "node_modules/other"))).toBe(false);
  });

  test("make file tools and previews refuse existing paths and ask about new paths", async () => {
    const { cwd, code } = await project();
    let requests = 0;
    const host = await openTestHost(cwd, {
      sandbox: { workspaceAccess: "rw" },
      boundary: { code },
      approver: {
        ask: async () => {
          requests += 1;
          return { decision: "allow-once" };
        },
      },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    const preview = await host.preview({ kind: "sandboxed" });
    for (const path of [".vscode/tasks.json", ".envrc", "node_modules/@x/plugin/dist/lazy.js"]) {
      const args = { path, content: "evil" };
      expect(await preview.explain("write", args)).toMatchObject({
        plan: { subjects: { paths: [{ access: "write" }] } },
      });
      expect(await call(session, "write", args)).toMatchObject({ kind: "error", code: "READ_ONLY" });
    }
    expect(requests).toBe(0);
    const args = { path: "sub/.mcp.json", content: "{}\n" };
    expect(await session.explain("write", args)).toMatchObject({ verdict: "asks" });
    expect(await preview.explain("write", args)).toMatchObject({ verdict: "asks" });
    expect(await call(session, "write", args)).toMatchObject({ kind: "ok" });
    expect(requests).toBe(1);
    expect(await readFile(join(cwd, "sub/.mcp.json"), "utf8")).toBe("{}\n");
  });

  test("are protected again in a reopened sandbox", async () => {
    const { cwd } = await project();
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "rw" } });
    const session = await host.openSession({ kind: "sandboxed" });
    await writeFile(join(cwd, ".mcp.json"), "one\n");
    await run(session, "true");
    signalRunners("SIGKILL");
    await call(session, "exec", { command: "true" });
    expect(
      getText(await call(session, "exec", { command: "echo evil > .mcp.json; cat .mcp.json" })),
    ).toContain("one");
  });

  test("are protected from a setup script", async () => {
    const { cwd } = await project();
    const host = await openTestHost(cwd, {
      sandbox: { workspaceAccess: "rw", setup: "echo evil > .envrc || true; echo ok > done.txt" },
    });
    await host.openSession({ kind: "sandboxed" });
    expect(await readFile(join(cwd, "done.txt"), "utf8")).toBe("ok\n");
    expect(await readFile(join(cwd, ".envrc"), "utf8")).toBe("one\n");
  });

  test("are unnecessary for read-only mounts", async () => {
    const { cwd, code } = await project();
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "ro" }, boundary: { code } });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(await run(session, "cat .envrc")).toBe("one");
  });
});

describe("mounts of protected paths", () => {
  const spec = (hostPath: string, access: "ro" | "rw" = "rw") =>
    ({ workspace: access, mounts: [{ name: "", hostPath, path: "/workspace", access }] }) as const;

  test("pin the folders above code but not above settings", async () => {
    const { cwd, code } = await project();
    const shown = findProtectedPaths(spec(cwd), { code }).map(({ path, access }) => `${access} ${path}`);
    expect(shown.toSorted()).toEqual([
      "ro /workspace/.envrc",
      "ro /workspace/.vscode",
      "ro /workspace/node_modules/@x/plugin",
      "ro /workspace/packages/a/.claude",
      "rw /workspace/node_modules",
      "rw /workspace/node_modules/@x",
    ]);
    expect(findProtectedPaths(spec(cwd, "ro"), { code })).toEqual([]);
  });

  test("cover the target of a link inside the folder and nothing outside", async () => {
    const { cwd } = await project();
    await rename(join(cwd, ".vscode"), join(cwd, "settings"));
    await symlink("settings", join(cwd, ".vscode"));
    await symlink("/etc", join(cwd, ".cursor"));
    const shown = findProtectedPaths(spec(cwd), {}).map(({ path }) => path);
    expect(shown).toContain("/workspace/settings");
    expect(shown.some((path) => path.includes("etc"))).toBe(false);
  });

  test("cover the start files of a user whose home is partly mounted", async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, ".config/git"), { recursive: true });
    const shown = findProtectedPaths(spec(join(home, ".config")), { homeDir: home });
    expect(shown).toMatchObject([{ path: "/workspace/git", access: "ro" }]);
    const settings = join(home, "project/.claude");
    expect(() => findProtectedPaths(spec(settings), {})).toThrow("settings that start programs");
    expect(findProtectedPaths(spec(settings), { projectSettings: [] })).toEqual([]);
    expect(() => findProtectedPaths(spec(join(home, ".config/git")), { homeDir: home })).toThrow(
      expect.objectContaining({ code: "SANDBOX_MOUNT_REFUSED" }),
    );
    await rm(join(home, ".config/git"), { recursive: true });
    await chmod(home, 0o755);
  });
});
