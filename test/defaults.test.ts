import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isSafeBinCall } from "../packages/commands/src/programs/safe-bins.ts";
import * as haft from "../packages/config/src/defaults.ts";
import { DEFAULT_APPROVAL_MS, DEFAULT_RETENTION } from "../packages/core/src/defaults.ts";
import { DEFAULT_IDLE_MINUTES, DEFAULT_SESSIONS } from "../packages/mcp/src/defaults.ts";
import { defaultSafeBins } from "../packages/policy/src/rules/command-list.ts";
import { DETACHED_LIFETIME } from "../packages/sandbox/src/defaults.ts";
import * as exec from "../packages/tools-exec/src/defaults.ts";
import { execSchema } from "../packages/tools-exec/src/exec/exec.ts";
import { FOLDER_ALIASES, PATH_ALIASES } from "../packages/tools-fs/src/defaults.ts";

// Each default is defined once. Documents, help and schemas say the same.
const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");
const thousands = (value: number) => value.toLocaleString("en-US");
const megabytes = (bytes: number) => `${bytes / 1e6} MB`;

/** What a document says, with the place of the value as a group; each place that says it is compared. */
const said: readonly [what: string, path: string, pattern: RegExp, value: string | number][] = [
  ["retention", "docs/guides/durability.md", /keep: \{ days: (\d+),/g, DEFAULT_RETENTION.days],
  [
    "retention",
    "docs/guides/durability.md",
    /keep: \{ days: \d+, bytes: ([^}]+) \}/g,
    megabytes(DEFAULT_RETENTION.bytes),
  ],
  ["retention", "docs/architecture/store-on-nats.md", /by the limits: (\d+) days/g, DEFAULT_RETENTION.days],
  [
    "retention",
    "docs/architecture/store-on-nats.md",
    /by the limits: \d+ days, ([\d.]+ MB)/g,
    megabytes(DEFAULT_RETENTION.bytes),
  ],
  [
    "retention of chats",
    "docs/guides/chat.md",
    /conversation is stored for (\d+) days/g,
    DEFAULT_RETENTION.days,
  ],
  [
    "retention",
    "packages/config/src/document/records/record-settings.ts",
    /Limits the age, in days\. Default (\d+)\./g,
    DEFAULT_RETENTION.days,
  ],
  [
    "retention",
    "packages/config/src/document/records/record-settings.ts",
    /like ([\d.]+ MB), the default/g,
    megabytes(DEFAULT_RETENTION.bytes),
  ],
  [
    "approval wait",
    "docs/architecture/approvals.md",
    /the call waits \((\d+) minutes by default\)/g,
    DEFAULT_APPROVAL_MS / 60_000,
  ],
  ["port", "docs/guides/serve.md", /127\.0\.0\.1:(\d+)\/mcp/g, haft.DEFAULT_PORT],
  ["port", "docs/guides/serve.md", /^ {2}port: (\d+)$/gm, haft.DEFAULT_PORT],
  ["port", "docs/reference/command.md", /127\.0\.0\.1:(\d+), which other machines/g, haft.DEFAULT_PORT],
  [
    "port",
    "packages/config/src/settings/serve-settings.ts",
    /Default (\d+)\. \*\/\n {2}port/g,
    haft.DEFAULT_PORT,
  ],
  ["sessions of a token", "docs/guides/serve.md", /limits: \{ sessions: (\d+)/g, DEFAULT_SESSIONS],
  ["idle sessions", "docs/guides/serve.md", /idleMinutes: (\d+)/g, DEFAULT_IDLE_MINUTES],
  [
    "audit log",
    "docs/guides/telemetry.md",
    /bytes: ([\d.]+ MB) # of one file/g,
    megabytes(haft.DEFAULT_AUDIT_BYTES),
  ],
  ["audit log", "docs/guides/telemetry.md", /files: (\d+) # rotated files/g, haft.DEFAULT_AUDIT_FILES],
  [
    "time-out of exec",
    "packages/tools-exec/src/exec/exec-types.ts",
    /Seconds that a command may run[^;]*; ([\d,]+) by default/g,
    thousands(exec.DEFAULT_TIMEOUT_SECONDS),
  ],
  [
    "wait of exec",
    "packages/tools-exec/src/exec/exec-types.ts",
    /Milliseconds that a call waits by default; ([\d,]+) by default/g,
    thousands(exec.DEFAULT_YIELD_MS),
  ],
  [
    "wait of exec",
    "packages/host/src/host/option-groups.ts",
    /until the end\. Default ([\d,]+)\./g,
    thousands(exec.DEFAULT_YIELD_MS),
  ],
  [
    "longest wait of exec",
    "packages/host/src/host/option-groups.ts",
    /Default and largest value: ([\d,]+)\./g,
    thousands(exec.MAX_YIELD_MS),
  ],
];

describe("a documented default is the one in the code", () => {
  test.for(said)("%s in %s: %s", ([, path, pattern, value]) => {
    const found = [...read(path).matchAll(pattern)].map(([, text]) => text);
    expect(found).not.toEqual([]);
    expect(new Set(found)).toEqual(new Set([String(value)]));
  });
});

test("the schema for editors says the defaults of the code", () => {
  const { properties } = JSON.parse(read("packages/haft/config.schema.json")) as {
    properties: Record<string, { properties: Record<string, { description: string }> }>;
  };
  const descriptionOf = (section: string, key: string) => properties[section]!.properties[key]!.description;
  expect(descriptionOf("keep", "days")).toContain(String(DEFAULT_RETENTION.days));
  expect(descriptionOf("keep", "bytes")).toContain(megabytes(DEFAULT_RETENTION.bytes));
  expect(descriptionOf("serve", "port")).toContain(String(haft.DEFAULT_PORT));
  expect(descriptionOf("serve", "address")).toContain(haft.DEFAULT_ADDRESS);
  expect(descriptionOf("audit", "bytes")).toContain(megabytes(haft.DEFAULT_AUDIT_BYTES));
  expect(descriptionOf("audit", "files")).toContain(String(haft.DEFAULT_AUDIT_FILES));
});

test("the texts about lifetimes of sandboxes state the defaults of the code", () => {
  const schema = read("packages/config/src/settings/sandbox-schema.ts");
  expect(schema).toContain(`without use until its removal. Default ${DETACHED_LIFETIME.idleMs}.`);
  expect(schema).toContain(`from its start until its removal. Default ${DETACHED_LIFETIME.maxAgeMs}.`);
  expect(DETACHED_LIFETIME).toEqual({ idleMs: 3_600_000, maxAgeMs: 7 * 86_400_000 });
});

test("the safe bins of the guide match the policy, and each has its flags", () => {
  const [row = ""] = /\| `safeBins` \|.*/.exec(read("docs/guides/policy.md")) ?? [];
  const named = [...(row.split("by default")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  expect(named).toEqual([...defaultSafeBins]);
  const words: Readonly<Record<string, string[]>> = { cut: ["-f", "1"], tr: ["a", "b"] };
  for (const name of defaultSafeBins) {
    expect([name, isSafeBinCall([name, ...(words[name] ?? [])])]).toEqual([name, true]);
    expect([name, isSafeBinCall([name, "--no-such-flag"])]).toEqual([name, false]);
  }
});

test("tool descriptions name the time-outs in use", () => {
  const { yieldMs, timeoutSeconds } = execSchema.properties;
  expect(yieldMs).toMatchObject({ description: expect.stringContaining(String(exec.DEFAULT_YIELD_MS)) });
  expect(timeoutSeconds).toMatchObject({
    description: expect.stringContaining(String(exec.DEFAULT_TIMEOUT_SECONDS)),
  });
});

test("other spellings of path are named where they are promised", () => {
  const row = /\| Other names of parameters \|.*/.exec(read("docs/reference/compatibility.md"))?.[0] ?? "";
  for (const alias of PATH_ALIASES) expect(row).toContain(`\`${alias}\``);
  expect(new Set([...PATH_ALIASES, ...FOLDER_ALIASES]).size).toBe(
    PATH_ALIASES.length + FOLDER_ALIASES.length,
  );
});
