export { createReadTool } from "./read.ts";
