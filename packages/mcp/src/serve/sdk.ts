// What of the library this package uses: loaded by the first that serves, so that to import the package stays cheap.
export {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  inputRequired,
  isLegacyRequest,
  localhostAllowedHostnames,
  MissingRequiredClientCapabilityError,
  originValidationResponse,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
export { serveStdio as serveConnection, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
