// For the packages beside this one. Not public: it may change with any version.
export { lazyHookModules } from "../hook/lazy-hook-modules.ts";
