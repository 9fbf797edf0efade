import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
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

test("the index lists each example under the next number", () => {
  const index = readFileSync(`${root}/examples/README.md`, "utf8");
  for (const [at, name] of examples.entries()) {
    expect(name).toMatch(new RegExp(`^${String(at + 1).padStart(2, "0")}-[a-z-]+\\.ts$`));
    expect(index).toContain(`[${name.slice(0, -3)}](${name})`);
    expect(readFileSync(`${root}/examples/${name}`, "utf8")).toContain(
      `npx tsx --conditions=@haft/source examples/${name}\n`,
    );
  }
});

// Imports of what is put together, and the lines between the marks; nothing of the model that stands in.
test.each(["06-ai-sdk-host.ts", "07-openai-agents-host.ts", "08-langchain-host.ts"])(
  "the glue of %s is ten lines at most",
  (name) => {
    const lines = readFileSync(`${root}/examples/${name}`, "utf8").split("\n");
    const imports = lines.filter((line) =>
      /^import .* from "(?!node:|ai\/test|@langchain\/core\/testing)/.test(line),
    );
    const marked = lines.slice(lines.indexOf("// glue {") + 1, lines.indexOf("// } glue"));
    expect(marked.join("\n")).toMatch(/createHost[^]*openSession[^]*host\.close\(\)/);
    expect(imports.length + marked.filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(10);
  },
);

test("they run on the sources, and their assertions hold", async () => {
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
    if (process.env["HAFT_BUILT"] !== "1")
      await pnpm("exec", "turbo", "run", "build", "--filter=haft", "--filter=@haft/adapters");
  }, 600_000);

  test.for(examples)("%s runs on the build", async (name) => {
    await expect(run(name)).resolves.toEqual({ stdout: "", stderr: "" });
  });
});
