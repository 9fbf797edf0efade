export { agentNamed, agents } from "./agents/agents.ts";
export type { GuardAgent, HookAnswer, ReadContext } from "./contract/agent.ts";
export type { GuardApprovals, GuardQuestion } from "./contract/approvals.ts";
export type { AgentId, GuardCall, GuardPayload } from "./contract/payload.ts";
export { MOST_CHARACTERS, type Verdict } from "./contract/verdict.ts";
export {
  type BrokenPolicy,
  decide,
  type DecideContext,
  type Decided,
  verdictOfFailure,
} from "./decide/decide.ts";
export {
  effectOf,
  guardTools,
  type JudgeContext,
  type JudgedCall,
  type Judgement,
  sessionFacts,
} from "./decide/judge.ts";
export { type OwnPlaces, wouldDo } from "./decide/own-places.ts";
