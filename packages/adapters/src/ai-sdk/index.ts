export type { BridgeOptions } from "../incoming/bridge-options.ts";
export type { CallSender } from "../outgoing/sender.ts";
export { type AISDKOptions, fromAISDK } from "./from-ai-sdk.ts";
export { toAISDK, type ToAISDKOptions } from "./to-ai-sdk.ts";
export type { AISDKExecution, AISDKProgress, AISDKTool, AISDKTools } from "./ai-sdk-tools.ts";
