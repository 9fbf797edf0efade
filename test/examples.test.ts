import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { pnpm, root } from "../scripts/lib/workspace.ts";

const tsx = fileURLToPath(new URL("../node_modules/.bin/tsx", import.meta.url));
const examples = readdirSync(`${root}/examples`).filter((name) => name.endsWith(".ts"));

/** As their first lines say, with `npx` already resolved. */
const run = (name: string, ...flags: string[]) =>
  promisify(execFile)(tsx, [...flags, `examples/${name}`], { cwd: root });

test("there are examples", () => expect(examples.length).toBeGreaterThan(2));

test("they run on the sources, and what they assert holds", async () => {
  const [first, ...others] = examples;
  // The others before it, in the same program: what takes time is to make JavaScript of the sources.
  const flags = others.flatMap((name) => ["--import", `./examples/${name}`]);
  await expect(run(first!, "--conditions=@haft/source", ...flags)).resolves.toEqual({
    stdout: "",
    stderr: "",
  });
});

describe("after a build", () => {
  // .ci/run has just built everything. On a busy machine a build takes minutes.
  beforeAll(async () => {
    if (process.env["HAFT_BUILT"] !== "1") await pnpm("exec", "turbo", "run", "build", "--filter=haft");
  }, 600_000);

  test.for(examples)("%s runs on what was built", async (name) => {
    await expect(run(name)).resolves.toEqual({ stdout: "", stderr: "" });
  });
});
