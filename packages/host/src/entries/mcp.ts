// Internal to Haft: it may change with any version.
export { forgetCredentials, openCredentials } from "../mcp/credentials.ts";
export {
  type KnownServer,
  explainBlocked,
  listKnownServers,
  toAcceptedServer,
} from "../mcp/known-servers.ts";
export {
  type AcceptedTools,
  type StoredServer,
  type StoredServers,
  changeOperatorsFile,
  hashSettings,
  readOperatorsFile,
} from "../mcp/operators-file.ts";
export { ServerChangeStore, isChanged } from "../mcp/server-changes.ts";
export { ServerEnvironments } from "../mcp/server-environments.ts";
