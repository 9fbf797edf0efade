import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VIEW_NODE_PATH } from "../../src/view/bubblewrap-arguments.ts";
import { probeView } from "../../src/view/probe-view.ts";
import { catchFailure, tempFolder } from "../support.ts";
import { openTestView, testContained } from "./support.ts";

/** A program that is taken for bubblewrap. */
function aProgram(script: string): string {
  const path = join(tempFolder("program"), "bwrap");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Runs a command from there, and answers why it did not. */
async function whyNot(bwrap: string) {
  const { run, root } = await openTestView({}, { bwrap });
  const error = await catchFailure(run("echo ran >ran"));
  expect(readdirSync(root)).toEqual([]);
  return error;
}

/** All but the arguments for the view. */
const WITHOUT_ARGUMENTS = `while [ "$1" != -- ]; do shift; done; shift`;
/** The whole host, and the program that is started there at the place where it is looked for. */
const OPEN = `--dev-bind / / --proc /proc --tmpfs /run --ro-bind ${process.execPath} ${VIEW_NODE_PATH}`;

describe("opening a view", () => {
  test("fails without bubblewrap", async () => {
    const error = await whyNot("/nowhere/bwrap");
    expect(error).toMatchObject({
      code: "CONTAINMENT_UNAVAILABLE",
      category: "operational",
      receipt: "none",
    });
    expect(error.fix).toContain("apt install bubblewrap");
    expect(await probeView({ bwrap: "/nowhere/bwrap" })).toMatchObject({
      available: false,
      reason: error.message,
    });
  });

  testContained("fails if bubblewrap contains nothing", async () => {
    const error = await whyNot(aProgram(`${WITHOUT_ARGUMENTS}; exec "$@"`));
    expect(error).toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    expect(error.message).toContain("without containment");
  });

  testContained("fails if bubblewrap does not name its process", async () => {
    const silent = await whyNot(aProgram(`${WITHOUT_ARGUMENTS}; exec bwrap ${OPEN} -- "$@"`));
    expect(silent.message).toContain("does not name the process that it started");
  });

  testContained("fails if bubblewrap names another process", async () => {
    const lie = `printf '{"child-pid": %d}' $$ >&5; ${WITHOUT_ARGUMENTS}; exec bwrap ${OPEN} -- "$@"`;
    expect((await whyNot(aProgram(lie))).message).toContain("namespace is the host's");
  });

  testContained("fails if bubblewrap leaves all paths writable", async () => {
    const open = `${WITHOUT_ARGUMENTS}
exec bwrap --userns 3 --userns2 4 --unshare-pid --unshare-net --unshare-ipc ${OPEN} --info-fd 5 -- "$@"`;
    expect((await whyNot(aProgram(open))).message).toMatch(/can be written/);
  });

  testContained("fails if bubblewrap fails or is too old", async () => {
    const failing = await whyNot(
      aProgram("echo 'bwrap: Creating new namespace failed: Operation not permitted' >&2; exit 1"),
    );
    expect(failing).toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    expect(failing.message).toContain("Operation not permitted");
    expect(failing.fix).not.toBe("");
    const old = await whyNot(aProgram("echo 'bwrap: Unknown option --userns' >&2; exit 1"));
    expect(old.message).toContain("too old");
  });

  testContained("succeeds with a working bubblewrap, as the probe reports", async () => {
    const probe = await probeView();
    expect(probe).toMatchObject({ available: true });
    expect(probe.startMs).toBeGreaterThan(0);
    expect(await probeView()).toBe(probe);
  });
});

testContained("does not cache a probe during mounts of the host", async () => {
  const quiet = join(tempFolder("quiet"), "quiet");
  const said = `bwrap: Unable to apply mount flags: remount "/newroot/nowhere/gone": No such file or directory`;
  const bwrap = aProgram(`[ -e ${quiet} ] || { echo '${said}' >&2; exit 1; }\nexec bwrap "$@"`);
  expect(await probeView({ bwrap })).toMatchObject({
    available: false,
    reason: expect.stringContaining("gone"),
  });
  writeFileSync(quiet, "");
  expect(await probeView({ bwrap })).toMatchObject({ available: true });
});

testContained("does not cache a probe that ran out of time, and reports it", async () => {
  const awake = join(tempFolder("awake"), "awake");
  const bwrap = aProgram(`[ -e ${awake} ] || exec sleep 1000\nexec bwrap "$@"`);
  expect(await probeView({ bwrap, waitMs: 200 })).toMatchObject({
    available: false,
    reason: expect.stringContaining("printed nothing for 0.2 seconds"),
    fix: expect.stringContaining("less busy"),
  });
  writeFileSync(awake, "");
  expect(await probeView({ bwrap })).toMatchObject({ available: true });
});

describe("a refused view", () => {
  test.each(["/", "/proc", "/sys/kernel", "/dev", "here"])("can write to %s", async (path) => {
    const error = await catchFailure(openTestView({ root: tempFolder("view"), writable: [path] }));
    expect(error).toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    expect(error.message).toContain(JSON.stringify(path));
  });

  testContained("has a folder that is missing, a link, or replaced", async () => {
    const base = tempFolder("view");
    mkdirSync(join(base, "real"));
    symlinkSync("real", join(base, "link"));
    for (const name of ["missing", "link"]) {
      const { run } = await openTestView({ root: base, writable: [join(base, name)] });
      expect(await catchFailure(run(":"))).toMatchObject({ code: "CONTAINMENT_BROKEN", receipt: "none" });
    }
    const { run } = await openTestView({ root: base, writable: [join(base, "real")] });
    renameSync(join(base, "real"), join(base, "other"));
    mkdirSync(join(base, "real"));
    expect((await catchFailure(run(":"))).message).toContain("another folder");
  });

  testContained("has a missing mount point, which is not created", async () => {
    const root = tempFolder("view");
    const extra = [{ from: "/etc/hosts", to: join(root, "hosts"), access: "ro" as const }];
    const { run } = await openTestView({ root, extra });
    expect((await catchFailure(run(":"))).message).toContain("that path does not exist");
    expect(readdirSync(root)).toEqual([]);
  });
});
