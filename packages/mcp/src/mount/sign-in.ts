import { HaftError, getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { Network } from "@haft/core/kernel";
import { mcpError } from "../errors.ts";
import { createOAuthProvider, readRequestedScopes } from "./link/credentials.ts";
import { createNetworkFetch } from "./link/http-transport.ts";
import type { McpCredentials } from "./server-environment.ts";
import { isServerAddress, type McpServer } from "./server.ts";

/**
 * Configures {@link signIn}.
 *
 * @example
 * ```ts
 * import type { McpCredentials, SignInOptions } from "@haft/mcp";
 * import { createHostNetwork } from "@haft/workspace";
 * declare const credentials: McpCredentials;
 * declare function openBrowser(address: string): Promise<string>; // resolves to the address of the redirect
 * const network = createHostNetwork();
 * const options: SignInOptions = { network, credentials, redirectUrl: "http://127.0.0.1:8765/", visit: openBrowser };
 * ```
 */
export interface SignInOptions {
  /** Reaches the server and its authorization server. */
  network: Network;
  /** Stores the tokens. */
  credentials: McpCredentials;
  /** An address of this machine for the browser's redirect; the caller listens there. */
  redirectUrl: string;
  /** Shows the address to a person, and resolves to the complete redirect address. */
  visit: (address: string) => Promise<string>;
}

/**
 * Signs in to a server by OAuth, as the server's metadata describes.
 *
 * @returns `still signed in` if the stored tokens are valid or were refreshed
 * @throws HaftError `MCP_AUTHORIZATION_NEEDED` if the sign-in failed, `MCP_OPTIONS_INVALID`
 *
 * @example
 * ```ts
 * import { signIn, type SignInOptions } from "@haft/mcp";
 * declare const options: SignInOptions;
 * const tracker = { name: "tracker", reach: { url: "https://tracker.example.com/mcp" } };
 * if ((await signIn(tracker, options)) === "signed in") console.log("You are signed in.");
 * ```
 */
export async function signIn(
  server: McpServer,
  given: SignInOptions,
): Promise<"signed in" | "still signed in"> {
  requireKnownOptions<SignInOptions>("signIn", given, {
    network: true,
    credentials: true,
    redirectUrl: true,
    visit: true,
  });
  const { network, credentials, redirectUrl, visit } = given;
  const { name, reach } = server;
  if (!isServerAddress(reach))
    throw mcpError("MCP_OPTIONS_INVALID", `The server ${name} is a program, which needs no sign-in.`);
  const { auth } = await import("@modelcontextprotocol/client");
  const state = crypto.randomUUID();
  let where: URL | undefined;
  const provider = createOAuthProvider({ name, oauth: reach.oauth }, credentials, {
    redirectUrl,
    state,
    show: (url) => void (where = url),
  });
  const options = { serverUrl: reach.url, fetchFn: createNetworkFetch(network, name) };
  const wanted = readRequestedScopes(credentials);
  try {
    // The authorization server may have changed. Its refusal named the metadata, if it has any.
    const { resourceMetadataUrl } = (await provider.discoveryState?.()) ?? {};
    await provider.invalidateCredentials?.("discovery");
    const request = {
      forceReauthorization: wanted !== undefined,
      ...(wanted && { scope: wanted }),
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
    };
    if ((await auth(provider, { ...options, ...request })) === "AUTHORIZED") return "still signed in";
    const back = new URL(await visit(where!.href), redirectUrl).searchParams;
    // Any website can reach a local port.
    if (back.get("state") !== state)
      throw mcpError("MCP_AUTHORIZATION_NEEDED", "The redirect does not belong to this sign-in.");
    const [code, iss, error] = [back.get("code"), back.get("iss"), back.get("error")];
    if (code === null)
      throw mcpError(
        "MCP_AUTHORIZATION_NEEDED",
        `The sign-in to ${name} was refused: ${error ?? "no code was returned"}.`,
      );
    await auth(provider, { ...options, authorizationCode: code, ...(iss !== null && { iss }) });
    return "signed in";
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    throw mcpError("MCP_AUTHORIZATION_NEEDED", `The sign-in to ${name} failed: ${getErrorMessage(thrown)}`, {
      cause: thrown,
      fix: "Check the address of the server. If it takes a token instead of a sign-in, give it a header: `haft mcp add NAME URL --header`.",
    });
  }
}
