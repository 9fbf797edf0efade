import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { until } from "../../../../test/support/until.ts";
import type { TextPage } from "../../src/wire/api.ts";
import { createClientAt, openInspectedHost } from "../support/inspector-client.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;
const OPEN = { administratorPolicy: false, policy: { exec: {} } } as const;

/** The same page for who only looks. */
function looking({ served }: Awaited<ReturnType<typeof openInspectedHost>>["page"]) {
  return createClientAt({ ...served, url: served.lookUrl, lookUrl: served.lookUrl, port: served.port });
}

/** All of it by pages, each of which goes on where the one before ended. */
async function read(get: (path: string) => Promise<TextPage>, path: string, max: number): Promise<string> {
  let [text, next] = ["", 0];
  for (;;) {
    const page = await get(`${path}?from=${next}&max=${max}`);
    expect(page.from).toBe(next);
    text += page.text;
    if (page.next === next || page.next >= page.total) return text;
    next = page.next;
  }
}

test("a read-only token sees no secret in pieces, during and after output; a deciding token sees all", async () => {
  const { host, page, folder } = await openInspectedHost(OPEN);
  const look = looking(page);
  const session = await host.openSession({ kind: "main" });
  const [own, others] = [await page.events(), await look.events()];
  await others.until(({ type }) => type === "hello");
  const [half, rest] = [TOKEN.slice(0, 12), TOKEN.slice(12)];
  const key = [
    "-----BEGIN PRIVATE KEY-----",
    ...Array.from({ length: 20 }, (_, at) => `MIIB${`${at}aQ9`.repeat(15)}`),
  ];
  writeFileSync(join(folder, "key"), `${key.join("\n")}\n`);
  const command = `echo grüße; printf 'token: ${half.slice(0, 3)}'; printf '%s' '${half.slice(3)}'; touch half
    while [ ! -e go ]; do sleep 0.05; done; printf '%s\\n' '${rest}'; cat key; echo the end`;
  await session.call({ id: "s", name: "exec", arguments: { command, background: true } });
  // A session has another name before its first call is recorded.
  const path = () => `/api/runs/${session.opening}/calls/s/output`;
  await until("the first half is printed", async () =>
    ((await page.ask(path())).body?.text ?? "").endsWith(half),
  );
  const first: TextPage = await look.get(path());
  expect([first.text, first.next < first.total]).toEqual(["grüße\n", true]);
  // The half line is waited for, and not asked for again and again.
  const waiting = look.get(`${path()}?from=${first.next}&wait=20000`);
  writeFileSync(join(folder, "go"), "");
  expect((await waiting).text).toMatch(/^token: \[secret\]\n/);
  await until("it has ended", async () => (await look.get(path())).open === false);
  for (const max of [1, 70, 100_000]) {
    const shown = await read((at) => look.get(at), path(), max);
    expect(shown).toMatch(
      /^grüße\ntoken: \[secret\]\n-----BEGIN PRIVATE KEY-----\n(?:\[secret\]\n){20}the end\n$/,
    );
  }
  expect(await read((at) => page.get(at), path(), 100_000)).toContain(TOKEN);
  // What is told as it is printed is told to who decides alone.
  const whole = `printf '%s\\n' ${half}${rest}; while [ ! -e told ]; do sleep 0.05; done`;
  const telling = session.call({ id: "e", name: "exec", arguments: { command: whole } });
  await own.until((event) => event.type === "output" && event.text.includes(TOKEN));
  const bare = await others.until((event) => event.type === "output");
  expect(bare).toMatchObject({ toolCallId: "e", text: "", from: TOKEN.length + 1, total: TOKEN.length + 1 });
  writeFileSync(join(folder, "told"), "");
  await telling;
  expect(JSON.stringify(others.events)).not.toContain(half);
});

test("no page cut shows a part of a secret, in a long line or next to bytes that are not text", async () => {
  const { host, page, folder } = await openInspectedHost(OPEN);
  const look = looking(page);
  const session = await host.openSession({ kind: "main" });
  onTestFinished(() => session.close());
  const far = "x".repeat(40_000);
  const before = `first \u{FFFD}\n${TOKEN}\n"${far}" "`;
  const all = Buffer.from(`${before}${TOKEN}" "${far}"\nlast grüße\n`).toString("latin1");
  // One byte that is no UTF-8, in the place of three.
  writeFileSync(join(folder, "out"), all.replace("\xef\xbf\xbd", "\xff"), "latin1");
  await session.call({ id: "b", name: "exec", arguments: { command: "cat out; cat", background: true } });
  const [{ id, runId }] = (await page.get("/api/processes")).items;
  const [ofCall, ofProcess] = [
    `/api/runs/${runId}/calls/b/output`,
    `/api/runs/${runId}/processes/${id}/output`,
  ];
  await until("it is printed", async () => (await page.get(`${ofProcess}?max=1`)).total === all.length - 2);
  const at = Buffer.byteLength(before) - 2;
  for (let cut = 2; cut < TOKEN.length; cut += 4) {
    // At the end of what is looked at for a page, and at its beginning.
    for (const from of [at + cut - 16_385, at + cut, at + cut + 8_192, at + cut + 16_384]) {
      const { text } = await look.get(`${ofCall}?from=${from}&max=1`);
      const { chunks } = await look.get(`${ofProcess}?from=${from}&max=1`);
      const bytes = chunks.map(({ base64 }: { base64: string }) => Buffer.from(base64, "base64").toString());
      expect(text + bytes.join("")).not.toMatch(/ghp|a1B2/);
    }
  }
  for (const max of [1, 5_000, 200_000])
    expect(await read((path) => look.get(path), ofCall, max)).toMatch(
      /^first \?\n\[secret\]\n(?:\[secret\])+\nlast grüße\n$/,
    );
});

