import { HaftError, getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { Network } from "@haft/core/kernel";
import { mcpError } from "../errors.ts";
import { createOAuthProvider, readRequestedScopes } from "./link/credentials.ts";
import { createNetworkFetch } from "./link/http-transport.ts";
import type { McpCredentials } from "./server-environment.ts";
import { isServerAddress, type McpServer } from "./server.ts";

/** How somebody signs in. */
export interface SignInOptions {
  /** What leads to the server, and to whoever it trusts with signing in. */
  network: Network;
  /** Where what comes of it is kept. */
  credentials: McpCredentials;
  /** Where the person's browser comes back to: an address of this machine that you listen at. */
  redirectUrl: string;
  /** Shows a person where to go, and waits until they came back: answers the whole address that they came back to. */
  visit: (address: string) => Promise<string>;
}

/**
 * Signs in to a server, by what it says of how that is done (OAuth).
 *
 * @throws HaftError `MCP_AUTHORIZATION_NEEDED` where it did not work, `MCP_OPTIONS_INVALID`
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
    throw mcpError("MCP_OPTIONS_INVALID", `The server ${name} is a program: nobody signs in to it.`);
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
    // It may trust another authorization server by now; where it says which, it said when it refused.
    const { resourceMetadataUrl } = (await provider.discoveryState?.()) ?? {};
    await provider.invalidateCredentials?.("discovery");
    const asked = {
      forceReauthorization: wanted !== undefined,
      ...(wanted && { scope: wanted }),
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
    };
    if ((await auth(provider, { ...options, ...asked })) === "AUTHORIZED") return "still signed in";
    const back = new URL(await visit(where!.href), redirectUrl).searchParams;
    // Anybody can send a browser to a port of this machine.
    if (back.get("state") !== state)
      throw mcpError(
        "MCP_AUTHORIZATION_NEEDED",
        "The browser came back from somewhere else than it was sent to.",
      );
    const [code, iss, error] = [back.get("code"), back.get("iss"), back.get("error")];
    if (code === null)
      throw mcpError(
        "MCP_AUTHORIZATION_NEEDED",
        `Signing in to ${name} was refused: ${error ?? "no code came back"}.`,
      );
    await auth(provider, { ...options, authorizationCode: code, ...(iss !== null && { iss }) });
    return "signed in";
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    throw mcpError(
      "MCP_AUTHORIZATION_NEEDED",
      `Signing in to ${name} did not work: ${getErrorMessage(thrown)}`,
      {
        cause: thrown,
      },
    );
  }
}
