import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCheckedFolders } from "../../src/boundary/walk/checked-folders.ts";
import { createKernelFolders } from "../../src/boundary/walk/kernel-folders.ts";
import { openWorkspace } from "../../src/files/host-workspace.ts";
import { catchErrorCode, site } from "../support.ts";

/** A folder on another file system than that of temporary files, where there is one. */
const elsewhere = ["/dev/shm", "/var/tmp"].find(
  (path) => existsSync(path) && statSync(path).dev !== statSync(realpathSync(tmpdir())).dev,
);
if (elsewhere === undefined) {
  const message = "One file system only: no file was moved to another one.";
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(message);
  process.stderr.write(`${message}\n`);
}

test.skipIf(elsewhere === undefined)("moves a file of any size to another file system", async () => {
  const { ws, put } = site();
  const other = mkdtempSync(join(elsewhere!, "haft-across-"));
  onTestFinished(() => rmSync(other, { recursive: true, force: true }));
  const folders = createKernelFolders() ?? createCheckedFolders();
  const roots = { other: { path: other, access: "rw" } } as const;
  const { fs } = openWorkspace({ root: ws, roots, maxReadBytes: 1_000 }, folders);
  // More than is read at once, and more than one slice.
  const content = "sixteen letters\n".repeat(400_000);
  put("ws/large", content);
  await fs.rename("large", "other:large");
  expect(existsSync(join(ws, "large"))).toBe(false);
  expect(readFileSync(join(other, "large"), "utf8")).toBe(content);
  put("ws/large", "again");
  expect(await catchErrorCode(fs.rename("large", "other:large"))).toBe("FILE_EXISTS");
  expect(readFileSync(join(other, "large"), "utf8")).toBe(content);
  await fs.rename("large", "other:large", { replace: true });
  expect(readFileSync(join(other, "large"), "utf8")).toBe("again");
});
