/** What has to come of the calls of a case. */
export type Expected =
  | "runs"
  /** Its model is told the rule that denies it. */
  | "denied"
  /** It is told an approval id; once a person has answered, the call runs, and the next time it is asked about again. */
  | "asked"
  /** It is told that the guard could not decide. */
  | "blocked";

/** One state of the guard in which a client is tried. */
export interface GuardCase {
  expected: Expected;
  /** The rules; without them the guard is not installed. */
  policy?: string;
  /** What the rules become after it was installed. */
  policyBreaks?: string;
  /** What stands where the guard's own program was; with an empty text there is nothing. */
  program?: string;
}

const RULES =
  '["exec", "edit", "apply_patch", "read(path:marked.txt)", "read(path:dot.png)", "mcp(probe/*)"]\n';

/** The cases, by what tables call them. */
export const GUARD_CASES = {
  none: { expected: "runs" },
  empty: { expected: "runs", policy: "{}\n" },
  allow: { expected: "runs", policy: 'deny: ["exec(rm *)"]\n' },
  deny: { expected: "denied", policy: `deny: ${RULES}` },
  ask: { expected: "asked", policy: `ask: ${RULES}` },
  missing: { expected: "blocked", policy: "{}\n", program: "" },
  crash: { expected: "blocked", policy: "{}\n", program: "process.exit(1);\n" },
  // It would let the call pass, after the time that it has.
  slow: { expected: "blocked", policy: "{}\n", program: "setTimeout(() => process.exit(0), 4000);\n" },
  never: {
    expected: "blocked",
    policy: "{}\n",
    program: 'process.on("SIGTERM", () => {});\nsetInterval(() => {}, 1000);\n',
  },
  "broken policy": { expected: "blocked", policy: "{}\n", policyBreaks: "deny: 7\n" },
} as const satisfies Readonly<Record<string, GuardCase>>;
export type CaseName = keyof typeof GUARD_CASES;
