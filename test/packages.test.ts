import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

// Every package has the same shape, so that knowing one is knowing all.
const root = join(import.meta.dirname, "..");

interface Manifest {
  name: string;
  private?: boolean;
  description?: string;
  exports: Record<string, unknown>;
  dependencies?: Record<string, string>;
  [field: string]: unknown;
}

const packages = globSync("packages/*/package.json", { cwd: root })
  .toSorted()
  .map((path) => ({ folder: path.split("/")[1]!, manifest: readManifest(path) }))
  .filter(({ manifest }) => manifest.private !== true);

describe.each(packages)("$manifest.name", ({ folder, manifest }) => {
  test("is named after its folder and has a description", () => {
    expect([folder, `@haft/${folder}`]).toContain(manifest.name);
    expect(manifest.description).toMatch(/^.{20,120}\.$/);
  });

  test("is an ES module without side effects, for the Node that reads its sources", () => {
    expect(manifest).toMatchObject({
      license: "MIT",
      type: "module",
      sideEffects: false,
      engines: { node: ">=22.18" },
      publishConfig: { access: "public", provenance: true },
    });
    expect(manifest["files"]).toContain("dist");
    // Source maps hold the sources.
    expect(manifest["files"]).not.toContain("src");
  });

  test("every entry point leads from sources to its build", () => {
    const { "./package.json": manifestEntry, ...entries } = manifest.exports;
    expect(manifestEntry).toBe("./package.json");
    for (const [name, entry] of Object.entries(entries)) {
      if (name.endsWith(".json")) {
        // Data for others, published as it lies there.
        expect(entry).toBe(name);
        expect(manifest["files"]).toContain(name.slice(2));
        expect(existsSync(join(root, "packages", folder, name))).toBe(true);
        continue;
      }
      const { "@haft/source": source } = entry as Record<string, string>;
      const built = source!.replace("./src/", "./dist/").replace(/\.ts$/, "");
      expect(entry).toEqual({ "@haft/source": source, types: `${built}.d.ts`, default: `${built}.js` });
      expect(Object.keys(entry as object)).toEqual(["@haft/source", "types", "default"]);
      expect(existsSync(join(root, "packages", folder, source!))).toBe(true);
    }
  });

  test("pins its dependencies, and follows its siblings", () => {
    for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
      const isSibling = name.startsWith("@haft/");
      expect(`${name} ${range}`).toMatch(isSibling ? / workspace:\^$/ : / (catalog:|\d+\.\d+\.\d+)$/);
    }
  });
});

test("all packages share one version", () => {
  expect(new Set(packages.map(({ manifest }) => manifest["version"])).size).toBe(1);
});

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
}
