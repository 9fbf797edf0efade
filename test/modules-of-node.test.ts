import type { execFile as ExecFile } from "node:child_process";
import type { generateKeyPair as GenerateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { build } from "rolldown";
import { expect, test } from "vitest";
import { HEAVY, modulesOfNode } from "../scripts/lib/modules-of-node.ts";

const OF_EVERY_FUNCTION = new Set<string | symbol>(["length", "name", "prototype"]);

/** A module, bundled as the packages are. */
async function bundle(code: string): Promise<string> {
  const given = {
    name: "given",
    resolveId: (id: string) => (id === "given" ? id : null),
    load: (id: string) => (id === "given" ? code : null),
  };
  const { output } = await build({
    input: "given",
    write: false,
    platform: "node",
    plugins: [given, modulesOfNode],
  });
  return output[0].code;
}

/** What it exports then. */
async function bundled(code: string): Promise<Record<string, unknown>> {
  const url = `data:text/javascript,${encodeURIComponent(await bundle(code))}`;
  return (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
}

test("promisify makes the same of a function that waits for its first call", async () => {
  const { execFile } = (await bundled('export { execFile } from "node:child_process";')) as {
    execFile: typeof ExecFile;
  };
  const answer = await promisify(execFile)(process.execPath, ["-p", "'out'"]);
  expect(answer).toEqual({ stdout: "out\n", stderr: "" });
});

// Whatever Node keeps beside a function: for one that answers several values, how promisify() names them.
test("a function that waits for its first call keeps what Node attached to it", async () => {
  const { generateKeyPair, opendir } = await bundled(
    'export { generateKeyPair } from "node:crypto";\nexport { opendir } from "node:fs/promises";',
  );
  const pair = await promisify(generateKeyPair as typeof GenerateKeyPair)("ec", { namedCurve: "P-256" });
  expect(Object.keys(pair)).toEqual(["publicKey", "privateKey"]);
  expect((opendir as { [promisify.custom]?: unknown })[promisify.custom]).toBeTypeOf("function");
});

test.each(HEAVY)("every function of node:%s has what is attached to it", async (name) => {
  const real = process.getBuiltinModule(`node:${name}`) as unknown as Record<string, object>;
  const functions = Object.keys(real).filter((key) => typeof real[key] === "function" && /^[a-z]/.test(key));
  const made = await bundled(`export { ${functions.join(", ")} } from "node:${name}";`);
  for (const key of functions) {
    for (const own of Reflect.ownKeys(real[key]!).filter((one) => !OF_EVERY_FUNCTION.has(one))) {
      const value: unknown = Reflect.get(made[key] as object, own);
      expect(value, `${key}[${String(own)}]`).toBe(Reflect.get(real[key]!, own));
    }
  }
});

test("and what nobody uses is not there", async () => {
  const code = await bundle('import { execFile } from "node:child_process"; export const one = 1;');
  expect(code).not.toContain("execFile");
});
