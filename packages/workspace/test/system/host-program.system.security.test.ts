import {
  type RunnerError,
  safePath,
  findHostProgram,
  hostProgram,
  runningNode,
  requireUnchangedProgram,
  addSessionRoot,
  runProgram,
  startProgram,
} from "@haft/system";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { createHostWorkspace } from "../../src/index.ts";

const asRoot = process.getuid?.() === 0 ? test : (test.skip as typeof test);
/** What Haft starts by name, on any system and with any backend. */
const NAMES = ["bwrap", "mkfifo", "mknod", "ps", "rg", "script", "sh", "socat", "ssh", "stty"];

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "haft-programs-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A program that says its name. */
function plant(path: string, mode = 0o755): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho planted\n`);
  chmodSync(path, mode);
  return path;
}

function onPath(...folders: string[]): void {
  vi.stubEnv("PATH", folders.join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
}

function leftOut(name = "tool"): string {
  const { program, leftOut: skipped } = findHostProgram(name);
  expect(program).toBeUndefined();
  return (skipped ?? []).join("\n");
}

function failure(run: () => unknown): RunnerError {
  try {
    run();
  } catch (thrown) {
    return thrown as RunnerError;
  }
  throw new Error("it did not fail");
}

/** A session's root, and a folder that is nobody's. */
function makeFolders(): { root: string; good: string } {
  const base = folder();
  const root = join(base, "ws");
  const good = join(base, "good");
  mkdirSync(root);
  mkdirSync(good);
  createHostWorkspace({ root });
  return { root, good };
}

describe("host programs in the workspace", () => {
  test.each(NAMES)("skips %s, and finds the next program", (name) => {
    const { root, good } = makeFolders();
    const bin = join(root, "node_modules/.bin");
    plant(join(bin, name));
    const right = plant(join(good, name));
    onPath(bin, root, good);
    expect(hostProgram(name).path).toBe(right);
  });

  test("skips other roots with any access, and their other names", () => {
    const base = folder();
    const [main, other, mounted, late, alias] = ["main", "other", "mounted", "late", "alias"].map((name) => {
      plant(join(base, name, "bin/tool"));
      return join(base, name);
    }) as [string, string, string, string, string];
    createHostWorkspace({ root: main, roots: { other: { path: other, access: "ro" } } });
    addSessionRoot(mounted);
    rmSync(alias, { recursive: true });
    symlinkSync(late, alias);
    addSessionRoot(late);
    for (const one of [main, other, mounted, late, alias]) {
      onPath(join(one, "bin"));
      expect(leftOut()).toContain("where a session works");
    }
  });

  test("skips a root that was added after the program was found", () => {
    const base = folder();
    const program = plant(join(base, "bin/tool"));
    onPath(join(base, "bin"));
    expect(hostProgram("tool").path).toBe(program);
    createHostWorkspace({ root: base });
    expect(leftOut()).toBe(`${program}: it lies in ${base}, where a session works`);
    // Not somebody else's of that name instead.
    const other = join(folder(), "bin");
    plant(join(other, "tool"));
    expect(findHostProgram("tool").program).toBeUndefined();
  });

  test("skips links from other folders into a root, direct or indirect", () => {
    const { root, good } = makeFolders();
    plant(join(root, "tool"));
    symlinkSync(join(root, "tool"), join(good, "tool"));
    symlinkSync("tool", join(good, "again"));
    mkdirSync(join(good, "bin"));
    symlinkSync("../../ws", join(good, "bin/folder"));
    onPath(good, join(good, "bin/folder"));
    expect(leftOut("tool")).toContain(
      `${join(good, "tool")}, which is ${join(root, "tool")}: it lies in ${root}`,
    );
    expect(leftOut("again")).toContain(`it lies in ${root}`);
  });

  test("skips links in a root that lead out again", () => {
    const { root, good } = makeFolders();
    const program = plant(join(good, "tool"));
    mkdirSync(join(root, "bin"));
    symlinkSync(program, join(root, "bin/tool"));
    symlinkSync(good, join(root, "good"));
    onPath(join(root, "bin"), join(root, "good"));
    expect(leftOut()).toContain(`it lies in ${root}`);
  });

  test("skips node_modules/.bin of a folder above the root", () => {
    const { root, good } = makeFolders();
    plant(join(dirname(root), "node_modules/.bin/tool"));
    const right = plant(join(good, "tool"));
    onPath(join(dirname(root), "node_modules/.bin"), good);
    expect(hostProgram("tool").path).toBe(right);
    onPath(join(dirname(root), "node_modules/.bin"));
    expect(leftOut()).toContain("it lies in node_modules, so it is a project's");
  });
});

test.each(["", ".", "bin", "./bin", "../bin"])("skips the relative folder %j of the PATH", (entry) => {
  const base = folder();
  for (const one of ["ws/tool", "ws/bin/tool", "bin/tool"]) plant(join(base, one));
  const before = process.cwd();
  process.chdir(join(base, "ws"));
  onTestFinished(() => process.chdir(before));
  onPath(entry);
  expect(leftOut()).toContain("it depends on the folder where this program was started");
});

describe("host programs that other users can write", () => {
  const cases: [what: string, prepare: (program: string) => void][] = [
    ["to the program", (program) => chmodSync(program, 0o757)],
    ["to the program, as a group", (program) => chmodSync(program, 0o775)],
    ["to its folder", (program) => chmodSync(dirname(program), 0o757)],
    ["to its folder, as a group", (program) => chmodSync(dirname(program), 0o775)],
    ["to its folder with the sticky bit", (program) => chmodSync(dirname(program), 0o1777)],
    ["to a folder above", (program) => chmodSync(dirname(dirname(program)), 0o777)],
  ];
  test.each(cases)("skips write access %s", (_what, prepare) => {
    const program = plant(join(folder(), "above/bin/tool"));
    onPath(dirname(program));
    expect(findHostProgram("tool").program?.path).toBe(program);
    prepare(program);
    onPath(dirname(program), "/nowhere");
    expect(leftOut()).toMatch(/others may write to|anybody may have put it into/);
  });

  test("skips a link through a writable folder", () => {
    const base = folder();
    const program = plant(join(base, "real/tool"));
    mkdirSync(join(base, "open"));
    symlinkSync(program, join(base, "open/tool"));
    mkdirSync(join(base, "bin"));
    symlinkSync("../open/tool", join(base, "bin/tool"));
    chmodSync(join(base, "open"), 0o777);
    onPath(join(base, "bin"));
    expect(leftOut()).toContain(`others may write to ${join(base, "open")}`);
  });

  asRoot.each([
    ["the program", "bin/tool"],
    ["its folder", "bin"],
    ["a folder above", "."],
  ])("skips a program if %s belongs to another user", (_what, path) => {
    const base = join(folder(), "base");
    const program = plant(join(base, "bin/tool"));
    chownSync(join(base, path), 12_345, 12_345);
    onPath(dirname(program));
    expect(leftOut()).toContain("belongs to user 12345");
  });

  asRoot("skips a program if a link to it belongs to another user", () => {
    const base = folder();
    const program = plant(join(base, "real/tool"));
    mkdirSync(join(base, "bin"));
    symlinkSync(program, join(base, "bin/tool"));
    execFileSync("chown", ["-h", "12345", join(base, "bin/tool")]);
    onPath(join(base, "bin"));
    expect(leftOut()).toContain("belongs to user 12345");
  });
});

describe("host programs after they were found", () => {
  const changes: [what: string, change: (program: string) => void][] = [
    ["another file replaces it", (program) => renameSync(plant(`${program}.new`), program)],
    ["it is written to", (program) => appendFileSync(program, "echo more\n")],
    ["its rights are changed", (program) => chmodSync(program, 0o700)],
    ["it gets another name", (program) => linkSync(program, `${program}.2`)],
    ["it is missing", (program) => rmSync(program)],
    [
      "a link replaces it",
      (program) => {
        renameSync(program, `${program}.old`);
        symlinkSync(plant(`${program}.new`), program);
      },
    ],
  ];
  test.each(changes)("starts nothing, and no other program of this name, if %s", async (_what, change) => {
    const base = folder();
    const program = plant(join(base, "bin/tool"));
    plant(join(base, "other/tool"));
    onPath(join(base, "bin"), join(base, "other"));
    const found = hostProgram("tool");
    expect((await runProgram(found, [], { env: {} })).output).toBe("planted\n");
    change(program);
    expect(failure(() => hostProgram("tool"))).toMatchObject({
      code: "HOST_PROGRAM_CHANGED",
      message: `${program} is not the file any more that this host found as tool`,
    });
    expect(failure(() => startProgram(found, [], { env: {} })).code).toBe("HOST_PROGRAM_CHANGED");
    await expect(runProgram(found, [], { env: {} })).rejects.toMatchObject({ code: "HOST_PROGRAM_CHANGED" });
  });
});

describe("host programs named by the operator", () => {
  const option = 'the option "bwrap"';

  test("may belong to a project, but not to a session", () => {
    const { root, good } = makeFolders();
    const projectProgram = plant(join(good, "node_modules/x/tool"));
    expect(hostProgram("tool", { path: projectProgram, option }).path).toBe(projectProgram);
    const planted = plant(join(root, "tool"));
    expect(failure(() => hostProgram("tool", { path: planted, option }))).toMatchObject({
      code: "host-program-refused",
      message: `tool is not started from ${planted} (${option}): it lies in ${root}, where a session works`,
    });
  });

  test("are rejected if missing or relative", () => {
    expect(failure(() => hostProgram("tool", { path: "/nowhere/tool", option }))).toMatchObject({
      code: "HOST_PROGRAM_MISSING",
      message: `there is no program /nowhere/tool (${option})`,
    });
    const here = relative(realpathSync("."), plant(join(folder(), "tool")));
    expect(failure(() => hostProgram("tool", { path: here, option })).message).toContain(option);
  });
});

test("reports a missing program", () => {
  onPath(folder());
  expect(failure(() => hostProgram("tool"))).toMatchObject({
    code: "HOST_PROGRAM_MISSING",
    message: "the program tool is not installed",
  });
});

test("removes folders that other users can write from the PATH of host programs", () => {
  const { root, good } = makeFolders();
  const open = folder();
  chmodSync(open, 0o777);
  symlinkSync(root, join(good, "link"));
  mkdirSync(join(good, "node_modules/.bin"), { recursive: true });
  onPath(root, "", ".", open, join(good, "link"), join(good, "node_modules/.bin"), "/nowhere", good);
  expect(safePath()).toBe(good);
  onPath(root);
  expect(safePath()).toBe("/dev/null");
});

test("accepts the running Node in any folder", () => {
  addSessionRoot(dirname(process.execPath));
  expect(requireUnchangedProgram(runningNode())).toBe(process.execPath);
});

/** Package managers share one Node among projects by hard links: each project that is installed changes its change time. */
describe.runIf(process.platform === "linux")("the running Node with another name", () => {
  const MODULE = new URL("../../../system/src/programs/host-program.ts", import.meta.url).href;

  /** Runs this on a Node of its own, which is there under two names by then. */
  function onCopiedNode(script: string): string {
    const node = join(folder(), "node");
    copyFileSync("/proc/self/exe", node, constants.COPYFILE_FICLONE);
    chmodSync(node, 0o755);
    const before = `
      import { linkSync, openSync, renameSync, utimesSync, writeFileSync } from "node:fs";
      import { runningNode, requireUnchangedProgram } from ${JSON.stringify(MODULE)};
      const node = ${JSON.stringify(node)};
      const look = () => { try { return requireUnchangedProgram(runningNode()); } catch (thrown) { return thrown.code; } };
      linkSync(node, node + ".2");
    `;
    const args = ["--no-warnings", ...conditions, "--input-type=module", "--eval"];
    return execFileSync(node, [...args, `${before}\n${script}`], { encoding: "utf8" }).trim();
  }

  test("is the same program while the system prevents writing to it", () => {
    // Linux 6.11 and 6.12 let the owner write to what runs, so there it counts as another one.
    const writable =
      'let busy; try { openSync(node, "r+"); } catch (thrown) { busy = thrown.code === "ETXTBSY"; }';
    expect(onCopiedNode(`${writable} console.log((look() === node) === (busy === true))`)).toBe("true");
  });

  test("is another program if its times were set", () => {
    expect(onCopiedNode("utimesSync(node, 1, 1); console.log(look())")).toBe("HOST_PROGRAM_CHANGED");
  });

  test("is another program if a file replaced it", () => {
    const other =
      'writeFileSync(node + ".3", "#!/bin/sh\\n", { mode: 0o755 }); renameSync(node + ".3", node);';
    expect(onCopiedNode(`${other} console.log(look())`)).toBe("HOST_PROGRAM_CHANGED");
  });
});
