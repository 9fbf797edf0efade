export type { BridgeOptions } from "../incoming/bridge-options.ts";
export type { CallSender } from "../outgoing/sender.ts";
export { fromPi, type PiOptions } from "./from-pi.ts";
export { type PiTool, toPi, type ToPiOptions } from "./to-pi.ts";
