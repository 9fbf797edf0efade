import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createKernelFolders } from "../../src/boundary/walk/kernel-folders.ts";
import { openWorkspace } from "../../src/files/host-workspace.ts";
import { bytes, catchErrorCode, hasAccessLists, readAcl, site } from "../support.ts";

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: "utf8" });

const hasTools = hasAccessLists();
const isRoot = process.getuid?.() === 0;

function workspace(): {
  root: string;
  put: (name: string, mode: number) => string;
  fs: ReturnType<typeof openWorkspace>["fs"];
} {
  const { ws: root, put } = site();
  const { fs } = openWorkspace({ root }, createKernelFolders()!);
  return {
    root,
    fs,
    put(name, mode) {
      const path = put(`ws/${name}`, "old");
      chmodSync(path, mode);
      return path;
    },
  };
}

test.skipIf(!hasTools)("keeps the access list of a replaced file, without rights from the mask", async () => {
  const { fs, put } = workspace();
  const path = put("secret", 0o600);
  run("setfacl", "-m", "u:33:r", path);
  const before = readAcl(path);
  expect(before).toContain("group::---");
  await fs.write("secret", bytes("new"));
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(readAcl(path)).toBe(before);
});

test.skipIf(!hasTools)("keeps rights that an access list removes", async () => {
  const { fs, put } = workspace();
  const path = put("file", 0o644);
  run("setfacl", "-m", "u:33:---,g::---", path);
  const before = readAcl(path);
  await fs.write("file", bytes("new"));
  expect(readAcl(path)).toBe(before);
});

test.skipIf(!hasTools)("does not add default rights of the folder to a file without them", async () => {
  const { fs, put, root } = workspace();
  const path = put("d/file", 0o640);
  run("setfacl", "-d", "-m", "u:33:rw", join(root, "d"));
  await fs.write("d/file", bytes("new"));
  expect(readAcl(path)).not.toContain("user:33");
  await fs.write("d/fresh", bytes("new"));
  expect(readAcl(join(root, "d/fresh"))).toContain("user:33:rw-");
});

test.skipIf(!hasTools)("copies the access of the original to another file system", async () => {
  const { put, root } = workspace();
  const elsewhere = ["/dev/shm", "/var/tmp"].find(
    (path) => statSync(path, { throwIfNoEntry: false })?.dev !== statSync(root).dev,
  );
  if (elsewhere === undefined) return;
  const other = mkdtempSync(join(elsewhere, "haft-access-"));
  onTestFinished(() => rmSync(other, { recursive: true, force: true }));
  const { fs } = openWorkspace(
    { root, roots: { other: { path: other, access: "rw" } } },
    createKernelFolders()!,
  );
  const path = put("secret", 0o600);
  run("setfacl", "-m", "u:33:r", path);
  const before = readAcl(path);
  writeFileSync(join(other, "secret"), "open to all", { mode: 0o644 });
  await fs.rename("secret", "other:secret", { replace: true });
  expect(readAcl(join(other, "secret"))).toBe(before);
});

test.skipIf(!hasTools || !isRoot)("removes the capabilities of a replaced program", async () => {
  const { fs, put } = workspace();
  const path = put("program", 0o755);
  if (spawnSync("setcap", ["cap_net_raw+ep", path]).status !== 0) return;
  await fs.write("program", bytes("new"));
  expect(run("getcap", path)).toBe("");
});

/** Runs an action of a workspace as another user. */
function asUser(uid: number, gid: number, root: string, code: string, path?: string) {
  const source = (name: string) => new URL(`../../src/${name}`, import.meta.url).pathname;
  const program = `
    import { openWorkspace } from ${JSON.stringify(source("files/host-workspace.ts"))};
    import { createKernelFolders } from ${JSON.stringify(source("boundary/walk/kernel-folders.ts"))};
    const { fs } = openWorkspace({ root: ${JSON.stringify(root)} }, createKernelFolders());
    const bytes = (text) => new TextEncoder().encode(text);
    try { ${code} } catch (error) { console.log(error.code, error.receipt); }`;
  const env = { ...process.env, ...(path !== undefined && { PATH: path }), HOME: "/nonexistent" };
  const args = ["--conditions=@haft/source", "--input-type=module", "-e", program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    uid,
    gid,
    env,
    encoding: "utf8",
    cwd: "/",
  });
  expect([status, stderr.replaceAll(/.*(?:ExperimentalWarning|--trace-warnings).*\n/g, "")]).toEqual([0, ""]);
  return stdout.trim();
}

/** A folder that members of a group may write to. */
function shared() {
  const { base, ws } = site();
  chmodSync(base, 0o755);
  chownSync(ws, 1000, 2000);
  chmodSync(ws, 0o2775);
  const file = join(ws, "file");
  writeFileSync(file, "a long old content");
  chownSync(file, 1000, 2000);
  chmodSync(file, 0o664);
  return { ws, file };
}

