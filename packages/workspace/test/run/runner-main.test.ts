import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const RUNNER = new URL("../../src/run/runner-main.ts", import.meta.url).href;

/** The part of `@haft/system` that depends on nothing but Node. */
const PROCESSES = new URL("../../../system/src/entries/processes.ts", import.meta.url).href;

test("loads only Node, files of this package and the processes of @haft/system until it serves files", () => {
  const outside = new Set<string>();
  const seen = new Set<string>();
  const follow = (url: string): void => {
    if (seen.has(url)) return;
    seen.add(url);
    const text = readFileSync(new URL(url), "utf8").replaceAll(/^(?:im|ex)port type .*$|^ \* .*$/gm, "");
    for (const [, name = ""] of text.matchAll(/^(?:im|ex)port (?:[^"]*? from )?"([^"]+)";$/gm)) {
      if (name.startsWith(".")) follow(new URL(name, url).href);
      else if (name === "@haft/system/processes") follow(PROCESSES);
      else if (!name.startsWith("node:")) outside.add(name);
    }
  };
  follow(RUNNER);
  expect(seen.size).toBeGreaterThan(20);
  expect([...outside]).toEqual([]);
});
