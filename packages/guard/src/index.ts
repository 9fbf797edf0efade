export { getAgent, agents } from "./agents/agents.ts";
export type { GuardAgent, HookAnswer, ReadContext } from "./contract/agent.ts";
export type { GuardApprovals, GuardQuestion } from "./contract/approvals.ts";
export type { AgentId, GuardCall, GuardPayload } from "./contract/payload.ts";
export { MAX_REASON_CHARACTERS, type Verdict } from "./contract/verdict.ts";
export {
  type BrokenPolicy,
  decide,
  type DecideContext,
  type GuardDecision,
  verdictFromError,
} from "./decide/decide.ts";
export {
  getEffect,
  guardTools,
  type JudgeContext,
  type JudgedCall,
  type Judgement,
  sessionFacts,
} from "./decide/judge.ts";
export { type ProtectedPaths, describeViolation } from "./decide/protected-paths.ts";
