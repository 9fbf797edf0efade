import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { mcpError } from "../../errors.ts";
import type { McpCredentials } from "../server-environment.ts";
import type { McpClientId } from "../server.ts";

interface Kept {
  client?: unknown;
  /** Where browsers come back to that the client was registered with: each signing in listens at another port. */
  redirectUrl?: string | undefined;
  tokens?: unknown;
  issuer?: string | undefined;
  verifier?: string | undefined;
  discovery?: unknown;
  /** The scopes that were asked for when nobody was there to sign in; empty where none were named. */
  wanted?: string | undefined;
}

interface SigningIn {
  redirectUrl: string;
  state: string;
  show: (url: URL) => void;
}

/** Stands for a client where nobody is there to sign in: nothing is registered then that nobody would use. */
const NO_CLIENT = { client_id: "unregistered" };

/**
 * What the SDK asks when a server wants a token.
 *
 * @param its of the server: its name, and the client that was registered for it by hand
 * @param signingIn absent where nobody is there to sign in
 */
export function createOAuthProvider(
  { name, oauth }: { name: string; oauth?: McpClientId | undefined },
  credentials: McpCredentials,
  signingIn?: SigningIn,
): OAuthClientProvider {
  const kept = () => readKept(credentials);
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
    clientInformation(about) {
      if (oauth !== undefined)
        return {
          client_id: oauth.clientId,
          ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
        };
      const client = isOf(about?.issuer) ? kept().client : undefined;
      if (signingIn === undefined) return (client ?? NO_CLIENT) as never;
      const { redirectUrl } = kept();
      return redirectUrl === signingIn.redirectUrl || canRenew(kept()) ? (client as never) : undefined;
    },
    saveClientInformation(client, about) {
      if (oauth !== undefined || client.client_id === NO_CLIENT.client_id) return;
      const redirectUrl = signingIn?.redirectUrl ?? kept().redirectUrl;
      keep({ client, redirectUrl, ...(about?.issuer !== undefined && { issuer: about.issuer }) });
    },
    tokens: (about) => (isOf(about?.issuer) ? (kept().tokens as never) : undefined),
    saveTokens: (tokens, about) =>
      keep({ tokens, wanted: undefined, ...(about?.issuer !== undefined && { issuer: about.issuer }) }),
    redirectToAuthorization(url) {
      if (signingIn !== undefined) return signingIn.show(url);
      keep({ wanted: url.searchParams.get("scope") ?? "" });
      throw mcpError("MCP_AUTHORIZATION_NEEDED", `The server ${name} wants its operator to sign in.`, {
        fix: `Ask the operator to run \`haft mcp login ${name}\`.`,
      });
    },
    saveCodeVerifier: (verifier) => keep({ verifier }),
    codeVerifier: () => kept().verifier ?? "",
    saveDiscoveryState: (discovery) => keep({ discovery }),
    discoveryState: () => kept().discovery as never,
    invalidateCredentials(what) {
      const all = kept();
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

/** The scopes that were asked for since somebody signed in last, and could not be had; `undefined` where nothing was asked. */
export function readRequestedScopes(credentials: McpCredentials): string | undefined {
  return readKept(credentials).wanted;
}

function readKept(credentials: McpCredentials): Kept {
  try {
    const value: unknown = JSON.parse(credentials.read() ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Nobody needs a browser then. */
function canRenew({ tokens, wanted }: Kept): boolean {
  return (
    wanted === undefined && typeof (Object(tokens) as { refresh_token?: unknown }).refresh_token === "string"
  );
}
