import type { AnyTool, ToolResult } from "@haft/core";
import { defineTool, image, text, Type } from "@haft/plugin-sdk";
import { setTimeout as sleep } from "node:timers/promises";
import { MCP_CONTENT, servedClient } from "../../src/index.ts";
import type { ClientQuestion } from "../../src/serve/calls/served-client.ts";

// The tools that the scenarios of the official suite call, by the names they call them by.

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const SOUND = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", "base64");

type Answers = Readonly<Record<string, { action?: string; content?: Record<string, unknown> } | undefined>>;

function tool(
  name: string,
  run: (params: Record<string, unknown>, onUpdate: Update) => Done | Promise<Done>,
): AnyTool {
  return defineTool({
    name,
    description: `Is called by the scenarios of the suite as ${name}.`,
    parameters: Type.Object({}, { additionalProperties: true }),
    effects: [],
    progress: { isPoll: true },
    execute: async (_id, params, _signal, onUpdate) => result(await run(params, onUpdate)),
  });
}

type Update = ((partial: ToolResult) => void) | undefined;
type Done = string | ToolResult;

function result(done: Done): ToolResult {
  return typeof done === "string" ? { content: [text(done)], details: {} } : done;
}

/** What Haft has no word for stands beside what its sessions show. */
const beside = (shown: string, ...blocks: unknown[]): ToolResult => ({
  content: [text(shown)],
  details: { [MCP_CONTENT]: blocks },
});

const form = (message: string, properties: Record<string, unknown>): ClientQuestion => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties, required: Object.keys(properties) },
  },
});

async function ask(questions: Readonly<Record<string, ClientQuestion>>): Promise<Answers> {
  return (await servedClient()!.ask(questions)) as Answers;
}

/** Asks until it is answered with a text, as a form that is not filled in is shown again. */
async function askText(name: string, message: string, key: string): Promise<string> {
  for (;;) {
    const { [name]: answer } = await ask({ [name]: form(message, { [key]: { type: "string" } }) });
    if (answer?.action === "decline" || answer?.action === "cancel") return "nothing";
    const value = answer?.content?.[key];
    if (typeof value === "string") return value;
  }
}

const resource = (uri: string, mimeType: string, words: string) => ({
  type: "resource",
  resource: { uri, mimeType, text: words },
});

const sampling: ClientQuestion = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Say yes." } }], maxTokens: 10 },
};

export const fixtureTools: readonly AnyTool[] = [
  tool("test_simple_text", () => "This is a simple text response for testing."),
  tool("test_image_content", () => ({ content: [image(PIXEL, "image/png")], details: {} })),
  tool("test_audio_content", () =>
    beside("A sound.", { type: "audio", data: SOUND.toString("base64"), mimeType: "audio/wav" }),
  ),
  tool("test_embedded_resource", () =>
    beside(
      "A resource.",
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ),
  ),
  tool("test_multiple_content_types", () => ({
    content: [text("Multiple content types test:"), image(PIXEL, "image/png")],
    details: {
      [MCP_CONTENT]: [
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    },
  })),
  tool("test_tool_with_logging", async () => {
    for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      servedClient()?.log("info", words);
      await sleep(50);
    }
    return "logged";
  }),
  tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  }),
  tool("test_tool_with_progress", async (_params, onUpdate) => {
    for (const done of [0, 50, 100]) {
      onUpdate?.(result(`${done} of 100`));
      await sleep(50);
    }
    return "done";
  }),
  tool("test_elicitation", async ({ message }) => {
    const { user } = await ask({
      user: form(typeof message === "string" ? message : "Who are you?", {
        username: { type: "string" },
        email: { type: "string" },
      }),
    });
    return `User response: ${JSON.stringify(user)}`;
  }),
  tool("test_elicitation_sep1034_defaults", async () => {
    const { defaults } = await ask({
      defaults: form("Please review", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
    });
    return `Elicitation completed: action=${defaults?.action}, content=${JSON.stringify(defaults?.content)}`;
  }),
  tool("test_elicitation_sep1330_enums", async () => {
    const titled = ["value1", "value2", "value3"].map((one, at) => ({
      const: one,
      title: `Option ${at + 1}`,
    }));
    const { enums } = await ask({
      enums: form("Please choose", {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: titled },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: titled } },
      }),
    });
    return `Elicitation completed: action=${enums?.action}, content=${JSON.stringify(enums?.content)}`;
  }),
  tool(
    "test_input_required_result_elicitation",
    async () => `Hello, ${await askText("user_name", "What is your name?", "name")}!`,
  ),
  tool("test_input_required_result_request_state", async () => {
    const { confirm } = await ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }) });
    return `state-ok: ${JSON.stringify(confirm?.content)}`;
  }),
  tool("test_input_required_result_tampered_state", async () => {
    const { confirm } = await ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }) });
    return JSON.stringify(confirm?.content);
  }),
  tool("test_input_required_result_multi_round", async () => {
    const name = await askText("step1", "Step 1: What is your name?", "name");
    const color = await askText("step2", "Step 2: What is your favorite color?", "color");
    return `${name} likes ${color}.`;
  }),
  tool("test_input_required_result_multiple_inputs", async () => {
    const answers = await ask({
      user_name: form("What is your name?", { name: { type: "string" } }),
      greeting: sampling,
      client_roots: { method: "roots/list" },
    });
    return JSON.stringify(answers);
  }),
  tool("test_input_required_result_sampling", async () =>
    JSON.stringify(await ask({ capital_question: sampling })),
  ),
  tool("test_input_required_result_list_roots", async () =>
    JSON.stringify(await ask({ client_roots: { method: "roots/list" } })),
  ),
  tool("test_input_required_result_capabilities", async () => {
    const { capabilities } = servedClient()!;
    return JSON.stringify(
      await ask({
        ...(capabilities["elicitation"] === undefined
          ? {}
          : { name: form("Name?", { name: { type: "string" } }) }),
        ...(capabilities["sampling"] === undefined ? {} : { sample: sampling }),
      }),
    );
  }),
  tool("test_sampling", async () => JSON.stringify(await ask({ sample: sampling }))),
  tool("test_missing_capability", async () => JSON.stringify(await ask({ sample: sampling }))),
  tool("test_streaming_elicitation", async () =>
    JSON.stringify(await ask({ name: form("Name?", { name: { type: "string" } }) })),
  ),
  {
    ...tool("json_schema_2020_12_tool", () => "ok"),
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
  },
];
