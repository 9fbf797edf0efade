import type { Plugin } from "esbuild";
import { promisify } from "node:util";

/**
 * Modules of Node are taken as they are, without the ES module Node would make of each: making it reads every
 * export, which loads whatever hides behind one (4 ms for node:fs). Functions of heavy modules wait for their first
 * call.
 */
const HEAVY = new Set(["child_process", "crypto", "fs/promises", "net", "worker_threads", "zlib"]);
export const modulesOfNode: Plugin = {
  name: "modules-of-node",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "node" }));
    build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => {
      const names = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(path)))
        .filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && name !== "default")
        .map(([name, descriptor]) => exportOf(path, name, descriptor));
      return {
        contents: `const $module = () => process.getBuiltinModule(${JSON.stringify(path)});\n${names.join("\n")}`,
      };
    });
  },
};

/** Pure, so that what nobody imports is dropped, getters that load something with it. */
function exportOf(path: string, name: string, { value }: PropertyDescriptor): string {
  const isFunction = typeof value === "function" && /^[a-z]/.test(name);
  if (isFunction && HEAVY.has(path.replace("node:", ""))) {
    const later = `(...args) => $module().${name}(...args)`;
    if (!(promisify.custom in value)) return `export const ${name} = ${later};`;
    // What promisify() makes of it: for execFile both outputs, not the first alone.
    const key = 'Symbol.for("nodejs.util.promisify.custom")';
    const property = `{ get: () => $module().${name}[${key}] }`;
    return `export const ${name} = /* @__PURE__ */ Object.defineProperty(${later}, ${key}, ${property});`;
  }
  return `export const ${name} = /* @__PURE__ */ (() => $module().${name})();`;
}
