import { HaftError, type Logger, getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type * as transportModule from "@nats-io/transport-node";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { nodesError } from "../errors.ts";
import { type BusMessage, type MessageBus, subjects } from "../link/message-bus.ts";
import type { NatsBusOptions } from "./options.ts";

type Transport = typeof transportModule;

/** Bytes below the server's default limit (1 MiB). */
const MAX_BYTES = 512 * 1024;
const CONNECT_MS = 5_000;

/**
 * Connects to a NATS server with `no_responders` (2.2 or newer), without JetStream. It reconnects
 * automatically. The application installs the package `@nats-io/transport-node`.
 *
 * @throws HaftError `PACKAGE_MISSING`, `NATS_FAILED`, `NODE_OPTIONS_INVALID`
 *
 * @example
 * ```ts
 * import { openIdentity } from "@haft/nodes";
 * import { openNatsBus } from "@haft/nodes/nats";
 * const { seed } = openIdentity("/var/lib/node");
 * const bus = await openNatsBus({ servers: ["tls://nats-1.example.com"], nkeySeed: seed });
 * console.log(bus.connected, bus.maxBytes);
 * ```
 */
export async function openNatsBus(options: NatsBusOptions): Promise<MessageBus> {
  requireKnownOptions<NatsBusOptions>("openNatsBus", options, {
    servers: true,
    prefix: true,
    nkeySeed: true,
    credentialsFile: true,
    user: true,
    password: true,
    token: true,
    logger: true,
    tls: true,
  });
  const { prefix = "haft" } = options;
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(prefix))
    throw nodesError(
      "NODE_OPTIONS_INVALID",
      `${JSON.stringify(prefix)} cannot be a prefix: it must be valid in NATS subjects.`,
    );
  const transport = await loadTransport();
  const nc = await connection(transport, options);
  const bus = new NatsBus(prefix, nc, options.logger);
  if (options.logger !== undefined && (await isOpenToAll(prefix, nc)))
    options.logger.warn(
      "The NATS server has no permissions: each of its clients can read all messages of hosts and nodes. See `serverPermissions`, or haft nodes server-config.",
    );
  return bus;
}

/** Tests whether any client may read a nonexistent host's answers. */
async function isOpenToAll(prefix: string, nc: transportModule.NatsConnection): Promise<boolean> {
  let refused = false;
  const subject = subjects.inbox(prefix, randomBytes(12).toString("hex"), ">");
  const subscription = nc.subscribe(subject, { callback: (error) => void (refused ||= error !== null) });
  await nc.flush();
  refused ||= subscription.isClosed();
  subscription.unsubscribe();
  return !refused;
}

async function loadTransport(): Promise<Transport> {
  try {
    return await import("@nats-io/transport-node");
  } catch (thrown) {
    throw nodesError("PACKAGE_MISSING", `The NATS client cannot be loaded: ${getErrorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}

async function connection(
  transport: Transport,
  options: NatsBusOptions,
): Promise<transportModule.NatsConnection> {
  const { servers, nkeySeed, credentialsFile, user, password, token, tls } = options;
  const addresses = [servers].flat();
  if (addresses.length === 0 || !addresses.every((each) => typeof each === "string" && each !== ""))
    throw nodesError(
      "NODE_OPTIONS_INVALID",
      "servers must be the address of a server, or a list of addresses.",
    );
  try {
    return await transport.connect({
      servers: addresses,
      name: "haft",
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      ignoreAuthErrorAbort: true,
      pingInterval: 5_000,
      maxPingOut: 2,
      ...(nkeySeed !== undefined && { authenticator: transport.nkeyAuthenticator(Buffer.from(nkeySeed)) }),
      ...(credentialsFile !== undefined && {
        authenticator: transport.credsAuthenticator(readFileSync(credentialsFile)),
      }),
      ...(user !== undefined && { user }),
      ...(password !== undefined && { pass: password }),
      ...(token !== undefined && { token }),
      ...(tls !== undefined && { tls }),
    });
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    const shown = addresses.map(withoutSecrets).join(", ");
    const message = `No connection to the NATS server at ${shown}: ${getErrorMessage(thrown)}.`;
    throw nodesError("NATS_FAILED", message, { cause: thrown });
  }
}

/** Removes users, passwords and tokens. */
function withoutSecrets(address: string): string {
  return address.replace(/^([a-z]+:\/\/)?.*@/is, "$1");
}

class NatsBus implements MessageBus {
  readonly prefix: string;
  readonly maxBytes = MAX_BYTES;
  readonly #nc: transportModule.NatsConnection;
  #isUp = true;

  readonly #logger: Pick<Logger, "warn"> | undefined;

  constructor(prefix: string, nc: transportModule.NatsConnection, logger: Pick<Logger, "warn"> | undefined) {
    this.#logger = logger;
    this.prefix = prefix;
    this.#nc = nc;
    void this.#follow();
  }

  get connected(): boolean {
    return this.#isUp && !this.#nc.isClosed();
  }

  publish(subject: string, bytes: Uint8Array, reply?: string): void {
    // A message without a connection would be sent too late.
    if (!this.connected) throw nodesError("NODE_UNREACHABLE", "The NATS server is not connected now.");
    this.#nc.publish(subject, bytes, reply === undefined ? undefined : { reply });
  }

  subscribe(subject: string, take: (message: BusMessage) => void): () => void {
    const subscription = this.#nc.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return;
        const isMissing = message.data.length === 0 && message.headers?.code === 503;
        take({
          subject: message.subject,
          bytes: message.data,
          reply: message.reply,
          ...(isMissing && { noResponders: isMissing }),
        });
      },
    });
    return () => subscription.unsubscribe();
  }

  async flush(): Promise<void> {
    await this.#nc.flush();
  }

  async close(): Promise<void> {
    if (!this.#nc.isClosed()) await this.#nc.close();
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#nc.status()) {
      if (type !== "disconnect" && type !== "reconnect") continue;
      this.#isUp = type === "reconnect";
      this.#logger?.warn(`The connection to the NATS server ${this.#isUp ? "is back" : "is lost"}.`);
    }
    this.#isUp = false;
  }
}
