import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { mcpError } from "../../errors.ts";
import type { McpCredentials } from "../server-place.ts";

/** What is kept in it. */
interface Kept {
  client?: unknown;
  tokens?: unknown;
  /** Of the authorization server they belong to. */
  issuer?: string | undefined;
  verifier?: string | undefined;
  discovery?: unknown;
}

/** What is known while somebody signs in. */
export interface SigningIn {
  redirectUrl: string;
  state: string;
  /** Takes a person there. */
  show: (url: URL) => void;
}

/** What the SDK asks when a server wants a token. @param signingIn absent where nobody is there to sign in */
export function storedProvider(
  name: string,
  credentials: McpCredentials,
  signingIn?: SigningIn,
): OAuthClientProvider {
  const kept = (): Kept => {
    try {
      const value: unknown = JSON.parse(credentials.read() ?? "{}");
      return typeof value === "object" && value !== null ? value : {};
    } catch {
      return {};
    }
  };
  const keep = (more: Kept) => credentials.write(JSON.stringify({ ...kept(), ...more }));
  // What belongs to one authorization server is not shown to another.
  const isOf = (issuer: string | undefined) => {
    const its = kept().issuer;
    return issuer === undefined || its === undefined || its === issuer;
  };
  return {
    get redirectUrl() {
      // Without one the SDK takes it for a flow that needs nobody.
      return signingIn?.redirectUrl ?? "http://127.0.0.1/callback";
    },
    get clientMetadata() {
      return {
        client_name: "Haft",
        redirect_uris: [this.redirectUrl as string],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      };
    },
    state: () => signingIn?.state ?? "",
    clientInformation: (about) => (isOf(about?.issuer) ? (kept().client as never) : undefined),
    saveClientInformation: (client, about) =>
      keep({ client, ...(about?.issuer !== undefined && { issuer: about.issuer }) }),
    tokens: (about) => (isOf(about?.issuer) ? (kept().tokens as never) : undefined),
    saveTokens: (tokens, about) =>
      keep({ tokens, ...(about?.issuer !== undefined && { issuer: about.issuer }) }),
    redirectToAuthorization(url) {
      if (signingIn !== undefined) return signingIn.show(url);
      throw mcpError("MCP_AUTHORIZATION_NEEDED", `The server ${name} wants its operator to sign in.`, {
        fix: `Ask the operator to run \`haft mcp login ${name}\`.`,
      });
    },
    saveCodeVerifier: (verifier) => keep({ verifier }),
    codeVerifier: () => kept().verifier ?? "",
    saveDiscoveryState: (discovery) => keep({ discovery }),
    discoveryState: () => kept().discovery as never,
    invalidateCredentials(what) {
      const { client, tokens, issuer, verifier, discovery } = kept();
      const all = { client, tokens, issuer, verifier, discovery };
      const gone: Kept =
        what === "all"
          ? {}
          : what === "client"
            ? { ...all, client: undefined, tokens: undefined }
            : { ...all, [what]: undefined };
      credentials.write(JSON.stringify(gone));
    },
  };
}
