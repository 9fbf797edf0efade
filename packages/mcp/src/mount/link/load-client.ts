/** The SDK's client: loaded with the first server that is reached. */
export const loadClient = () => import("@modelcontextprotocol/client");
