import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** A Node whose `node:util` has no `getCallSites`, for whoever imports it and for whoever asks for the module. */
const WITHOUT = `
import { registerHooks, syncBuiltinESMExports } from "node:module";
const util = process.getBuiltinModule("node:util");
delete util.getCallSites;
syncBuiltinESMExports();
const names = Object.keys(util).filter((name) => /^\\w+$/.test(name));
const source = "const util = process.getBuiltinModule('node:util'); export default util;" +
  names.map((name) => "export const " + name + " = util." + name + ";").join("");
registerHooks({
  resolve: (name, context, next) =>
    name === "node:util" ? { url: "data:text/javascript," + encodeURIComponent(source), shortCircuit: true } : next(name, context),
});
`;

test.each([
  ["definePlugin", "../../src/contract/define-plugin.ts", 'm.definePlugin({ id: "x", tools: [] })'],
  ["a bridge", "../../../adapters/src/incoming/calling-module.ts", "{ source: m.callingModule() }"],
])("runs %s in a runtime without call sites", (_, path, made) => {
  const module = new URL(path, import.meta.url).href;
  const script = `const m = await import(${JSON.stringify(module)}); const it = ${made};
    console.log(it.source === undefined && !("getCallSites" in process.getBuiltinModule("node:util")));`;
  const hooks = `data:text/javascript,${encodeURIComponent(WITHOUT)}`;
  const out = execFileSync(
    process.execPath,
    ["--no-warnings", "--conditions=@haft/source", "--import", hooks, "--input-type=module", "-e", script],
    { encoding: "utf8", cwd: fileURLToPath(new URL(".", import.meta.url)) },
  );
  expect(out).toBe("true\n");
});
