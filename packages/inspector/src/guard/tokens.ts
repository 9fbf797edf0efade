import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { inspectorError } from "../errors.ts";
import type { Role } from "../wire/api.ts";

const BYTES = 32;
const WHY = {
  old: "This page is of an inspector that has ended; another one runs at this address now.",
  missing: "The request has no token.",
  wrong: "The token of the request is none of this inspector.",
} as const;

/** The tokens of one start of an inspector: nowhere but in its memory, and in the addresses that it printed. */
export class Tokens {
  /** Of this start, so that a page of another one can be told. */
  readonly instance = randomBytes(6).toString("hex");
  readonly #digests = new Map<Role, Buffer>();
  readonly #tokens = new Map<Role, string>();

  /** @param acts whether there is one that decides */
  constructor(acts: boolean) {
    for (const role of acts ? (["look", "act"] as const) : (["look"] as const)) {
      const token = `${this.instance}.${randomBytes(BYTES).toString("base64url")}`;
      this.#tokens.set(role, token);
      this.#digests.set(role, digestOf(token));
    }
  }

  get(role: Role): string | undefined {
    return this.#tokens.get(role);
  }

  /**
   * What the holder of a header may do.
   *
   * @param header of the request: `Bearer TOKEN`
   * @throws HaftError `INSPECT_TOKEN`
   */
  requireRole(header: string | undefined): Role {
    const [, token = ""] = /^Bearer ([\w.-]{1,200})$/.exec(header ?? "") ?? [];
    const wanted = digestOf(token);
    let found: Role | undefined;
    // Every one is looked at, however early it is found.
    for (const [role, digest] of this.#digests) if (timingSafeEqual(digest, wanted)) found = role;
    if (found !== undefined) return found;
    const [, instance] = /^([0-9a-f]{12})\./.exec(token) ?? [];
    const isOld = instance !== undefined && instance !== this.instance;
    const reason = isOld ? "old" : token === "" ? "missing" : "wrong";
    throw inspectorError("INSPECT_TOKEN", WHY[reason], {
      details: { reason },
      ...(isOld && { fix: "Open the address that the new start printed." }),
    });
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
