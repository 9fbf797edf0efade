import { type Logger, withoutUndefined } from "@haft/core";
import type { Identity, MessageBus } from "@haft/nodes";
import type { FromEnvironment } from "../approvals/notify/settings.ts";
import { hostError } from "../errors.ts";
import type { NodesServer } from "./settings.ts";

/**
 * Connects to the server that hosts and nodes meet on. Where nothing else is said, the server is shown the identity.
 *
 * @throws HaftError `NODE_NATS_MISSING`, `NODE_NATS_UNREACHABLE`, `NODE_OPTIONS_INVALID`, `NODES_UNCONFIGURED`
 */
export async function openBus(
  given: string | NodesServer,
  identity: Identity,
  logger: Pick<Logger, "warn"> | undefined,
): Promise<MessageBus> {
  const { openNatsBus } = await import("@haft/nodes/nats");
  const { servers, prefix, credentialsFile, user, password, token, tls } =
    typeof given === "string" ? ({ servers: given } satisfies NodesServer as NodesServer) : given;
  const isAnother = [credentialsFile, user, token].some((each) => each !== undefined);
  return openNatsBus(
    withoutUndefined({
      servers,
      prefix,
      credentialsFile,
      user,
      password: hidden("password", password),
      token: hidden("token", token),
      tls,
      nkeySeed: isAnother ? undefined : identity.seed,
      logger,
    }),
  );
}

function hidden(name: string, given: string | FromEnvironment | undefined): string | undefined {
  if (given === undefined || typeof given === "string") return given;
  const value = process.env[given.env];
  if (value !== undefined && value !== "") return value;
  throw hostError(
    "NODES_UNCONFIGURED",
    `The ${name} of the NATS server is in ${given.env}, which is not set.`,
    {
      fix: `Set the variable ${given.env}.`,
    },
  );
}
