import type { HaftError } from "@haft/core";
import type { Network } from "@haft/core/kernel";
import { workspaceError } from "@haft/workspace/internal/wire";

export function noNetwork(message: string, details?: Record<string, unknown>, fix?: string): HaftError {
  return workspaceError("NO_NETWORK", message, {
    ...(details !== undefined && { details }),
    ...(fix !== undefined && { fix }),
  });
}

export function refusingNetwork(message: string, fix: string): Network {
  return {
    request: async () => {
      throw noNetwork(message, undefined, fix);
    },
  };
}
