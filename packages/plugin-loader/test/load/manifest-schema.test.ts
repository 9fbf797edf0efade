import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MANIFEST_SCHEMA } from "../../src/manifest/read-manifest.ts";

test("the published schema of manifests is the schema of the checks", () => {
  const published = new URL("../../../plugin-sdk/haft.plugin.schema.json", import.meta.url);
  expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(MANIFEST_SCHEMA);
});
