import type { ignoreRules as IgnoreRulesOf } from "./ignore-rules.ts";

/** As in ignore-rules.ts, which is loaded with the first question. */
export const ignoreRules: typeof IgnoreRulesOf = async (...given) =>
  (await import("./ignore-rules.ts")).ignoreRules(...given);
