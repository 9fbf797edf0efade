import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../../test/support/build-under-test.ts";
import { mountSshfs, noSshfs } from "../../../../../test/support/mount-sshfs.ts";
import { CommandTimes } from "../../../src/view/artifacts/command-times.ts";
import { probeFileTimes } from "../../../src/view/file-times/probe-file-times.ts";
import { tempFolder } from "../../support.ts";

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const isRequired = process.env["HAFT_REQUIRE_SERVICES"] === "1";
const canFake = has("faketime");
if (!canFake) process.stderr.write("LEFT OUT: a clock that differs, which needs faketime.\n");

async function sshfs(): Promise<string> {
  const { to, close } = await mountSshfs();
  onTestFinished(close);
  return to;
}

describe("change times of files", () => {
  test("are trusted on a local disk, and the probe leaves no file", async () => {
    const folder = tempFolder("times");
    expect(await probeFileTimes([folder])).toEqual({ slackMs: 0 });
    expect(readdirSync(folder)).toEqual([]);
    expect(await probeFileTimes([])).toEqual({ slackMs: 0 });
  });

  test("differ from times that a program sets", () => {
    const file = join(tempFolder("times"), "file");
    writeFileSync(file, "");
    const { ctimeMs } = statSync(file);
    utimesSync(file, 0, 0);
    const now = statSync(file);
    expect([now.mtimeMs, now.ctimeMs >= ctimeMs]).toEqual([0, true]);
  });

  test("are reported as unknown for a missing folder", async () => {
    const folder = join(tempFolder("times"), "gone");
    await expect(probeFileTimes([folder])).rejects.toMatchObject({
      code: "CONTAINMENT_UNAVAILABLE",
      message: expect.stringContaining(`the check of change times in ${folder} failed`),
    });
  });

  test.skipIf(noSshfs)("are refused over sshfs, as a root and below a root", async () => {
    const mounted = await sshfs();
    for (const folder of [mounted, join(mounted, "..")]) {
      await expect(probeFileTimes([folder])).rejects.toMatchObject({
        code: "CONTAINMENT_UNAVAILABLE",
        message: expect.stringContaining(
          `the file system of ${mounted} does not show which files commands have made`,
        ),
      });
    }
  });

  test.skipIf(!canFake && !isRequired).each([
    ["+0.5s", 500],
    ["-0.5s", 500],
    ["+2s", 2000],
  ])("are compared with the clock of a host that is %s off", (offset, atLeast) => {
    const folder = tempFolder("times");
    const program = join(import.meta.dirname, "../../../src/view/file-times/probe-file-times.ts");
    const code = `import(${JSON.stringify(program)}).then(({ probeFileTimes }) => probeFileTimes([${JSON.stringify(folder)}])).then((found) => console.log(JSON.stringify(found)), (thrown) => console.log(thrown.message))`;
    const { stdout } = spawnSync(
      "faketime",
      ["-f", offset, process.execPath, ...conditions, "--no-warnings", "-e", code],
      {
        encoding: "utf8",
      },
    );
    const { slackMs } = JSON.parse(stdout) as { slackMs: number };
    expect(slackMs).toBeGreaterThan(atLeast - 100);
    expect(slackMs).toBeLessThan(3000);
  });

  test.skipIf(!canFake && !isRequired)("are refused if the clock is an hour off", () => {
    const folder = tempFolder("times");
    const file = join(import.meta.dirname, "../../../src/view/file-times/probe-file-times.ts");
    const code = `import(${JSON.stringify(file)}).then(({ probeFileTimes }) => probeFileTimes([${JSON.stringify(folder)}])).then(() => console.log("trusted"), (thrown) => console.log(thrown.code, thrown.message))`;
    const { stdout } = spawnSync(
      "faketime",
      ["-f", "+1h", process.execPath, ...conditions, "--no-warnings", "-e", code],
      {
        encoding: "utf8",
      },
    );
    expect(stdout).toMatch(
      /^CONTAINMENT_UNAVAILABLE .*differ from the clock of this machine by 3\d\d\d\.\d seconds/,
    );
  });
});

test("extends the time of a command at both ends by the slack", () => {
  const folder = tempFolder("times");
  const path = join(folder, "before");
  mkdirSync(path);
  const [strict, wide] = [new CommandTimes(undefined, 0), new CommandTimes(undefined, 2000)];
  // As if the host's clock were a second ahead of the file system's.
  for (const times of [strict, wide]) times.start(Date.now() + 1000);
  expect([strict.cover(path), wide.cover(path)]).toEqual([false, true]);
});
