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
export const REQUEST = {
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
export const GRANT = {
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
export const SECRET = { type: "object", required: ["secret"], properties: { secret: SECRET_TEXT } };
