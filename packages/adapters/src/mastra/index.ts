export type { BridgeOptions } from "../incoming/bridge-options.ts";
export { fromMastra, type MastraOptions } from "./from-mastra.ts";
