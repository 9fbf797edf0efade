import { HaftError, getErrorMessage } from "@haft/core";
import type { ErrorCategory } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import type { ApiError, ErrorResponse } from "../wire/api.ts";

interface Refusal {
  status: 400 | 401 | 403 | 404 | 409 | 500 | 503;
  body: ErrorResponse;
}

const STATUS: Readonly<Record<string, Refusal["status"]>> = {
  INSPECT_TOKEN: 401,
  APPROVAL_DECIDED: 409,
  POLICY_FILE_CHANGED: 409,
  REWIND_BUSY: 409,
};

const BY_CATEGORY: Readonly<Record<ErrorCategory, Refusal["status"]>> = {
  input: 400,
  policy: 403,
  operational: 503,
  internal: 500,
};

export function toErrorResponse(thrown: unknown): Refusal {
  if (!HaftError.is(thrown)) {
    const error: ApiError = {
      code: "INTERNAL",
      category: "internal",
      message: `The inspector failed: ${getErrorMessage(thrown)}.`,
      fix: "Report this error with the request.",
    };
    return { status: 500, body: { error } };
  }
  const { code, category, message, fix, details } = thrown;
  const status = STATUS[code] ?? (/_(?:NOT_FOUND|UNKNOWN)$/.test(code) ? 404 : BY_CATEGORY[category]);
  return { status, body: { error: withoutUndefined<ApiError>({ code, category, message, fix, details }) } };
}
