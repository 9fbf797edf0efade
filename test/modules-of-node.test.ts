import { build } from "esbuild";
import type { execFile as ExecFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { modulesOfNode } from "../scripts/lib/modules-of-node.ts";

/** What a module exports when it was bundled as the packages are. */
async function bundled(contents: string): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    stdin: { contents },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [modulesOfNode],
  });
  const url = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`;
  return (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
}

test("promisify makes the same of a function that waits for its first call", async () => {
  const { execFile } = (await bundled('export { execFile } from "node:child_process";')) as {
    execFile: typeof ExecFile;
  };
  const answer = await promisify(execFile)(process.execPath, ["-p", "'out'"]);
  expect(answer).toEqual({ stdout: "out\n", stderr: "" });
});

test("and what nobody uses is not there", async () => {
  const { outputFiles } = await build({
    stdin: { contents: 'import { execFile } from "node:child_process"; export const one = 1;' },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [modulesOfNode],
  });
  expect(outputFiles[0]!.text).not.toContain("execFile");
});
