import { HaftError, getErrorMessage, type ToolResult } from "@haft/core";
import type { EffectReceipt } from "@haft/core/internal";
import type { AnyNodeCommand, NodeCommandContext } from "../contract/command.ts";
import type { DeclaredCommand } from "../contract/declaration.ts";
import { type Answer, nodeFailure } from "../contract/invocation.ts";
import { nodesError } from "../errors.ts";

/** Milliseconds for a command after an abort. */
const GRACE_MS = 5_000;

export interface OfferedCommand {
  readonly command: AnyNodeCommand;
  readonly declared: DeclaredCommand;
  readonly digest: string;
  running: number;
}

interface Ended {
  readonly answer: Answer;
  readonly bytes: number;
}

/**
 * Runs a command until it ends, time is over or `controller` aborts. Never rejects.
 *
 * @param limitMs remaining milliseconds
 */
export function runNodeCommand(
  offered: OfferedCommand,
  params: Record<string, unknown>,
  context: Omit<NodeCommandContext, "signal" | "timeLeftMs">,
  controller: AbortController,
  limitMs: number,
): Promise<Ended> {
  const { command, declared } = offered;
  const reads = declared.effects.every((effect) => effect === "read");
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let grace: ReturnType<typeof setTimeout> | undefined;
  const settle = (end: Ended) => {
    clearTimeout(limit);
    clearTimeout(grace);
    resolve(end);
  };
  const stopped = (thrown?: unknown) => {
    const reason: unknown = controller.signal.reason;
    const error = HaftError.is(reason) ? reason : nodesError("ABORTED", `${declared.name} was aborted.`);
    // The command's error may state its receipt.
    const stated = HaftError.is(thrown) && thrown !== reason ? thrown.receipt : undefined;
    return ended(nodeFailure(withReceipt(error, reads ? "none" : (stated ?? error.receipt))));
  };
  const late = () =>
    nodesError("NODE_COMMAND_TIMEOUT", `${declared.name} did not end within ${Math.round(limitMs)} ms.`);
  const limit = setTimeout(() => controller.abort(late()), limitMs);
  controller.signal.addEventListener("abort", () => {
    grace = setTimeout(() => settle(stopped()), GRACE_MS);
  });
  const work = { ...context, signal: controller.signal, timeLeftMs: limitMs };
  void (async () => {
    try {
      settle(endedWith(await command.run(params, work), declared));
    } catch (thrown) {
      settle(
        controller.signal.aborted
          ? stopped(thrown)
          : ended(nodeFailure(commandFailed(declared.name, thrown, reads))),
      );
    }
  })();
  return promise;
}

/** Rejects invalid or oversized results. */
function endedWith(result: ToolResult, declared: DeclaredCommand): Ended {
  const problem = (why: string) =>
    ended(nodeFailure(nodesError("NODE_ANSWER_INVALID", `${declared.name} ran, but ${why}.`)));
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (thrown) {
    return problem(`its result is not JSON: ${getErrorMessage(thrown)}`);
  }
  const bytes = text === undefined ? 0 : Buffer.byteLength(text);
  if (bytes > declared.resultBytes)
    return problem(`its result has ${bytes} bytes; the declared limit is ${declared.resultBytes}`);
  if (!Array.isArray(result?.content)) return problem("it returned no result");
  return { answer: { ok: true, result }, bytes };
}

function ended(answer: Answer): Ended {
  return { answer, bytes: JSON.stringify(answer).length };
}

const AS_THEY_ARE: ReadonlySet<string> = new Set(["NODE_APPROVAL_NEEDED", "NODE_REFUSED"]);

function commandFailed(name: string, thrown: unknown, reads: boolean): HaftError {
  if (HaftError.is(thrown) && AS_THEY_ARE.has(thrown.code)) return thrown;
  const { code, category, fix, receipt } = HaftError.is(thrown) ? thrown : ({} as Partial<HaftError>);
  return nodesError("NODE_FAILED", `${name} failed: ${getErrorMessage(thrown).slice(0, 2_000)}`, {
    receipt: receipt ?? (reads ? "none" : "unknown"),
    ...(category !== undefined && { category }),
    ...(fix !== undefined && { fix: fix.slice(0, 500) }),
    ...(code !== undefined && { details: { code: code.slice(0, 64) } }),
  });
}

function withReceipt(
  { code, message, category, fix }: HaftError,
  receipt: EffectReceipt | undefined,
): HaftError {
  return new HaftError(code, message, {
    category,
    ...(receipt !== undefined && { receipt }),
    ...(fix !== undefined && { fix }),
  });
}
