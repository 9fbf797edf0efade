export { fromMastra, type MastraOptions } from "./from-mastra.ts";
