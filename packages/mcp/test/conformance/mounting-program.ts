// What mounts a server, as a program that the official suite starts with the address of one: signs in where that is asked for,
// looks at the tools, and calls each with what its schema asks for.
import { Registry, SessionFactory } from "@haft/core/kernel";
import { createPolicy } from "@haft/policy";
import { createHostNetwork, createHostWorkspace } from "@haft/workspace";
import { type McpCredentials, mountMcp, signIn, surveyMcp } from "../../src/index.ts";

const url = process.argv.at(-1)!;
const network = createHostNetwork({ allowPrivate: ["localhost", "127.0.0.1", "::1"] });
let stored: string | undefined;
const credentials: McpCredentials = { read: () => stored, write: (text) => void (stored = text) };
const serverEnvironment = { network, credentials };
/** What only the suite knows: the client that was registered, and what to call with which arguments. */
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  client_id?: string;
  client_secret?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
};
const { client_id: clientId, client_secret: clientSecret, toolCalls } = context;
const oauth = clientId === undefined ? {} : { oauth: { clientId, ...(clientSecret && { clientSecret }) } };
const server = { name: "suite", reach: { url, ...oauth } };

/** Whoever signs in says yes, and their browser comes back. */
async function visit(address: string): Promise<string> {
  const answer = await fetch(address, { redirect: "manual" });
  return answer.headers.get("location") ?? address;
}

/** Each signing in comes back to another port. */
let port = 40_000;
const login = () =>
  signIn(server, { network, credentials, redirectUrl: `http://127.0.0.1:${port++}/callback`, visit });

const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function survey(tries = 3) {
  try {
    return await surveyMcp(server, { place: serverEnvironment });
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== "MCP_AUTHORIZATION_NEEDED" || tries === 0) throw thrown;
    await login();
    return survey(tries - 1);
  }
}

interface Schema {
  properties?: Record<string, { type?: string; enum?: unknown[] }>;
  required?: string[];
}

const SAMPLES: Record<string, unknown> = { number: 2, integer: 2, boolean: true, array: [], object: {} };

function sampleOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  return Object.fromEntries(
    required.map((key) => {
      // To be shown as it arrived.
      if (key === "schema") return [key, session.tools()[0]!.parameters];
      const { type = "string", enum: choices } = properties[key] ?? {};
      return [key, choices?.[0] ?? SAMPLES[type] ?? "text"];
    }),
  );
}

const { tools } = await survey();
const effects = Object.fromEntries(tools.map(({ name }) => [name, []]));
const registry = new Registry({
  plugins: [mountMcp({ ...server, tools, effects }, { environment: () => serverEnvironment })],
});
const policy = createPolicy({}, { tools: await registry.survey(silent) });
const factory = new SessionFactory({ registry, policy });
const session = await factory.open({
  workspace: createHostWorkspace({ root: process.cwd() }),
  kind: "main",
  sessionKey: "suite",
});
const serverNames = new Map(session.tools().map((tool, index) => [tools[index]!.name, tool.name]));
const calls =
  toolCalls?.map((call) => ({ ...call, name: serverNames.get(call.name) ?? call.name })) ??
  session.tools().map(({ name, parameters }) => ({ name, arguments: sampleOf(parameters) }));
for (const call of calls) {
  let outcome = await session.call(call);
  for (
    let tries = 0;
    outcome.kind === "error" && outcome.code === "MCP_AUTHORIZATION_NEEDED" && tries < 3;
    tries++
  ) {
    await login();
    outcome = await session.call(call);
  }
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
await session.close();
await registry.close();
