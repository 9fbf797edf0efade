import { createHash } from "node:crypto";

/** What both sides know once a pairing was offered, in the order in which it is said. */
interface PairingFacts {
  readonly host: string;
  readonly hostName: string;
  readonly node: string;
  readonly nodeName: string;
  readonly declaration: string;
  readonly hostNonce: string;
  readonly nodeNonce: string;
}

/**
 * What the host binds itself to before it has seen anything of the node: so nobody in between can try nonces until two codes
 * are the same, and has one guess of a hundred million.
 */
export function computeCommitment(host: string, nonce: string): string {
  return digest("haft pairing commitment 1", [host, nonce]).toString("base64url");
}

/** Eight digits, as `1234 5678`, the same on both sides when all that they know is the same. */
export function pairingCode(facts: PairingFacts): string {
  const { host, hostName, node, nodeName, declaration, hostNonce, nodeNonce } = facts;
  const said = [host, hostName, node, nodeName, declaration, hostNonce, nodeNonce];
  const bytes = digest("haft pairing code 1", said);
  const digits = (bytes.readBigUInt64BE() % 100_000_000n).toString().padStart(8, "0");
  return `${digits.slice(0, 4)} ${digits.slice(4)}`;
}

function digest(domain: string, parts: readonly string[]): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([domain, ...parts]))
    .digest();
}
