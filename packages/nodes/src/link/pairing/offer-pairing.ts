import { randomBytes } from "node:crypto";
import { computeDigest } from "../../contract/canonical-json.ts";
import { readDeclaration } from "../../contract/declaration.ts";
import type { PairingOffer } from "../../contract/transport.ts";
import { nodesError } from "../../errors.ts";
import type { Identity } from "../../keys/identity.ts";
import { type MessageBus, subjects } from "../message-bus.ts";
import { readObject } from "../read-object.ts";
import { requestMany } from "../request-many.ts";
import { computeCommitment, pairingCode } from "./pairing-code.ts";

const ANSWER_MS = 5_000;

/**
 * Runs the host's side up to the code. People authenticate the unsigned messages by comparing codes.
 *
 * @throws HaftError `NODE_UNREACHABLE`, `NODE_PAIRING_FAILED`, `NODE_DECLARATION_INVALID`
 */
export async function offerPairing(
  bus: MessageBus,
  { id: host }: Identity,
  statedName: string,
  node: string,
): Promise<PairingOffer> {
  const hostName = statedName.slice(0, 64);
  const hostNonce = randomBytes(16).toString("base64url");
  const ask = async (message: object, has: string) => {
    let answer: Record<string, unknown> | undefined;
    const bytes = Buffer.from(JSON.stringify({ host, ...message }));
    const subject = subjects.node(bus.prefix, node, "pair");
    await requestMany(bus, host, subject, bytes, ANSWER_MS, (reply) => {
      answer = readObject(reply.bytes);
      return answer?.[has] !== undefined || answer?.["refused"] !== undefined || reply.noResponders === true;
    });
    if (answer?.["refused"] !== undefined)
      throw nodesError("NODE_PAIRING_FAILED", "The node accepts no new host now.", {
        fix: "Start the pairing on the node as well; it accepts a single host, for a few minutes.",
      });
    if (answer?.[has] === undefined) throw nodesError("NODE_UNREACHABLE", `The node ${node} did not answer.`);
    return answer;
  };
  const first = await ask({ step: 1, hostName, commitment: computeCommitment(host, hostNonce) }, "nonce");
  const declaration = readDeclaration(first["declaration"]);
  const nodeName = String(first["name"]).slice(0, 64);
  const nodeNonce = String(first["nonce"]);
  await ask({ step: 2, nonce: hostNonce }, "shown");
  const facts = {
    host,
    hostName,
    node,
    nodeName,
    declaration: computeDigest(declaration),
    hostNonce,
    nodeNonce,
  };
  return { node: { id: node, name: nodeName, pairing: true }, declaration, code: pairingCode(facts) };
}
