export { fromOpenClaw, type OpenClawOptions } from "./from-openclaw.ts";
