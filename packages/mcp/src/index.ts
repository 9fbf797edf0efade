export { type ServedStdio, serveStdio, type StdioOptions } from "./serve/serve-stdio.ts";
export type { ServeOptions, SessionSource } from "./serve/session-source.ts";
