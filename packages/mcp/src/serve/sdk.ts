// What of the library every connection uses: loaded by the first that serves, so that to import the package stays cheap.
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
