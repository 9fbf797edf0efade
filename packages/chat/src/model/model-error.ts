import { HaftError, getErrorMessage } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import { escapeInvisible } from "@haft/utils";
import { APICallError, RetryError } from "ai";
import { chatError } from "../errors.ts";

const LONGEST = 400;
const TOO_LONG =
  /context[ _](?:length|window)|maximum context|prompt is too long|too many (?:input )?tokens|exceeds? the (?:maximum|limit|context)|input token count/i;
const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|CERT_HAS_EXPIRED|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
const CUT = /^(?:UND_ERR_SOCKET|ECONNRESET)$/;

const BY_STATUS: Readonly<Record<number, "MODEL_KEY" | "MODEL_SETTINGS" | "MODEL_BUSY">> = {
  401: "MODEL_KEY",
  403: "MODEL_KEY",
  404: "MODEL_SETTINGS",
  429: "MODEL_BUSY",
};

export function modelError(thrown: unknown): HaftError {
  const last = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  if (HaftError.is(last)) return last;
  const more = { cause: thrown };
  const tries =
    RetryError.isInstance(thrown) && thrown.errors.length > 1 ? `, ${thrown.errors.length} times` : "";
  const answer = shown(wordsOf(last));
  if (APICallError.isInstance(last) && last.statusCode !== undefined) {
    const { statusCode: status } = last;
    const host = hostOf(last.url);
    const message = `${host} answered ${status}${tries}: ${answer}`;
    if (isTooLong(status, answer)) return chatError("CONVERSATION_TOO_LONG", message, more);
    // The body is truncated or in another format.
    if (status < 400) return failed("cut", `${host} sent an unreadable answer${tries}: ${answer}`);
    if (status >= 500) return failed("error", message);
    const code = BY_STATUS[status];
    if (code !== undefined) return chatError(code, message, more);
    return chatError("MODEL_REFUSED", message, more);
  }
  const code = codesOf(last).find((each) => UNREACHABLE.test(each));
  if (code !== undefined || (APICallError.isInstance(last) && last.isRetryable)) {
    const where = APICallError.isInstance(last) ? hostOf(last.url) : "The model's endpoint";
    return chatError("MODEL_UNREACHABLE", `${where} cannot be reached${tries}: ${answer}`, more);
  }
  if (isCut(last)) return failed("cut", `The answer broke off: ${answer}`);
  return failed("error", `The model did not answer: ${answer}`);

  function failed(reason: "cut" | "error", message: string): HaftError {
    return chatError("MODEL_FAILED", message, { ...more, details: { reason } });
  }
}

function isTooLong(status: number, answer: string): boolean {
  return (status === 400 || status === 413 || status === 422) && (status === 413 || TOO_LONG.test(answer));
}

function isCut(thrown: unknown): boolean {
  const words = wordsOf(thrown);
  return (
    codesOf(thrown).some((code) => CUT.test(code)) ||
    /without a finish reason|terminated|premature|JSON parsing failed|Invalid JSON/i.test(words)
  );
}

function codesOf(thrown: unknown): string[] {
  const codes: string[] = [];
  for (let each = thrown, depth = 0; typeof each === "object" && each !== null && depth < 8; depth++) {
    const { code, cause, errors } = each as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === "string") codes.push(code);
    if (Array.isArray(errors)) for (const one of errors) codes.push(...codesOf(one));
    each = cause;
  }
  return codes;
}

/** Prefers the endpoint's message. */
function wordsOf(thrown: unknown): string {
  if (APICallError.isInstance(thrown) && thrown.responseBody !== undefined) {
    const words = messageIn(thrown.responseBody);
    if (words !== undefined) return words;
  }
  if (typeof thrown === "object" && thrown !== null && !(thrown instanceof Error))
    return messageIn(JSON.stringify(thrown)) ?? JSON.stringify(thrown);
  return getErrorMessage(thrown);
}

function messageIn(body: string): string | undefined {
  try {
    const value = JSON.parse(body) as { error?: { message?: unknown } | string; message?: unknown } | null;
    const { error, message } = (Array.isArray(value) ? value[0] : value) ?? {};
    const words = typeof error === "object" ? error?.message : (error ?? message);
    return typeof words === "string" && words !== "" ? words : undefined;
  } catch {
    return undefined;
  }
}

/** Masks secrets in one line: some endpoints repeat the key. */
function shown(words: string): string {
  const line = redactSecrets(words.slice(0, 4 * LONGEST))
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  return escapeInvisible(cut === "" ? "nothing" : cut);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "The model's endpoint";
}
