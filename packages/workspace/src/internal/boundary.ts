// Only for the packages of this repository.
export { createDenyList, escapeGlob, READ_ONLY_PATTERNS, type DenyList } from "../boundary/deny.ts";
export { expandHome } from "../boundary/guards.ts";
export { START_FILES } from "../boundary/start-files.ts";
export { parsePath } from "../boundary/parse-path.ts";
export { addHostGuards, type HostGuards } from "../boundary/host-guards.ts";
