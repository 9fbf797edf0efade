import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import {
  type HttpOptions,
  type ServedHttp,
  serveHttp,
  type SessionSource,
  type Tenant,
} from "../../src/index.ts";
import type { Era } from "./connect-stdio.ts";

/** An endpoint where each of these tokens opens its own sessions. */
export async function serveEndpoint(
  tenants: Readonly<Record<string, SessionSource | Tenant>>,
  more: Partial<HttpOptions> = {},
): Promise<ServedHttp> {
  const known = new Map(
    Object.entries(tenants).map(([token, given]): [string, Tenant] => [
      token,
      "label" in given ? given : { label: token, source: () => given },
    ]),
  );
  const served = await serveHttp({ resolveTenant: (token = "") => known.get(token), ...more });
  onTestFinished(() => served.close());
  return served;
}

/** The official client of an endpoint. */
export async function connectHttp(
  { url }: ServedHttp,
  {
    era,
    token,
    session,
    client: options = {},
    name = "tester",
    prepare,
  }: {
    era: Era;
    token: string;
    session?: string;
    client?: ClientOptions;
    name?: string;
    prepare?: (client: Client) => void;
  },
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const headers = { authorization: `Bearer ${token}`, ...(session && { "haft-session": session }) };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = new Client(
    { name, version: "1" },
    { versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : { pin: era } }, ...options },
  );
  prepare?.(client);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}
