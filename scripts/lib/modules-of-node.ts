import type { Plugin } from "rolldown";

/**
 * Modules of Node are taken as they are, without the ES module Node would make of each: making it reads every
 * export, which loads whatever hides behind one (4 ms for node:fs). Functions of heavy modules wait for their first
 * call, classes for their first use, and have what Node attached to them.
 */
export const HEAVY = [
  "child_process",
  "crypto",
  "dns/promises",
  "fs/promises",
  "http",
  "net",
  "worker_threads",
  "zlib",
];
/** Objects of those, which Node makes when somebody asks for them. */
const LOADED_LATER = new Set(["subtle", "webcrypto"]);
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
      const whole = "export default /* @__PURE__ */ $module();";
      return `const $module = () => process.getBuiltinModule(${JSON.stringify(path)});\n${names.join("\n")}\n${whole}`;
    },
  },
};

/** Pure, so that what nobody imports is dropped, getters that load something with it. */
function exportOf(path: string, name: string, descriptor: PropertyDescriptor): string {
  // Node loads some of its classes when somebody asks for them.
  const value: unknown = /^[A-Z]/.test(name)
    ? Reflect.get(process.getBuiltinModule(path)!, name)
    : descriptor.value;
  const isHeavy = HEAVY.includes(path.replace("node:", ""));
  // What Node loads when somebody asks for it, and then belongs to what it is.
  if (isHeavy && LOADED_LATER.has(name)) {
    const read = `const all = $module().${name}; const value = all[key]; return typeof value === "function" ? value.bind(all) : value;`;
    return `export const ${name} = /* @__PURE__ */ new Proxy({}, { get(_, key) { ${read} } });`;
  }
  if (typeof value !== "function" || !isHeavy) {
    return `export const ${name} = /* @__PURE__ */ (() => $module().${name})();`;
  }
  // Read from Node's own when somebody asks: what promisify() makes of execFile answers both outputs.
  const more = `get: (_, key) => $module().${name}[key]`;
  if (/^[A-Z]/.test(name)) {
    // Node's classes can be called without new, some of them.
    const made = `construct: (_, args, target) => Reflect.construct($module().${name}, args, target)`;
    const called = `function (...args) { return $module().${name}.apply(this, args); }`;
    return `export const ${name} = /* @__PURE__ */ new Proxy(${called}, { ${more}, ${made} });`;
  }
  const later = `(...args) => $module().${name}(...args)`;
  if (!hasMore(value)) return `export const ${name} = ${later};`;
  return `export const ${name} = /* @__PURE__ */ new Proxy(${later}, { ${more} });`;
}

/** Whether a function has properties that not every function has. */
function hasMore(value: object): boolean {
  return Reflect.ownKeys(value).some((key) => key !== "length" && key !== "name" && key !== "prototype");
}
