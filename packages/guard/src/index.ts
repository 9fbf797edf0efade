export { agents, getAgent } from "./agents/agents.ts";
export type { GuardAgent, HookAnswer } from "./contract/agent.ts";
export type { GuardCall, GuardPayload } from "./contract/payload.ts";
export type { Verdict } from "./contract/verdict.ts";
export { type DecideContext, type GuardDecision, decide } from "./decide/decide.ts";
export { type JudgeContext, getEffect, guardTools } from "./decide/judge.ts";
export { describeViolation } from "./decide/protected-paths.ts";
