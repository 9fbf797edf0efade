// The lines of `haft run` that ask for something else than a call, as the help and the guide show them.

const CALL_ID = { type: "string", description: "the id of a call" };

/** What a control line of one kind has. */
export interface ControlSchema {
  type: "object";
  description: string;
  required?: readonly string[];
  properties?: Readonly<Record<string, { type: string; description: string }>>;
  /** Whole lines, for messages. */
  examples?: readonly string[];
}

/** By the word behind `control`. Further members are left alone: a later version may know them. */
export const CONTROLS = {
  abort: {
    type: "object",
    description: "Stops a running call, or one that has not begun.",
    required: ["id"],
    properties: { id: CALL_ID },
    examples: ['{"control":"abort","id":"…"}'],
  },
  approve: {
    type: "object",
    description: "Decides about a call that waits; beside decision perhaps grant, forMs and by.",
    required: ["approvalId"],
    properties: { approvalId: { type: "string", description: "approvalId, as the pending answer gave it" } },
    examples: ['{"control":"approve","approvalId":"…","decision":"allow-once"}'],
  },
  message: {
    type: "object",
    description: "What somebody wrote in a chat: /approve in it is understood.",
    required: ["text"],
    properties: { text: { type: "string", description: "a text" } },
    examples: ['{"control":"message","text":"/approve …"}'],
  },
  ledger: { type: "object", description: "Every call so far." },
  tools: { type: "object", description: "What is visible, and what is not and why." },
  explain: {
    type: "object",
    description: "Which rule decides about a call: its name and arguments, or a call.",
  },
} satisfies Record<string, ControlSchema>;

/** A call, or the `function` of one in an OpenAI message. */
export const CALL = {
  type: "object",
  description: "A call of a tool.",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1, description: "The name of the tool." },
    arguments: { description: "An object, or its JSON text." },
  },
};

/** Of a call, not of its `function`: numbers stand for their digits, null for none. */
export const CALL_IDENTITY = {
  type: "object",
  properties: {
    id: {
      anyOf: [
        { type: "string" },
        { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        { type: "null" },
      ],
      description: "Names the answer.",
    },
  },
};

/** A message of an assistant. */
export const MESSAGE = {
  type: "object",
  required: ["tool_calls"],
  properties: { tool_calls: { type: "array", description: "Calls, one after the other." } },
};
