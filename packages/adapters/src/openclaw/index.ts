export type { BridgeOptions } from "../incoming/bridge-options.ts";
export { fromOpenClaw, type OpenClawOptions } from "./from-openclaw.ts";
