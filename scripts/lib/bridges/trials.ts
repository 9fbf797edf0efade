import { agentTrials } from "./agent-trials.ts";
import { aiSdkTrials } from "./ai-sdk-trials.ts";
import { frameworkTrials } from "./framework-trials.ts";
import { langChainAgentTrial, providerTrials } from "./provider-trials.ts";
import type { Trial } from "./trial.ts";

/** All trials in table order. */
export const trials: readonly Trial[] = [
  ...providerTrials,
  ...aiSdkTrials,
  ...frameworkTrials,
  langChainAgentTrial,
  ...agentTrials,
];
