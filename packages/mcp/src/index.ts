export type { HttpLimits, HttpOptions, Tenant } from "./serve/http/http-options.ts";
export { type ServedHttp, serveHttp } from "./serve/http/serve-http.ts";
export { type ServedStdio, serveStdio, type StdioOptions } from "./serve/serve-stdio.ts";
export type { ServeOptions, SessionSource } from "./serve/session-source.ts";
export { MCP_CONTENT } from "./serve/mcp-content.ts";
export { type ClientQuestion, type ServedClient, servedClient } from "./serve/served-client.ts";
