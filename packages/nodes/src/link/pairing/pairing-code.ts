import { createHash } from "node:crypto";

interface PairingFacts {
  readonly host: string;
  readonly hostName: string;
  readonly node: string;
  readonly nodeName: string;
  readonly declaration: string;
  readonly hostNonce: string;
  readonly nodeNonce: string;
}

/** Commits the host to its nonce before it knows the node's. An attacker therefore has one guess of 1 in 100 million. */
export function computeCommitment(host: string, nonce: string): string {
  return digest("haft pairing commitment 1", [host, nonce]).toString("base64url");
}

/** Returns eight digits, as `1234 5678`, equal on both sides for the same facts. */
export function pairingCode(facts: PairingFacts): string {
  const { host, hostName, node, nodeName, declaration, hostNonce, nodeNonce } = facts;
  const fields = [host, hostName, node, nodeName, declaration, hostNonce, nodeNonce];
  const bytes = digest("haft pairing code 1", fields);
  const digits = (bytes.readBigUInt64BE() % 100_000_000n).toString().padStart(8, "0");
  return `${digits.slice(0, 4)} ${digits.slice(4)}`;
}

function digest(domain: string, parts: readonly string[]): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([domain, ...parts]))
    .digest();
}
