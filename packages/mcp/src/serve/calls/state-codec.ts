// In a file of its own, since it is loaded later than the rest of the library.
export { createRequestStateCodec } from "@modelcontextprotocol/server";
