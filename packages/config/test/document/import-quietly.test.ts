import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { importQuietly } from "../../src/document/import-quietly.ts";

test("hides the warning about a missing type, and no other", async () => {
  const folder = await temporaryFolder();
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const before = process.emitWarning;
  const module = `process.emitWarning("hidden", { type: "Warning", code: "MODULE_TYPELESS_PACKAGE_JSON" });
process.emitWarning("hidden", "Warning", "MODULE_TYPELESS_PACKAGE_JSON");
process.emitWarning("shown");
export default 1;
`;
  await writeFile(join(folder, "module.mjs"), module);
  const url = pathToFileURL(join(folder, "module.mjs")).href;
  expect(await importQuietly(url)).toMatchObject({ default: 1 });
  expect(warn.mock.calls).toEqual([["shown"]]);
  await expect(importQuietly(`${url}.missing`)).rejects.toThrow("missing");
  expect(process.emitWarning).toBe(before);
});
