import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import { checkValue, redactSecrets, requireAnswer } from "@haft/core/internal";
import type { ApprovalGrant } from "@haft/core/kernel";

/** Ids become file names, so they are nothing else: short, lower case, no dots and no slashes. */
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

/**
 * A request as it is written: without the arguments, which may hold what nobody else should read. What a person has to
 * see of them is in the preview. With the secret that an answer has to repeat: only who could read this may answer.
 */
export function requestText(request: ApprovalRequestRecord, secret: string): string {
  const { args: _, preview, offers, noAlways, noProgramGrant, ...rest } = request;
  return JSON.stringify({
    secret,
    ...rest,
    reason: redactSecrets(rest.reason),
    noAlways: noAlways && redactSecrets(noAlways),
    noProgramGrant: noProgramGrant && redactSecrets(noProgramGrant),
    preview: preview.map((block) =>
      block.type === "text" ? { ...block, text: redactSecrets(block.text) } : block,
    ),
    offers: offers.map((offer) => ({ ...offer, summary: redactSecrets(offer.summary) })),
  });
}

/** A grant as it is written: its uses are counted behind it. */
export function grantText(grant: ApprovalGrant): string {
  const { used: _, lastUsedAt: _last, ...record } = grant;
  return JSON.stringify({ ...record, summary: redactSecrets(grant.summary) });
}

/** @throws Error saying what is wrong with it */
export function readRequest(text: string, id: string): ApprovalRequestRecord {
  const { secret: _, ...request } = readRecord(text, REQUEST) as ApprovalRequestRecord & Secret;
  if (request.approvalId !== id) throw new Error("its id is not its name");
  return { ...request, args: undefined };
}

/** @throws Error saying what is wrong with it */
export function readGrant(text: string, id: string): Omit<ApprovalGrant, "used" | "lastUsedAt"> {
  const grant = readRecord(text, GRANT) as Omit<ApprovalGrant, "used" | "lastUsedAt">;
  if (grant.id !== id) throw new Error("its id is not its name");
  return grant;
}

/** What an answer to a request has to repeat. @throws Error when it has none */
export function readSecret(text: string): string {
  return (readRecord(text, SECRET) as Secret).secret;
}

/** An answer as it is written. */
export function answerText(answer: ApprovalAnswer, secret: string): string {
  return JSON.stringify({ secret, ...answer });
}

/** @throws Error saying what is wrong with it, also when it is of somebody who has not read the request */
export function readAnswer(text: string, secret: string): ApprovalAnswer {
  const value = readRecord(text, SECRET) as Secret;
  if (value.secret !== secret) throw new Error("it does not repeat the secret of the request");
  return requireAnswer(value);
}

interface Secret {
  secret: string;
}

function readRecord(text: string, schema: object): unknown {
  const value = parsed(text);
  const [issue] = checkValue(schema, value, 1);
  if (issue === undefined) return value;
  // What stands there instead is not repeated: somebody may have written it to be read.
  if (issue.path.length === 0) throw new Error("it is no record");
  const name = issue.path.join(".");
  throw new Error(issue.kind === "missing" ? `it has no ${name}` : `its ${name} is no ${issue.expected}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is damaged");
  }
}

// The records of a folder of approvals, as they are written: JSON, one file each.

const TEXT = { type: "string" };
const TIME = { type: "number", description: "Milliseconds since the epoch." };
const GRANT_KIND = {
  enum: ["exact", "program"],
  description: "What is covered: this very call, or its program whatever the arguments.",
};
const SECRET_TEXT = {
  type: "string",
  description: "What an answer has to repeat: only who could read the request may answer it.",
};
const AGENT = { type: "string", description: "The agent that asks." };
const CONVERSATION = { type: "string", description: "The conversation it is for." };

/** `requests/ID.json`: a call that waits for a decision, without its arguments. */
const REQUEST = {
  type: "object",
  required:
    "secret approvalId toolCallId agentId sessionKey sessionKind tool reason preview offers requestedAt expiresAt".split(
      " ",
    ),
  properties: {
    secret: SECRET_TEXT,
    approvalId: { type: "string", description: "The name of its file." },
    toolCallId: { type: "string", description: "The call, as its session names it." },
    agentId: AGENT,
    sessionKey: CONVERSATION,
    sessionKind: { enum: ["main", "group", "sandboxed"] },
    tool: {
      type: "object",
      required: ["id", "name", "effects"],
      properties: { id: TEXT, name: TEXT, effects: { type: "array" } },
    },
    reason: { type: "string", description: "Why it is asked." },
    preview: {
      type: "array",
      description: "What a person should look at: everything that would happen, secrets covered.",
      items: {
        anyOf: [
          { type: "object", required: ["type", "text"], properties: { type: { const: "text" }, text: TEXT } },
          {
            type: "object",
            required: ["type", "data", "mimeType"],
            properties: { type: { const: "image" }, data: TEXT, mimeType: TEXT },
          },
        ],
      },
    },
    offers: {
      type: "array",
      description: "What allow-always could cover.",
      items: {
        type: "object",
        required: ["kind", "key", "summary"],
        properties: { kind: GRANT_KIND, key: TEXT, summary: TEXT },
      },
    },
    noAlways: { type: "string", description: "Why it cannot be allowed for good." },
    noProgramGrant: { type: "string", description: "Why its program cannot." },
    requestedAt: TIME,
    expiresAt: TIME,
  },
};

/** The first line of `grants/ID.json`: something that was allowed for good. Behind it stands a byte for each use. */
const GRANT = {
  type: "object",
  required: ["id", "agentId", "sessionKey", "kind", "toolId", "key", "summary", "createdAt"],
  properties: {
    id: { type: "string", description: "The name of its file." },
    agentId: AGENT,
    sessionKey: CONVERSATION,
    kind: GRANT_KIND,
    toolId: TEXT,
    key: { type: "string", description: "What a call has to come to, to be covered." },
    summary: { type: "string", description: "The same for people." },
    by: { type: "string", description: "Who allowed it." },
    createdAt: TIME,
    expiresAt: { ...TIME, description: "Milliseconds since the epoch; absent: until revoked." },
  },
};

/** What requests and answers have in common; an answer has a decision besides, `answers/ID.json`. */
const SECRET = { type: "object", required: ["secret"], properties: { secret: SECRET_TEXT } };
