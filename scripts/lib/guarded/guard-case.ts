/** The expected outcome of a case's calls. */
export type Expected =
  | "runs"
  /** The model receives the denying rule. */
  | "denied"
  /** The model receives an approval id; after an answer the call runs once, and then needs approval again. */
  | "asked"
  /** The model learns that the guard could not decide. */
  | "blocked";

/** A state of the guard for trials. */
export interface GuardCase {
  expected: Expected;
  /** Rules; without these, the guard is not installed. */
  policy?: string;
  /** Rules that replace them after the installation. */
  policyBreaks?: string;
  /** Replaces the guard's program; an empty text removes it. */
  program?: string;
}

const RULES =
  '["exec", "edit", "apply_patch", "read(path:marked.txt)", "read(path:dot.png)", "mcp(probe/*)"]\n';

/** Cases by their names in tables. */
export const GUARD_CASES = {
  none: { expected: "runs" },
  empty: { expected: "runs", policy: "{}\n" },
  allow: { expected: "runs", policy: 'deny: ["exec(rm *)"]\n' },
  deny: { expected: "denied", policy: `deny: ${RULES}` },
  ask: { expected: "asked", policy: `ask: ${RULES}` },
  missing: { expected: "blocked", policy: "{}\n", program: "" },
  crash: { expected: "blocked", policy: "{}\n", program: "process.exit(1);\n" },
  // It allows the call, but after the time limit.
  slow: { expected: "blocked", policy: "{}\n", program: "setTimeout(() => process.exit(0), 4000);\n" },
  never: {
    expected: "blocked",
    policy: "{}\n",
    program: 'process.on("SIGTERM", () => {});\nsetInterval(() => {}, 1000);\n',
  },
  "broken policy": { expected: "blocked", policy: "{}\n", policyBreaks: "deny: 7\n" },
} as const satisfies Readonly<Record<string, GuardCase>>;
export type CaseName = keyof typeof GUARD_CASES;
