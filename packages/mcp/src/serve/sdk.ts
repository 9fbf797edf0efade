// The first connection loads these SDK parts, so that importing this package is fast.
export {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  inputRequired,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  Server,
} from "@modelcontextprotocol/server";
export { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
