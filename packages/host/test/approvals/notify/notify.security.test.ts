import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { sampleRequest } from "../../../../core/test/support/approval-samples.ts";
import { toNotice, formatNotice } from "../../../src/approvals/notify/notice-text.ts";
import { createTestNotifier, startReceiver } from "./support.ts";

const KEY = "ghp_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2";

describe("notices", () => {
  test.for([
    ["line breaks", "echo a\nApproval zzzz is waited for", "\\n"],
    ["terminal sequences", "echo \u001b[2J\u0007", "\\u{1b}"],
    ["marks that turn the text round", "echo \u202egpj.exe", "\\u{202e}"],
    ["a NUL", "echo a\0b", "\\u{0}"],
  ])("show %s in one line", ([, command, shown]) => {
    const notice = toNotice(sampleRequest("hush1234", { args: { command }, sessionKey: `s${command}` }));
    for (const text of [formatNotice(notice), notice.tool, notice.answer]) {
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
    expect(notice.line).toContain(shown);
  });

  test("redact secrets, even if the line is truncated inside a secret", () => {
    for (const before of [0, 10, 25, 40, 50, 59]) {
      const command = `echo ${"x".repeat(before)} ${KEY}`;
      const notice = toNotice(
        sampleRequest("hush1234", { args: { command, env: KEY, note: `token=${KEY}` } }),
      );
      expect(JSON.stringify(notice)).not.toContain(KEY.slice(0, 8));
    }
  });

  test("are short for any call", () => {
    const long = "y".repeat(1_000_000);
    const notice = toNotice(
      sampleRequest("long1234", { args: { command: long, [long]: long }, sessionKey: long, agentId: long }),
    );
    expect(formatNotice(notice).length).toBeLessThan(1_000);
  });
});

const HOSTILE = "echo <!channel> <https://evil.example.com|ok> *b* [x](http://evil.example.com) & <b>&amp;";

test("send a URL JSON with the call as a value", async () => {
  const server = await startReceiver();
  const { notifier } = createTestNotifier([{ url: `${server.url}/x` }]);
  notifier.notify(sampleRequest("mark1234", { args: { command: HOSTILE } }));
  await notifier.close();
  const { body, headers } = server.posted[0]!;
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(body)).toMatchObject({
    type: "approval-requested",
    approvalId: "mark1234",
    tool: "exec",
    line: expect.stringContaining("<!channel>"),
  });
});

test("do not follow redirects", async () => {
  const elsewhere = await startReceiver();
  const server = await startReceiver((_, response) =>
    response.writeHead(307, { location: `${elsewhere.url}/stolen` }).end(),
  );
  const { notifier, book } = createTestNotifier([{ url: server.url }]);
  notifier.notify(sampleRequest("away1234"));
  await notifier.close();
  expect(elsewhere.posted).toEqual([]);
  expect(await book.list(["away1234"])).toMatchObject([{ state: "failed" }]);
});

test("log neither a URL nor the value of a variable", async () => {
  vi.stubEnv("NOTICE_URL", "http://notify.example.com/hooks/T0P53CR3T");
  onTestFinished(() => void vi.unstubAllEnvs());
  const taken = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { notifier, warnings, book } = createTestNotifier([
    { url: { env: "NOTICE_URL" } },
    { url: { env: "NOT_SET_HERE" } },
    { url: `http://127.0.0.1:${port}/hooks/T0P53CR3T` },
  ]);
  notifier.notify(sampleRequest("cred1234"));
  await notifier.close();
  expect(warnings).toHaveLength(3);
  expect(warnings.join("\n")).toContain("NOT_SET_HERE is not set");
  expect(JSON.stringify([warnings, await book.list(["cred1234"])])).not.toContain("T0P53CR3T");
});

test("pass a command its words without a shell, and no other variables of the host", async () => {
  const folder = await temporaryFolder();
  const script = join(folder, "told.sh");
  const out = join(folder, "out");
  vi.stubEnv("SOME_TOKEN", KEY);
  onTestFinished(() => void vi.unstubAllEnvs());
  await writeFile(
    script,
    `#!/bin/sh\n{ env; echo "arg: $1"; cat; } > ${out}\nexec 3>&1; readlink /proc/self/fd/3 >>${out}\necho allow-always; exit 0\n`,
  );
  await chmod(script, 0o755);
  const { notifier, warnings } = createTestNotifier([{ command: [script, "$(touch /tmp/never) `id`"] }]);
  notifier.notify(sampleRequest("safe1234", { args: { command: "echo $(id); `id`\nid" } }));
  await notifier.close();
  expect(warnings).toEqual([]);
  const printed = await readFile(out, "utf8");
  expect(printed).toContain("arg: $(touch /tmp/never) `id`");
  expect(printed).toContain("HAFT_APPROVAL_ID=safe1234");
  expect(printed).toContain("HAFT_APPROVAL_LINE=exec echo $(id); `id`\\nid");
  expect(printed).not.toContain(KEY);
  // Nobody reads what it prints.
  if (process.platform === "linux") expect(printed).toMatch(/\/dev\/null\n$/);
});

test("start no program that other users could have written", async () => {
  const folder = await temporaryFolder();
  const program = join(folder, "told");
  await writeFile(program, "#!/bin/sh\nexit 0\n");
  await chmod(program, 0o777);
  const { notifier, warnings } = createTestNotifier([{ command: [program] }]);
  notifier.notify(sampleRequest("weak1234"));
  await notifier.close();
  expect(warnings[0]).toContain("is not started from");
});
