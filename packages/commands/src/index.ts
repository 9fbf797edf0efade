export { analyzeCommand } from "./analyze.ts";
export type { AnalyzeOptions } from "./analyze.ts";
export { bindingOf, programKey } from "./keys.ts";
export type { CommandOutline, Join, OutlinedCommand, RedirectedFile } from "./outline.ts";
export { quoteWord } from "./quote.ts";
export { rebuildCommand } from "./rebuild.ts";
export type { RebuiltCommand } from "./rebuild.ts";
export { resolveOutline } from "./resolve.ts";
