import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptExamples } from "./support/kept-examples.ts";

const root = join(import.meta.dirname, "..");

test.each(Object.entries(keptExamples))(
  "the kept examples of %s have their properties",
  (file, properties) => {
    const text = readFileSync(join(root, file), "utf8");
    for (const [name, examples] of Object.entries(properties)) {
      // The second property of one test is `name #2`.
      const title = name
        .split(" > ")
        .at(-1)!
        .replace(/ #\d+$/, "");
      expect(text).toContain(JSON.stringify(title));
      expect(examples.length).toBeGreaterThan(0);
    }
  },
);
