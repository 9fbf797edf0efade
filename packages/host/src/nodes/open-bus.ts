import {
  type EnvironmentReference,
  type NodesServer,
  resolveSecretText,
} from "@haft/config/internal/settings";
import { type Logger, getErrorMessage } from "@haft/core";
import type { Identity, MessageBus } from "@haft/nodes";
import { systemReason } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { readFileSync } from "node:fs";
import { hostError } from "../errors.ts";

/**
 * Connects to the NATS server of hosts and nodes. By default it authenticates with the identity.
 *
 * @throws HaftError `PACKAGE_MISSING`, `NATS_FAILED`, `NODE_OPTIONS_INVALID`, `CONFIG_INVALID`
 */
export async function openBus(
  given: string | NodesServer,
  identity: Identity,
  logger: Pick<Logger, "warn"> | undefined,
): Promise<MessageBus> {
  const { openNatsBus } = await import("@haft/nodes/nats");
  const { nkeyFile, password, token, ...server }: NodesServer =
    typeof given === "string" ? { servers: given } : given;
  const isAnother = [server.credentialsFile, server.user, token].some((each) => each !== undefined);
  return openNatsBus(
    withoutUndefined({
      ...server,
      password: hidden("password", password),
      token: hidden("token", token),
      nkeySeed: nkeyFile === undefined ? (isAnother ? undefined : identity.seed) : seedIn(nkeyFile),
      logger,
    }),
  );
}

function hidden(name: string, given: string | EnvironmentReference | undefined): string | undefined {
  try {
    return given === undefined ? undefined : resolveSecretText(given);
  } catch (thrown) {
    throw hostError("CONFIG_INVALID", `${name} of the NATS server of nodes: ${getErrorMessage(thrown)}.`, {
      fix: "Set it where Haft is started.",
    });
  }
}

function seedIn(nkeyFile: string): string {
  try {
    return readFileSync(nkeyFile, "latin1").trim();
  } catch (thrown) {
    throw hostError(
      "CONFIG_INVALID",
      `The nkeyFile of the NATS server of nodes cannot be read: ${systemReason(thrown)}.`,
      { fix: "Name the file that has the seed of the nkey (SU…)." },
    );
  }
}
