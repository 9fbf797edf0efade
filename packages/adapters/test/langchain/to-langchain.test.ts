import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { expect, test } from "vitest";
import { toLangChain } from "../../src/langchain/index.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const open = (setup = {}) => openSession([providerTools], setup);

/** Answers of a conversation, in short. */
const answers = (messages: readonly unknown[]) =>
  messages
    .filter((message): message is ToolMessage => ToolMessage.isInstance(message))
    .map(({ tool_call_id: id, content, status, name }) => ({ id, name, status, content }));

test("an agent of LangChain: schemas are told, calls run and are answered, failures and images, too", async () => {
  await using session = await open();
  const { tools, wrapToolCall } = toLangChain(session, { tool, ToolMessage });
  const model = fakeModel()
    .respondWithTools([
      { id: "a", name: "greet", args: { who: "Ada" } },
      { id: "b", name: "photo", args: {} },
      { id: "c", name: "greet", args: { nobody: 1 } },
      { id: "d", name: "foto", args: {} },
    ])
    .respond(new AIMessage("Done."));
  const agent = createAgent({ model, tools, middleware: [createMiddleware({ name: "haft", wrapToolCall })] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Go.")] });
  expect(answers(messages)).toEqual([
    { id: "a", name: "greet", status: "success", content: "Hello, Ada." },
    {
      id: "b",
      name: "photo",
      status: "success",
      content: [
        { type: "text", text: "Before:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
        { type: "text", text: "After." },
      ],
    },
    { id: "c", name: "greet", status: "error", content: expect.stringMatching(/^Error: Invalid arguments/) },
    { id: "d", name: "foto", status: "error", content: expect.stringMatching(/Did you mean photo\?/) },
  ]);
  expect(session.ledger()).toHaveLength(4);
});
