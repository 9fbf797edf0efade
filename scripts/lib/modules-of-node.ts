import type { Plugin } from "rolldown";

/**
 * Modules of Node are taken as they are, without the ES module Node would make of each: making it reads every
 * export, which loads whatever hides behind one (4 ms for node:fs). Functions of heavy modules wait for their first
 * call, and have what Node attached to them.
 */
export const HEAVY = ["child_process", "crypto", "fs/promises", "net", "worker_threads", "zlib"];
export const modulesOfNode: Plugin = {
  name: "modules-of-node",
  resolveId: {
    filter: { id: /^node:/ },
    handler: (path) => ({ id: `\0${path}`, moduleSideEffects: false }),
  },
  load: {
    filter: { id: /^\0node:/ },
    handler: (id) => {
      const path = id.slice(1);
      const names = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(path)))
        .filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && name !== "default")
        .map(([name, descriptor]) => exportOf(path, name, descriptor));
      return `const $module = () => process.getBuiltinModule(${JSON.stringify(path)});\n${names.join("\n")}`;
    },
  },
};

/** Pure, so that what nobody imports is dropped, getters that load something with it. */
function exportOf(path: string, name: string, { value }: PropertyDescriptor): string {
  const isFunction = typeof value === "function" && /^[a-z]/.test(name);
  if (!isFunction || !HEAVY.includes(path.replace("node:", ""))) {
    return `export const ${name} = /* @__PURE__ */ (() => $module().${name})();`;
  }
  const later = `(...args) => $module().${name}(...args)`;
  if (!hasMore(value as object)) return `export const ${name} = ${later};`;
  // Read from Node's own when somebody asks: what promisify() makes of execFile answers both outputs.
  const more = `{ get: (_, key) => $module().${name}[key] }`;
  return `export const ${name} = /* @__PURE__ */ new Proxy(${later}, ${more});`;
}

/** Whether a function has properties that not every function has. */
function hasMore(value: object): boolean {
  return Reflect.ownKeys(value).some((key) => key !== "length" && key !== "name" && key !== "prototype");
}
