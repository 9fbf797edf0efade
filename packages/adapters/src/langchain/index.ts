export type { BridgeOptions } from "../incoming/bridge-options.ts";
export { fromLangChain, type LangChainOptions } from "./from-langchain.ts";
