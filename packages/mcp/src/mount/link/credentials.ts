import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { mcpError } from "../../errors.ts";
import type { McpCredentials } from "../server-environment.ts";
import type { McpClientId } from "../server.ts";

interface StoredCredentials {
  client?: unknown;
  /** The registered client's redirect URL; each sign-in uses another port. */
  redirectUrl?: string | undefined;
  tokens?: unknown;
  issuer?: string | undefined;
  verifier?: string | undefined;
  discovery?: unknown;
  /** Scopes requested without a sign-in; empty if unnamed. */
  wanted?: string | undefined;
}

interface SigningIn {
  redirectUrl: string;
  state: string;
  show: (url: URL) => void;
}

/** Avoids registering a client when no person can sign in. */
const NO_CLIENT = { client_id: "unregistered" };

/**
 * Stores OAuth state for the SDK.
 *
 * @param its the server's name and its registered client
 * @param signingIn absent if no person can sign in
 */
export function createOAuthProvider(
  { name, oauth }: { name: string; oauth?: McpClientId | undefined },
  credentials: McpCredentials,
  signingIn?: SigningIn,
): OAuthClientProvider {
  const stored = () => readStored(credentials);
  const keep = (more: StoredCredentials) => credentials.write(JSON.stringify({ ...stored(), ...more }));
  // An authorization server never receives credentials of another.
  const isOf = (issuer: string | undefined) => {
    const its = stored().issuer;
    return issuer === undefined || its === undefined || its === issuer;
  };
  return {
    get redirectUrl() {
      // Without a URL, the SDK would choose a flow without a user.
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
    clientInformation(about) {
      // The SDK warns about credentials that name no issuer. `isOf` has already compared it.
      const issuer = about?.issuer === undefined ? {} : { issuer: about.issuer };
      if (oauth !== undefined)
        return {
          client_id: oauth.clientId,
          ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
          ...issuer,
        };
      const client = isOf(about?.issuer) ? stored().client : undefined;
      if (signingIn === undefined) return (client ?? { ...NO_CLIENT, ...issuer }) as never;
      const { redirectUrl } = stored();
      return redirectUrl === signingIn.redirectUrl || canRenew(stored()) ? (client as never) : undefined;
    },
    saveClientInformation(client, about) {
      if (oauth !== undefined || client.client_id === NO_CLIENT.client_id) return;
      const redirectUrl = signingIn?.redirectUrl ?? stored().redirectUrl;
      keep({ client, redirectUrl, ...(about?.issuer !== undefined && { issuer: about.issuer }) });
    },
    tokens: (about) => (isOf(about?.issuer) ? (stored().tokens as never) : undefined),
    saveTokens: (tokens, about) =>
      keep({ tokens, wanted: undefined, ...(about?.issuer !== undefined && { issuer: about.issuer }) }),
    redirectToAuthorization(url) {
      if (signingIn !== undefined) return signingIn.show(url);
      keep({ wanted: url.searchParams.get("scope") ?? "" });
      throw mcpError("MCP_AUTHORIZATION_NEEDED", `The server ${name} requires its operator to sign in.`, {
        fix: `Ask the operator to run \`haft mcp login ${name}\`.`,
      });
    },
    saveCodeVerifier: (verifier) => keep({ verifier }),
    codeVerifier: () => stored().verifier ?? "",
    saveDiscoveryState: (discovery) => keep({ discovery }),
    discoveryState: () => stored().discovery as never,
    invalidateCredentials(what) {
      const all = stored();
      const remaining: StoredCredentials =
        what === "all"
          ? {}
          : what === "client"
            ? { ...all, client: undefined, tokens: undefined }
            : { ...all, [what]: undefined };
      credentials.write(JSON.stringify(remaining));
    },
  };
}

/** The scopes requested since the last sign-in. */
export function readRequestedScopes(credentials: McpCredentials): string | undefined {
  return readStored(credentials).wanted;
}

function readStored(credentials: McpCredentials): StoredCredentials {
  try {
    const value: unknown = JSON.parse(credentials.read() ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A refresh needs no browser. */
function canRenew({ tokens, wanted }: StoredCredentials): boolean {
  return (
    wanted === undefined && typeof (Object(tokens) as { refresh_token?: unknown }).refresh_token === "string"
  );
}
