import { agentTrials } from "./agent-trials.ts";
import { aiSdkTrials } from "./ai-sdk-trials.ts";
import { frameworkTrials } from "./framework-trials.ts";
import { langChainAgentTrial, providerTrials } from "./provider-trials.ts";
import type { Trial } from "./trial.ts";

/** All that the bridges are tried with, in the order of the table. */
export const trials: readonly Trial[] = [
  ...providerTrials,
  ...aiSdkTrials,
  ...frameworkTrials,
  langChainAgentTrial,
  ...agentTrials,
];
