export { agents, getAgent } from "./agents/agents.ts";
export type { GuardAgent, HookAnswer, ReadContext } from "./contract/agent.ts";
export type { GuardApprovals, GuardQuestion } from "./contract/approvals.ts";
export type { AgentId, GuardCall, GuardPayload } from "./contract/payload.ts";
export { MAX_REASON_CHARACTERS, type Verdict } from "./contract/verdict.ts";
export {
  type BrokenPolicy,
  type DecideContext,
  type GuardDecision,
  decide,
  verdictFromError,
} from "./decide/decide.ts";
export {
  type JudgeContext,
  type JudgedCall,
  type Judgement,
  getEffect,
  guardTools,
  sessionFacts,
} from "./decide/judge.ts";
export { type ProtectedPaths, describeViolation } from "./decide/protected-paths.ts";