test.skipIf(!isRoot)("keeps owner and inode if a member of the group changes a file", () => {
  const { ws, file } = shared();
  const before = statSync(file);
  asUser(1001, 2000, ws, `await fs.write("file", bytes("new"))`);
  const { uid, gid, mode, ino } = statSync(file);
  expect([uid, gid, mode, ino]).toEqual([1000, 2000, before.mode, before.ino]);
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(ws)).toEqual(["file"]);
});

test.skipIf(!isRoot)("rejects a file of another owner with several names", () => {
  const { ws, file } = shared();
  linkSync(file, join(ws, "second"));
  expect(asUser(1001, 2000, ws, `await fs.write("file", bytes("new"))`)).toBe("HARD_LINKED none");
  expect(readFileSync(file, "utf8")).toBe("a long old content");
  expect(statSync(file).uid).toBe(1000);
});

test.skipIf(!isRoot)("restores the old content after a failed write in place", () => {
  const { ws, file } = shared();
  mkdirSync(join(ws, "small"));
  const mounted = join(ws, "small");
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0777", "none", mounted]).status !== 0) return;
  onTestFinished(() => void spawnSync("umount", [mounted]));
  const path = join(mounted, "file");
  writeFileSync(path, readFileSync(file));
  chownSync(path, 1000, 2000);
  chmodSync(path, 0o664);
  // The new content fits once and not twice.
  const code = `await fs.write("small/file", bytes("x".repeat(44_000)))`;
  expect(asUser(1001, 2000, ws, code)).toBe("DISK_FULL none");
  expect(readFileSync(path, "utf8")).toBe("a long old content");
  expect(readdirSync(mounted)).toEqual(["file"]);
});

test.skipIf(!hasTools)("writes in place if the programs for access lists are missing", () => {
  const { root, put } = workspace();
  const path = put("secret", 0o600);
  run("setfacl", "-m", "u:33:r", path);
  const [before, { ino }] = [readAcl(path), statSync(path)];
  const me = [process.getuid!(), process.getgid!()] as const;
  asUser(...me, root, `await fs.write("secret", bytes("new"))`, "/nonexistent");
  expect([readFileSync(path, "utf8"), readAcl(path), statSync(path).ino]).toEqual(["new", before, ino]);
});

describe("a file on which another is mounted", () => {
  const mounted = () => {
    const { ws, base } = site();
    const [inner, outer] = [join(ws, "app.conf"), join(base, "outer.conf")];
    writeFileSync(inner, "");
    writeFileSync(outer, "a long old content");
    const isMounted = spawnSync("mount", ["--bind", outer, inner]).status === 0;
    onTestFinished(() => void spawnSync("umount", [inner]));
    return { ws, inner, outer, isMounted };
  };

  test.skipIf(!isRoot)("is written in place, by every kind of write", async ({ skip }) => {
    const { ws, inner, outer, isMounted } = mounted();
    if (!isMounted) skip("This machine mounts nothing.");
    const { fs } = openWorkspace({ root: ws }, createKernelFolders()!);
    const { stat } = await fs.read("app.conf");
    const { ino } = statSync(outer);
    expect(await fs.write("app.conf", bytes("new"), { ifMatch: stat.version })).toMatchObject({
      created: false,
      verified: true,
    });
    expect([readFileSync(outer, "utf8"), readFileSync(inner, "utf8")]).toEqual(["new", "new"]);
    await fs.write("app.conf", bytes("a longer content again"), { durable: true });
    expect([readFileSync(outer, "utf8"), statSync(outer).ino]).toEqual(["a longer content again", ino]);
    expect(readdirSync(ws)).toEqual(["app.conf"]);
  });

  test.skipIf(!isRoot)("is not changed by a stale version, and not moved or removed", async ({ skip }) => {
    const { ws, outer, isMounted } = mounted();
    if (!isMounted) skip("This machine mounts nothing.");
    const { fs } = openWorkspace({ root: ws }, createKernelFolders()!);
    const { stat } = await fs.read("app.conf");
    writeFileSync(outer, "changed by another program");
    const failures = [
      fs.write("app.conf", bytes("new"), { ifMatch: stat.version }),
      fs.rename("app.conf", "other.conf"),
      fs.remove("app.conf"),
    ];
    const codes = await Promise.all(failures.map((each) => catchErrorCode(each)));
    expect(codes).toEqual(["FILE_CHANGED", "FILE_SYSTEM_FAILED", "FILE_SYSTEM_FAILED"]);
    expect(readFileSync(outer, "utf8")).toBe("changed by another program");
    expect(readdirSync(ws)).toEqual(["app.conf"]);
  });
});
