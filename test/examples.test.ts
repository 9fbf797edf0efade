import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../examples/", import.meta.url));
const examples = readdirSync(folder).filter((name) => name.endsWith(".ts"));

test("there are examples", () => expect(examples.length).toBeGreaterThan(2));

test.for(examples)("%s runs, and what it asserts holds", async (name) => {
  const run = promisify(execFile)(process.execPath, ["--conditions=@haft/source", `${folder}${name}`]);
  await expect(run).resolves.toEqual({ stdout: "", stderr: "" });
});
