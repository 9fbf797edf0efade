export { lazyHookModules } from "./hook/lazy-hook-modules.ts";
