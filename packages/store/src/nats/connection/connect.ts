import { type Logger, invalidOptions } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { NatsConnection, NodeConnectionOptions, TlsOptions } from "@nats-io/transport-node";
import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { storeError } from "../../errors.ts";
import { ANSWER_MS, Link } from "./link.ts";
import { type Client, loadClient } from "./load-client.ts";
import type { NatsNames } from "./names.ts";
import { toNatsError } from "./nats-error.ts";
import type { NatsConnectionOptions } from "./options.ts";
import { ServerClock } from "./server-clock.ts";

export async function connectTo(
  options: NatsConnectionOptions,
  names: NatsNames,
  clock: () => number,
  logger: Pick<Logger, "warn"> | undefined,
): Promise<Link> {
  requireServers(options.servers);
  const client = await loadClient();
  const servers = withoutSecrets([options.servers].flat());
  const nc = await connection(client, options, servers);
  try {
    const js = client.jetstream.jetstream(nc, { timeout: ANSWER_MS });
    const jsm = await js.jetstreamManager();
    return new Link({ servers, client, names, clock: new ServerClock(clock), nc, js, jsm, logger });
  } catch (thrown) {
    await nc.close();
    throw toNatsError("The store could not be opened", thrown, servers);
  }
}

async function connection(
  client: Client,
  options: NatsConnectionOptions,
  servers: string,
): Promise<NatsConnection> {
  const given = connectionOptions(client, options);
  try {
    return await client.transport.connect(given);
  } catch (thrown) {
    const problem = toNatsError("The store could not be opened", thrown, servers);
    if (problem.code === "NATS_FORBIDDEN") throw problem;
    const message = `No NATS server answers at ${servers}: ${(thrown as Error).message}.`;
    throw storeError("NATS_FAILED", message, { cause: thrown });
  }
}

function connectionOptions({ transport }: Client, options: NatsConnectionOptions): NodeConnectionOptions {
  const { servers, credentialsFile, nkeyFile, user, password, token, tls } = options;
  const authenticator =
    credentialsFile !== undefined
      ? transport.credsAuthenticator(readOptionFile("credentialsFile", credentialsFile))
      : nkeyFile !== undefined
        ? transport.nkeyAuthenticator(
            Buffer.from(readOptionFile("nkeyFile", nkeyFile).toString("latin1").trim()),
          )
        : undefined;
  return {
    servers: [servers].flat(),
    name: "haft",
    timeout: ANSWER_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    ignoreAuthErrorAbort: true,
    pingInterval: 5_000,
    maxPingOut: 2,
    ...(authenticator && { authenticator }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { pass: password }),
    ...(token !== undefined && { token }),
    ...(tls !== undefined && { tls: tlsOf(tls) }),
  };
}

function tlsOf({ caFile, certFile, keyFile }: NonNullable<NatsConnectionOptions["tls"]>): TlsOptions {
  const read = (option: string, path: string | undefined) =>
    path === undefined ? undefined : readOptionFile(`tls.${option}`, path).toString("utf8");
  return withoutUndefined({
    ca: read("caFile", caFile),
    cert: read("certFile", certFile),
    key: read("keyFile", keyFile),
  });
}

export function readOptionFile(option: string, path: string): Buffer {
  if (!isAbsolute(path)) {
    const message = `${option} is ${JSON.stringify(path)}, a relative path, which depends on the working directory.`;
    throw invalidOptions(message, "Give an absolute path.");
  }
  try {
    return readFileSync(path);
  } catch (thrown) {
    throw invalidOptions(`${option} cannot be read: ${(thrown as Error).message}.`);
  }
}

function requireServers(servers: unknown): void {
  const given = [servers].flat();
  if (given.length > 0 && given.every((one) => typeof one === "string" && one !== "")) return;
  throw invalidOptions("servers must be the address of a server, or a list of addresses.");
}

/** Addresses may contain passwords, and messages are shown. */
function withoutSecrets(servers: readonly string[]): string {
  return servers.map((server) => server.replace(/^(\w+:\/\/)?.*@/s, "$1")).join(", ");
}
