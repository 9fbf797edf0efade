import { expect, test } from "vitest";
import { compareManifest } from "../../src/manifest/compare-manifest.ts";

const manifest = { manifest: 1, id: "web", version: "0.1.0", contract: 1, tools: [] };

test("a manifest that names another SDK is outdated, and one that names none is not", () => {
  const is = { ...manifest, sdk: "^0.1.0" };
  expect(compareManifest({ ...manifest, sdk: "^0.0.9" }, is).outdated).toHaveLength(1);
  expect(compareManifest(manifest, is)).toEqual({ untrue: [], outdated: [] });
});
