import { HaftError, getErrorMessage } from "@haft/core";
import { mcpError } from "../../errors.ts";
import { findFailure } from "./watch-transport.ts";

interface Circumstances {
  name: string;
  /** `start` includes listing the tools. */
  when: "start" | "call";
  timeoutMs: number;
  /** The exit and output of the process, as sentences. */
  words: () => string;
  refused: () => readonly string[];
  asked?: readonly string[];
}

/** HTTP statuses of unread, rejected requests. */
const UNREAD: ReadonlySet<number> = new Set([403, 404, 405, 429]);
/** Characters of the server's message. */
const LONGEST = 4_000;

export function explainLinkFailure(thrown: unknown, about: Circumstances): HaftError {
  const { name, when, timeoutMs, words, refused, asked: requested = [] } = about;
  const known = findFailure(thrown);
  if (known !== undefined) return known;
  // Only network errors become errors of the call.
  if (HaftError.is(thrown) && !thrown.code.startsWith("FETCH_")) return thrown;
  const { code } = (thrown ?? {}) as { code?: unknown };
  // The SDK uses text codes, servers use numbers.
  const reason = typeof code === "string" ? code.toLowerCase() : "";
  const kind = thrown instanceof Error ? thrown.name : "";
  const notices = [
    ...refused(),
    ...(requested.length === 0 ? [] : [`It requested ${requested.join(", ")}, which Haft does not answer.`]),
  ];
  const more = notices.length === 0 ? "" : ` ${notices.join(" ")}`;
  const serverMessage = withoutIssues(getErrorMessage(thrown)).slice(0, LONGEST);
  const options = { cause: thrown };
  const status = (thrown as { status?: unknown } | null)?.status;
  if (kind === "UnauthorizedError" || status === 401 || reason === "client_http_authentication")
    return mcpError("MCP_AUTHORIZATION_NEEDED", `The server ${name} requires its operator to sign in.`, {
      ...options,
      fix: `Ask the operator to run \`haft mcp login ${name}\`.`,
    });
  if (when === "start") {
    const why =
      reason === "request_timeout"
        ? `did not answer within ${timeoutMs} ms`
        : reason === "connection_closed"
          ? "ended without an answer"
          : `sent an invalid answer: ${serverMessage.replace(/\.$/, "")}`;
    return mcpError("MCP_SERVER_UNAVAILABLE", `The server ${name} ${why}.${words()}${more}`, options);
  }
  if (typeof status === "number" && UNREAD.has(status))
    return mcpError(
      "MCP_SERVER_UNAVAILABLE",
      `The server ${name} refused the call with status ${status} and did not run it: ${serverMessage}${more}`,
      options,
    );
  if (reason === "request_timeout")
    return mcpError(
      "MCP_SERVER_TIMEOUT",
      `The server ${name} did not answer within ${timeoutMs} ms.${more}`,
      options,
    );
  if (reason === "connection_closed" || reason === "not_connected" || reason === "send_failed")
    return mcpError(
      "MCP_SERVER_LOST",
      `The server ${name} disappeared during the call.${words()}${more}`,
      options,
    );
  if (reason === "invalid_result" || reason === "unsupported_result_type")
    return mcpError("MCP_ANSWER_INVALID", `The server ${name}: ${serverMessage}${more}`, options);
  if (typeof code === "number")
    return mcpError(
      "MCP_TOOL_FAILED",
      `The server ${name} answers with error ${code}: ${serverMessage}${more}`,
      options,
    );
  return mcpError(
    "MCP_SERVER_LOST",
    `The call to the server ${name} broke off: ${serverMessage}${more}`,
    options,
  );
}

/** Shortens schema issues to the first. */
function withoutIssues(serverMessage: string): string {
  const at = serverMessage.indexOf("[\n");
  const issues = at < 0 ? undefined : attempt(() => JSON.parse(serverMessage.slice(at)) as unknown);
  const [first] = Array.isArray(issues) ? (issues as { path?: unknown; message?: unknown }[]) : [];
  if (first === undefined) return serverMessage;
  const more = (issues as unknown[]).length - 1;
  const begun = serverMessage.slice(0, at).replace(/(?:: *\w*Error)?[: ]*$/, "");
  const path = Array.isArray(first.path) && first.path.length > 0 ? ` at ${first.path.join(".")}` : "";
  return `${begun}: ${String(first.message)}${path}${more > 0 ? `, and ${more} more problems` : ""}.`;
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
