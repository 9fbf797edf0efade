import { agentTrials } from "./agent-trials.ts";
import { aiSdkTrials } from "./ai-sdk-trials.ts";
import { frameworkTrials } from "./framework-trials.ts";
import type { Trial } from "./trial.ts";

/** All that the bridges are tried with, in the order of the table. */
export const trials: readonly Trial[] = [...aiSdkTrials, ...frameworkTrials, ...agentTrials];
