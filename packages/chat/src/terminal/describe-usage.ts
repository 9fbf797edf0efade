import type { AgentUsage } from "../agent/agent-options.ts";

export function describeUsage(
  { inputTokens, outputTokens, cachedTokens }: AgentUsage,
  steps: number,
): string {
  const answers = `${steps} ${steps === 1 ? "answer" : "answers"} of the model`;
  if (inputTokens + outputTokens === 0) return `${answers}; the endpoint reported no tokens.`;
  const again = cachedTokens > 0 ? ` (${counted(cachedTokens)} of them from its cache)` : "";
  return `${answers}: ${counted(inputTokens)} tokens read${again}, ${counted(outputTokens)} written.`;
}

function counted(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
