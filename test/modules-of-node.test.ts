import { type execFile as ExecFile, execFile as realExecFile } from "node:child_process";
import type { generateKeyPair as GenerateKeyPair } from "node:crypto";
import { Agent as RealAgent } from "node:http";
import { Server as RealServer } from "node:net";
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

test("a class that waits for its first use is the class: made, extended, asked about", async () => {
  const { Agent, Sub, isAgent, Server } = (await bundled(`
    import { Agent } from "node:http";
    export { Agent };
    export { Server } from "node:net";
    export class Sub extends Agent { own = this.maxFreeSockets; }
    export const isAgent = (value) => value instanceof Agent;
  `)) as {
    Agent: typeof RealAgent;
    Sub: new (options: object) => { own: number };
    isAgent: (value: unknown) => boolean;
    Server: typeof RealServer;
  };
  const agent = new Agent({ maxFreeSockets: 3 });
  expect(agent).toBeInstanceOf(RealAgent);
  expect(agent.maxFreeSockets).toBe(3);
  expect(Object.getPrototypeOf(agent)).toBe(RealAgent.prototype);
  const sub = new Sub({ maxFreeSockets: 4 });
  expect([sub.own, sub instanceof Sub, sub instanceof RealAgent, isAgent(sub), isAgent({})]).toEqual([
    4,
    true,
    true,
    true,
    false,
  ]);
  expect(isAgent(new RealAgent())).toBe(true);
  // As net.Server may be.
  expect(Reflect.apply(Server, undefined, [])).toBeInstanceOf(RealServer);
});

test("and loads nothing before", async () => {
  const code = await bundle(
    'import { Agent, request } from "node:http"; export const make = () => [new Agent(), request];',
  );
  const program = `${code}\nconsole.log(process.moduleLoadList.includes("NativeModule http"), make().length > 0, process.moduleLoadList.includes("NativeModule http"))`;
  const { stdout } = await promisify(realExecFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    program,
  ]);
  expect(stdout).toBe("false true true\n");
});

test("and what nobody uses is not there", async () => {
  const code = await bundle('import { execFile } from "node:child_process"; export const one = 1;');
  expect(code).not.toContain("execFile");
});
