import { launchFailures } from "../launch/failures.ts";

export const ID = "sandbox-runtime";
export const PACKAGE = "@anthropic-ai/sandbox-runtime";
export const failures = launchFailures(ID);
export const { aborted, startFailed, unavailable, unsupported } = failures;
