import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { inspectorError } from "../errors.ts";
import type { Role } from "../wire/api.ts";

const BYTES = 32;
const WHY = {
  old: "The inspector of this page has ended; another inspector now runs at this address.",
  missing: "The request has no token.",
  wrong: "The token of the request does not belong to this inspector.",
} as const;

/** One start's tokens, only in memory and printed addresses. */
export class Tokens {
  /** Other starts have other pages. */
  readonly instance = randomBytes(6).toString("hex");
  readonly #digests = new Map<Role, Buffer>();
  readonly #tokens = new Map<Role, string>();

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
   * Returns the role of a token.
   *
   * @param header `Bearer TOKEN`
   * @throws HaftError `INSPECT_TOKEN`
   */
  requireRole(header: string | undefined): Role {
    const [, token = ""] = /^Bearer ([\w.-]{1,200})$/.exec(header ?? "") ?? [];
    const wanted = digestOf(token);
    let found: Role | undefined;
    // Compares all tokens in constant time.
    for (const [role, digest] of this.#digests) if (timingSafeEqual(digest, wanted)) found = role;
    if (found !== undefined) return found;
    const [, instance] = /^([0-9a-f]{12})\./.exec(token) ?? [];
    const isOld = instance !== undefined && instance !== this.instance;
    const reason = isOld ? "old" : token === "" ? "missing" : "wrong";
    throw inspectorError("INSPECT_TOKEN", WHY[reason], {
      details: { reason },
      ...(isOld && { fix: "Open the address that the new inspector printed." }),
    });
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
