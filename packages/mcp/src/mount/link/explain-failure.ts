import { HaftError, getErrorMessage } from "@haft/core";
import { mcpError } from "../../errors.ts";
import { findFailure } from "./watch-transport.ts";

interface Circumstances {
  name: string;
  /** While it was started or asked for its tools, or while it had a call. */
  when: "start" | "call";
  timeoutMs: number;
  /** How its process ended and what it wrote, as sentences. */
  words: () => string;
  refused: () => readonly string[];
  asked?: readonly string[];
}

/** Statuses of HTTP by which a request is refused before anybody looks at what it asks for. */
const UNREAD: ReadonlySet<number> = new Set([403, 404, 405, 429]);
/** Characters of what a server says of itself. */
const LONGEST = 4_000;

export function explainLinkFailure(thrown: unknown, about: Circumstances): HaftError {
  const { name, when, timeoutMs, words, refused, asked = [] } = about;
  const own = findFailure(thrown);
  if (own !== undefined) return own;
  // What the place says is said; but that a connection broke off is said of the call.
  if (HaftError.is(thrown) && !thrown.code.startsWith("FETCH_")) return thrown;
  const { code } = (thrown ?? {}) as { code?: unknown };
  // The library has words for what went wrong, servers have numbers.
  const reason = typeof code === "string" ? code.toLowerCase() : "";
  const kind = thrown instanceof Error ? thrown.name : "";
  const told = [
    ...refused(),
    ...(asked.length === 0 ? [] : [`It asked for ${asked.join(", ")}, which Haft does not answer.`]),
  ];
  const more = told.length === 0 ? "" : ` ${told.join(" ")}`;
  const said = withoutIssues(getErrorMessage(thrown)).slice(0, LONGEST);
  const options = { cause: thrown };
  const status = (thrown as { status?: unknown } | null)?.status;
  if (kind === "UnauthorizedError" || status === 401 || reason === "client_http_authentication")
    return mcpError("MCP_AUTHORIZATION_NEEDED", `The server ${name} wants its operator to sign in.`, {
      ...options,
      fix: `Ask the operator to run \`haft mcp login ${name}\`.`,
    });
  if (when === "start") {
    const why =
      reason === "request_timeout"
        ? `did not answer within ${timeoutMs} ms`
        : reason === "connection_closed"
          ? "ended before it answered"
          : `does not answer as it should: ${said.replace(/\.$/, "")}`;
    return mcpError("MCP_SERVER_UNAVAILABLE", `The server ${name} ${why}.${words()}${more}`, options);
  }
  if (typeof status === "number" && UNREAD.has(status))
    return mcpError(
      "MCP_SERVER_UNAVAILABLE",
      `The server ${name} refused the call with the status ${status}, and did nothing: ${said}${more}`,
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
      `The server ${name} went away while it had the call.${words()}${more}`,
      options,
    );
  if (reason === "invalid_result" || reason === "unsupported_result_type")
    return mcpError("MCP_ANSWER_INVALID", `The server ${name}: ${said}${more}`, options);
  // An answer of the server: it refused the call in its own words.
  if (typeof code === "number")
    return mcpError(
      "MCP_TOOL_FAILED",
      `The server ${name} answers with error ${code}: ${said}${more}`,
      options,
    );
  return mcpError("MCP_SERVER_LOST", `The call to the server ${name} broke off: ${said}${more}`, options);
}

/** What does not fit a schema is told by the first of it: the whole is a page of JSON for each part of an answer. */
function withoutIssues(said: string): string {
  const at = said.indexOf("[\n");
  const issues = at < 0 ? undefined : attempt(() => JSON.parse(said.slice(at)) as unknown);
  const [first] = Array.isArray(issues) ? (issues as { path?: unknown; message?: unknown }[]) : [];
  if (first === undefined) return said;
  const more = (issues as unknown[]).length - 1;
  const begun = said.slice(0, at).replace(/(?:: *\w*Error)?[: ]*$/, "");
  const place = Array.isArray(first.path) && first.path.length > 0 ? ` at ${first.path.join(".")}` : "";
  return `${begun}: ${String(first.message)}${place}${more > 0 ? `, and ${more} more of the kind` : ""}.`;
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
