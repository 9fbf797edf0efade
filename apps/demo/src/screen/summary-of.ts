import { summarizeCall } from "@haft/core";

/** A call in one line, also when its arguments are still the text the model wrote. */
export function summaryOf(toolName: string, args: unknown): string {
  let known = args;
  try {
    if (typeof args === "string") known = JSON.parse(args);
  } catch {
    // What is no JSON has nothing to show.
  }
  return summarizeCall(toolName, known, { format: "plain" });
}
