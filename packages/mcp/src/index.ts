export type { HttpOptions, Tenant } from "./serve/http/http-options.ts";
export { type ServedHttp, serveHttp } from "./serve/http/serve-http.ts";
export { type ServedStdio, serveStdio, type StdioOptions } from "./serve/serve-stdio.ts";
export type { ServeOptions, SessionSource } from "./serve/session-source.ts";
export { MCP_CONTENT } from "./serve/tools/mcp-content.ts";
export { type ServedClient, servedClient } from "./serve/calls/served-client.ts";
export type { McpCredentials, ServerEnvironment } from "./mount/server-environment.ts";
export { mountMcp, type MountOptions } from "./mount/mount-mcp.ts";
export type {
  AcceptedServer,
  McpAddress,
  McpEra,
  McpProgram,
  McpServer,
  ServerChange,
} from "./mount/server.ts";
export { type McpSurvey, surveyMcp } from "./mount/survey-mcp.ts";
export { differences, fingerprint, type McpToolDefinition, readDefinition } from "./mount/tool-definition.ts";
export { assignToolNames } from "./mount/tool-names.ts";
export { signIn, type SignInOptions } from "./mount/sign-in.ts";