test("a read-only token sees no secret of a running command or of a file of rules", async () => {
  const file = join(await temporaryFolder(), "policy.yaml");
  writeFileSync(file, `# ${TOKEN}\nexec: {}\n`);
  const { host, page } = await openInspectedHost({ ...OPEN, policy: file });
  const look = looking(page);
  const session = await host.openSession({ kind: "main" });
  onTestFinished(() => session.close());
  const command = `echo ${TOKEN.slice(0, 9)}${TOKEN.slice(9)}; cat`;
  await session.call({ name: "exec", arguments: { command, background: true } });
  const text = async ({ get }: Pick<typeof look, "get">) => {
    const [{ id, runId }] = (await get("/api/processes")).items;
    const { chunks } = await get(`/api/runs/${runId}/processes/${id}/output`);
    return chunks.map(({ base64 }: { base64: string }) => Buffer.from(base64, "base64").toString()).join("");
  };
  await until("it is printed", async () => (await text(page)) === `${TOKEN}\n`);
  expect(await text(look)).toBe("[secret]\n");
  const [{ id }] = (await page.get("/api/policy")).files;
  expect(await look.get(`/api/policy/file?id=${id}`)).toMatchObject({
    text: "# [secret]\nexec: {}\n",
    covered: true,
  });
  expect(await page.get(`/api/policy/file?id=${id}`)).toMatchObject({ text: `# ${TOKEN}\nexec: {}\n` });
  expect(JSON.stringify(await look.get("/api/policy"))).not.toContain(TOKEN);
});

test("a read-only token gets no progress, which may contain half a secret, and no secret in a warning", async () => {
  const go = Promise.withResolvers<void>();
  const say = defineTool({
    name: "say",
    description: "Says what it does.",
    parameters: Type.Object({ token: Type.String() }),
    effects: ["read"],
    async execute(_id, { token }, _signal, onUpdate) {
      onUpdate?.({ content: [text(`signing in with ${token.slice(0, 20)}`)], details: {} });
      onUpdate?.({ content: [text(`signed in with ${token}\n${"x".repeat(50_000)} the end`)], details: {} });
      await go.promise;
      return { content: [text("done")], details: {} };
    },
  });
  const saying = definePlugin({ id: "saying", tools: [say] });
  const { host, page } = await openInspectedHost({ ...OPEN, plugins: [saying] });
  const session = await host.openSession({ kind: "main" });
  const [own, others] = [await page.events(), await looking(page).events()];
  await Promise.all([own, others].map((each) => each.until(({ type }) => type === "hello")));
  const call = session.call({ id: "s", name: "say", arguments: { token: TOKEN } });
  const said = async (stream: typeof own) => {
    await stream.until(() => stream.events.filter(({ type }) => type === "progress").length === 2);
    return stream.events.flatMap((event) => (event.type === "progress" ? [event.text] : []));
  };
  const [first, second] = await said(own);
  expect(first).toBe(`signing in with ${TOKEN.slice(0, 20)}`);
  expect(second).toMatch(/^x+ the end$/);
  expect(second).toHaveLength(4_096);
  expect(await said(others)).toEqual(["", ""]);
  go.resolve();
  await call;
  // It has another name before.
  await until("its run is recorded", async () => session.run !== undefined);
  // Repeated without end, it is warned of, with what it was given.
  for (let at = 0; at < 30; at++) await session.call({ name: "say", arguments: { token: TOKEN } });
  for (const [stream, from] of [
    [own, page],
    [others, looking(page)],
  ] as const) {
    const warned = await stream.until(({ type }) => type === "warning");
    expect(warned).toMatchObject({ runId: session.opening, message: expect.stringContaining("same result") });
    const { toolCallId, code, message } = warned as Extract<typeof warned, { type: "warning" }>;
    const detail = await from.get(`/api/runs/${session.opening}/calls/${toolCallId}`);
    expect(detail.warnings).toEqual([{ code, message }]);
    expect(JSON.stringify([stream === others ? stream.events : [], detail])).not.toContain(TOKEN);
  }
});
