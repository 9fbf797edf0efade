import { randomBytes } from "node:crypto";
import { computeDigest } from "../../contract/canonical-json.ts";
import { isUserKey } from "../../keys/nkey.ts";
import type { HaftNode } from "../../node/create-node.ts";
import { readObject } from "../read-object.ts";
import { computeCommitment, pairingCode } from "./pairing-code.ts";

/** Describes a host's pairing request to a person. */
export interface PairingRequest {
  /** Identifies the host. */
  readonly hostId: string;
  /** Contains the host's stated name. */
  readonly hostName: string;
  /** Contains the code to compare, as `1234 5678`. It equals the host's code unless an attacker intercepts messages. */
  readonly code: string;
}

interface Begun {
  readonly host: string;
  readonly hostName: string;
  readonly commitment: string;
  readonly nodeNonce: string;
}

/** Accepts one host, with one attempt. */
export class PairingWindow {
  readonly #node: HaftNode;
  readonly #ask: (request: PairingRequest) => void;
  #begun: Begun | undefined;
  #shown = false;

  constructor(node: HaftNode, ask: (request: PairingRequest) => void) {
    this.#node = node;
    this.#ask = ask;
  }

  take(bytes: Uint8Array): object | undefined {
    const { step, host, hostName, commitment, nonce } = readObject(bytes) ?? {};
    // The shown id must not contain control sequences.
    if (typeof host !== "string" || !isUserKey(host)) return undefined;
    if (step === 1 && typeof hostName === "string" && typeof commitment === "string") {
      if (this.#begun !== undefined) return { refused: "busy" };
      const nodeNonce = randomBytes(16).toString("base64url");
      this.#begun = { host, hostName: hostName.slice(0, 64), commitment, nodeNonce };
      const { name, declaration } = this.#node;
      return { name, declaration, nonce: nodeNonce };
    }
    if (step === 2 && typeof nonce === "string") return this.#reveal(host, nonce);
    return undefined;
  }

  #reveal(host: string, hostNonce: string): object | undefined {
    const begun = this.#begun;
    if (begun === undefined || begun.host !== host || this.#shown) return { refused: "busy" };
    if (computeCommitment(host, hostNonce) !== begun.commitment) return { refused: "commitment" };
    this.#shown = true;
    const { id: node, name: nodeName, declaration } = this.#node;
    const code = pairingCode({
      ...begun,
      node,
      nodeName,
      declaration: computeDigest(declaration),
      hostNonce,
    });
    this.#ask({ hostId: host, hostName: begun.hostName, code });
    return { shown: true };
  }
}
