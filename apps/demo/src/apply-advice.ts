import type { HostOptions } from "haft";

type PolicyConfig = NonNullable<HostOptions["policy"]>;

/**
 * Does what a denial advises, word for word: `Add "write" to sessions.group.grant in the policy.`
 * Answers the policy as it then is, or nothing when the sentence says something else.
 */
export function applyAdvice(fix: string | undefined): PolicyConfig | undefined {
  const match = /^Add "([^"]+)" to ([a-z]+(?:\.[a-z]+)*) in /.exec(fix ?? "");
  if (!match) return undefined;
  const [, selector, path] = match;
  return path!
    .split(".")
    .reduceRight<unknown>((inner, key) => ({ [key]: inner }), [selector]) as PolicyConfig;
}
