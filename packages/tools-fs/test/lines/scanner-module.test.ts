import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import loadWabt from "wabt";

const folder = new URL("../../src/lines/", import.meta.url);

// The compiled module is stored next to its source, so no run from the sources needs a compiler. `-u` writes it.
it("contains the compiled source", async () => {
  const wabt = await loadWabt();
  const source = wabt.parseWat("scanner.wat", readFileSync(new URL("scanner.wat", folder), "utf8"));
  source.validate();
  const bytes = Buffer.from(source.toBinary({}).buffer).toString("base64");
  source.destroy();
  const text = `/** Compiled scanner.wat, written by its test. */\nexport const SCANNER_MODULE =\n  "${bytes}";\n`;
  await expect(text).toMatchFileSnapshot(new URL("scanner-module.ts", folder).pathname);
});
