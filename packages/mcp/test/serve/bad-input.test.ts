import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { serveStdio } from "../../src/index.ts";
import { createTestMachine } from "../support/machine.ts";

/** A client that writes what no client would. */
async function raw(there: Awaited<ReturnType<typeof createTestMachine>>) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const problems: string[] = [];
  const served = await serveStdio(there.source, {
    input,
    output,
    onProblem: (words) => problems.push(words),
  });
  onTestFinished(() => served.close());
  const answers: { id?: unknown; error?: { code: number }; result?: Record<string, unknown> }[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    answers.push(...lines.map((line) => JSON.parse(line) as (typeof answers)[number]));
  });
  const line = (words: string) => void input.write(`${words}\n`);
  const say = (message: object) => line(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const call = (id: unknown, name: string, args: unknown = {}) =>
    say({ id, method: "tools/call", params: { name, arguments: args } });
  const clientInfo = { name: "raw", version: "1" };
  say({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  say({ method: "notifications/initialized" });
  await until("it was greeted", () => answers.length === 1);
  const answered = (id: unknown) => answers.filter((answer) => answer.id === id);
  return { served, answers, answered, problems, line, say, call, input };
}

test("answers or ignores invalid messages and serves the next message", async () => {
  const there = await createTestMachine();
  const { line, say, call, answered } = await raw(there);
  for (const words of [
    "garbage",
    "{",
    "[1,2]",
    "17",
    "null",
    '{"jsonrpc":"1.0","id":5,"method":"ping"}',
    '{"id":6}',
    "",
  ])
    line(words);
  say({ id: 7, method: "no/such" });
  say({ id: 8, method: "tools/call", params: { name: 12 } });
  say({ id: 9, method: "tools/call" });
  call(10, "look", "not an object");
  call(11, "look");
  await until("the last one is answered", () => answered(11).length === 1);
  expect([7, 8, 9, 10].map((id) => answered(id)[0]?.error?.code)).toEqual([
    -32_601, -32_602, -32_602, -32_602,
  ]);
  expect(answered(11)[0]?.result).toMatchObject({ content: [{ text: "nothing to see" }] });
  // Each of those, but for the empty line.
  expect(answered(null).map(({ error }) => error?.code)).toEqual(Array(7).fill(-32_700));
  expect(there.sessions[0]!.ledger()).toHaveLength(1);
});

test("answers a message above 10 MiB with an error under its id, and running calls continue", async () => {
  const there = await createTestMachine();
  const { line, call, answered, problems, say } = await raw(there);
  call(1, "hold");
  await there.holdStarted;
  const long = "x".repeat(11 * 1024 * 1024);
  line(
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","arguments":{"of":"${long}"}}}`,
  );
  line(`{"method":"tools/call","params":{"of":"${long}","id":7},"jsonrpc":"2.0","id":"three"}`);
  // No request of the client has this id: it is an answer to one of ours.
  line(`{"jsonrpc":"2.0","id":1,"result":{"of":"${long}"}}`);
  line(long);
  // As long as one may be, and its end comes with the next.
  const beginning = '{"jsonrpc":"2.0","id":4,"method":"no/such","params":{"of":"';
  const end = '"}}';
  const rest = 10 * 1024 * 1024 - 1 - beginning.length - end.length;
  line(`${beginning}${"x".repeat(rest)}${end}`);
  line(`${beginning.replace("4", "5")}${"x".repeat(rest + 1)}${end}`);
  call(6, "look");
  await until("the last one is answered", () => answered(6).length === 1);
  expect([2, "three", 4, 5].map((id) => answered(id)[0]?.error?.code)).toEqual([
    -32_600, -32_600, -32_601, -32_600,
  ]);
  expect(answered(null).map(({ error }) => error?.code)).toEqual([-32_600, -32_600]);
  expect(answered(1)).toEqual([]);
  expect(problems).toHaveLength(5);
  expect(there.actions).toEqual([]);
  say({ method: "notifications/cancelled", params: { requestId: 1 } });
  await until("it is stopped", () => there.actions.length === 1);
});

test("finds the id of an oversized message only if it is valid JSON, even in split input", async () => {
  const there = await createTestMachine();
  const { line, call, answered, answers, input } = await raw(there);
  const rest = `"method":"tools/call","params":{"of":"${"x".repeat(11 * 1024 * 1024)}"}}`;
  for (const id of ["007", String.raw`"\q"`, '"a\tb"', '"__proto__"'])
    line(`{"jsonrpc":"2.0","id":${id},${rest}`);
  input.write('{"json');
  line(`rpc":"2.0","id":8,${rest}`);
  call(9, "look");
  await until("the last one is answered", () => answered(9).length === 1);
  expect(answers.slice(1, -1).map(({ id, error }) => [id, error?.code])).toEqual(
    [null, null, null, "__proto__", 8].map((id) => [id, -32_600]),
  );
});

test("rejects the calls of a flood above the limit without running them", async () => {
  const there = await createTestMachine();
  const { call, answers, say } = await raw(there);
  const many = 400;
  for (let id = 1; id <= many; id++) call(id, "hold");
  const refused = () => answers.filter(({ result }) => JSON.stringify(result ?? {}).includes("MCP_BUSY"));
  await until("the rest is refused", () => refused().length === many - 256);
  expect(there.sessions[0]!.ledger()).toHaveLength(256);
  for (let id = 1; id <= many; id++) say({ method: "notifications/cancelled", params: { requestId: id } });
  await until("all are stopped", () => there.actions.length === 256);
  call("after", "look");
  await until("it goes on", () => answers.some(({ id }) => id === "after"));
});

test("ends all calls of a client that reads no results and leaves", async () => {
  const there = await createTestMachine();
  const { call, served, input } = await raw(there);
  for (let id = 1; id <= 20; id++) call(id, "hold");
  await there.holdStarted;
  input.end();
  await served.ended;
  await served.close();
  await until("all are stopped", () => there.actions.length === 20);
  expect(there.sessions[0]!.ledger().every(({ status }) => status === "failed")).toBe(true);
});

test("rejects a duplicate request id and answers the first request", async () => {
  const there = await createTestMachine();
  const { say, call, answered, answers } = await raw(there);
  call(5, "hold");
  await there.holdStarted;
  call(5, "take_note", { what: "twice" });
  call("5", "take_note", { what: "another id" });
  await until("the second is refused", () => answered(null).length === 1);
  expect(answered(null)[0]!.error).toMatchObject({
    code: -32_600,
    message: expect.stringMatching(/^The id 5 is in use/),
  });
  await until("another id is answered", () => answered("5").length === 1);
  expect(there.actions).toEqual(["another id"]);
  expect(answered(5)).toEqual([]);
  // What is cancelled is never answered, and its id is free.
  say({ method: "notifications/cancelled", params: { requestId: 5 } });
  call(5, "look");
  await until("the id is used again", () => answered(5).length === 1);
  call(5, "look");
  await until("and again, once it was answered", () => answered(5).length === 2);
  expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(1);
});

test("ends at streams that are already closed, and ignores later stream errors", async () => {
  const { source } = await createTestMachine();
  for (const which of ["input", "output"] as const) {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    streams[which].destroy();
    await until("it is closed", () => streams[which].closed);
    const served = await serveStdio(source, streams);
    await expect(served.ended).resolves.toBeUndefined();
    await served.close();
  }
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const served = await serveStdio(source, streams);
  await served.close();
  await expect(served.ended).resolves.toBeUndefined();
  for (const stream of [streams.input, streams.output]) stream.destroy(new Error("it broke"));
  await until("both are closed", () => streams.input.closed && streams.output.closed);
});
