// Internal entry: it can change with any version.
export { lazyHookModules } from "../hook/lazy-hook-modules.ts";
