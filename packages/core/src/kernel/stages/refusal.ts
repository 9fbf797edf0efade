import { HaftError } from "../../contract/errors.ts";
import type { Refusal } from "../../contract/plan.ts";
import { withoutUndefined } from "../../contract/without-undefined.ts";

/** A plan throws as the call would: what forbids it, forbids the call. */
export function refusalFrom(thrown: unknown): Refusal | undefined {
  if (!HaftError.is(thrown) || thrown.category !== "policy") return undefined;
  const { code, message, fix } = thrown;
  return withoutUndefined({ code, reason: message, fix });
}

export function refusalError({ code, reason, fix }: Refusal): HaftError {
  return new HaftError(code, reason, withoutUndefined({ category: "policy", receipt: "none", fix }));
}
