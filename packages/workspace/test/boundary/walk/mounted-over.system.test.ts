import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { conditions } from "../../../../../test/support/build-under-test.ts";
import { site } from "../../support.ts";

/** Mounts of its own, which end with it. */
const PRIVATE = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private"];
const [unshare = "", ...flags] = PRIVATE;
const canMount = spawnSync(unshare, [...flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
if (!canMount) {
  const message = "Nothing can be mounted here: what is mounted over a folder in use was not tried.";
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(message);
  process.stderr.write(`${message}\n`);
}

test.skipIf(!canMount)("reads and writes a file system that is mounted over a folder in use", () => {
  const { ws, put } = site();
  put("ws/sub/deep/a", "below");
  mkdirSync(join(ws, "seen"));
  const script = `
    import { execFileSync } from "node:child_process";
    import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
    import { createHostWorkspace } from ${JSON.stringify(fileURLToPath(new URL("../../../src/index.ts", import.meta.url)))};
    const { fs } = createHostWorkspace({ root: process.argv[2] });
    const sub = process.argv[2] + "/sub";
    const read = async () => Buffer.from((await fs.read("sub/deep/a")).bytes).toString();
    const seen = [await read()];
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", sub]);
    mkdirSync(sub + "/deep");
    writeFileSync(sub + "/deep/a", "above");
    seen.push(await read());
    await fs.write("sub/deep/b", Buffer.from("written"));
    seen.push(readFileSync(sub + "/deep/b", "utf8"));
    execFileSync("umount", ["--lazy", sub]);
    seen.push(await read());
    console.log(JSON.stringify(seen));
  `;
  const file = join(ws, "seen/script.ts");
  writeFileSync(file, script);
  const args = [...flags, process.execPath, ...conditions, file, ws];
  const output = execFileSync(unshare, args, { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual(["below", "above", "written", "below"]);
});
