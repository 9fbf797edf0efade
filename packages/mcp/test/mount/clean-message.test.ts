import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { cleanMessage, cleanResponse } from "../../src/mount/link/clean-message.ts";

const ANSWER = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "né" }], _meta: null } };
const CLEAN = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "né" }] } };

function inChunks(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return ReadableStream.from(chunks) as ReadableStream<Uint8Array>;
}

test.each([1, 3, 7, 1000])("cleans a JSON response in chunks of %i bytes", async (size) => {
  const body = cleanResponse(inChunks(JSON.stringify(ANSWER), size), "application/json; charset=utf-8");
  expect(await new Response(body).json()).toEqual(CLEAN);
});

test.each([1, 3, 7, 1000])("cleans an event stream in chunks of %i bytes", async (size) => {
  const stream = `event: message\r\nid: 5\r\ndata: ${JSON.stringify(ANSWER)}\r\n\r\n: ping null\n\ndata:not json null\n\n`;
  const body = cleanResponse(inChunks(stream, size), "text/event-stream");
  expect(await new Response(body).text()).toBe(
    `event: message\r\nid: 5\r\ndata: ${JSON.stringify(CLEAN)}\r\n\r\n: ping null\n\ndata:not json null\n\n`,
  );
});

test("does not read other responses", () => {
  const body = inChunks("null", 1);
  expect(cleanResponse(body, "text/html")).toBe(body);
});

test.each(["structuredContent", "inputSchema", "outputSchema", "arguments", "data"])(
  "keeps null in %s",
  (key) => {
    const message = { jsonrpc: "2.0", id: 1, result: { [key]: { a: null } } };
    expect(cleanMessage(message)).toEqual(message);
  },
);

property.prop([fc.jsonValue()])("never throws, and changes nothing in a clean message", (value) => {
  const once = cleanMessage({ jsonrpc: "2.0", id: 1, result: value });
  expect(cleanMessage(once)).toEqual(once);
});
