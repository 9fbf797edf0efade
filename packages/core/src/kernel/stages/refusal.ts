import { HaftError } from "../../contract/errors.ts";
import type { Refusal } from "../../contract/plan.ts";

/** A plan throws as the call would: what forbids it, forbids the call. */
export function refusalFrom(thrown: unknown): Refusal | undefined {
  if (!HaftError.is(thrown) || thrown.category !== "policy") return undefined;
  const { code, message, fix } = thrown;
  return { code, reason: message, ...(fix === undefined ? {} : { fix }) };
}

/** The error the workspace would throw. */
export function refusalError({ code, reason, fix }: Refusal): HaftError {
  return new HaftError(code, reason, {
    category: "policy",
    receipt: "none",
    ...(fix === undefined ? {} : { fix }),
  });
}
