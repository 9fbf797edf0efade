import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { readPolicyFile, readYamlFile } from "../../src/document/policy-file.ts";

async function fileWith(text: string): Promise<string> {
  const path = join(await temporaryFolder(), "policy.yaml");
  await writeFile(path, text);
  return path;
}

test.for([
  ["groups: { 1034567890123456789: { deny: [exec] } }", /"1034567890123456789"/],
  ["groups: { 0123: { deny: [exec] } }", /read as a number, 123, .*quotes: "0123"\./],
  ["groups: { 0x10: {} }", /"0x10"/],
  ["groups: { 1e3: {} }", /"1e3"/],
  ["groups: { 7: {} }", /the key 7 is read as a number, and not as text; put it in quotes: "7"\./],
  ["channels: { 1.50: {} }", /"1\.50"/],
  ['{ "agents": { true: {} } }', /a boolean/],
  ["agents: { null: {} }", /as nothing/],
  ["agents:\n  ~: {}\n", /.*as nothing/],
  ["agents:\n  ada: {}\n  : {}\n", /the key is empty/],
  ["agents: { ? [a, b] : {} }", /no list/],
  ["models: { ? { a: b } : {} }", /no list, map/],
  ["agents:\n  ada: &a {}\n  *a : {}\n", /a key is a text/],
  ["agents:\n  ada: &a {}\n  bob:\n    <<: *a\n", /maps are not merged/],
  ["agents: { ada: &a {}, <<: { bob: *a } }", /not merged/],
  ["groups: { !!str 7: {} }", /the tag tag:yaml\.org,2002:str/],
  ["deny: [!!binary d3JpdGU=]", /the tag .*binary/],
  ["groups: !!set { a }", /the tag .*set/],
  ["groups: { a: !mine {} }", /tag/],
  ["%YAML 1.1\n---\ngroups: { 1_0: {} }\n", /%YAML 1\.1/],
  ["deny:\n  - 12345678901234567890\n", /it .*quotes: "12345678901234567890"/],
  ["deny: [.inf]", /Infinity/],
  ["deny: exec: rm\n", /not valid YAML: put a text that contains a colon in quotes/],
  ["deny:\n\t- exec\n", /not valid YAML: indent with spaces/],
  ['deny: "exec\n', /not valid YAML: add the missing bracket, quote or colon/],
  ["deny: @exec\n", /not valid YAML: check the indentation/],
  ["deny: [a]\n'deny': []", /Map keys must be unique/],
  ["agents: { ada: { deny: [a], ask: [b], deny: [] } }", /Map keys must be unique/],
  ["deny: [a]\n---\ndeny: [b]\n", /it is more than one document, and --- begins another one/],
  [`deny: ${"[".repeat(200)}${"]".repeat(200)}`, /it is nested deeper than rules have a use for/],
  // Each is looked for from the beginning of the document.
  [`deny: [&a x${", *a".repeat(101)}]`, /more than 100 aliases/],
] as const)("%s: returns an error with its line instead of a changed value", async ([text, message]) => {
  const path = await fileWith(text);
  const problem = { path: "", line: expect.any(Number), message: expect.stringMatching(message) };
  expect(await readYamlFile(path)).toEqual({ problems: [problem] });
  await expect(readPolicyFile(path)).rejects.toMatchObject({
    code: "POLICY_UNREADABLE",
    message: expect.stringMatching(message),
  });
});

test("reports a repeated problem once per line", async () => {
  const read = await readYamlFile(await fileWith(`deny: ${"[".repeat(1000)}`));
  if (!("problems" in read)) throw new Error("it was read");
  expect(read.problems.length).toBeLessThan(5);
});

test("refuses nesting beyond the parser's depth", async () => {
  const path = await fileWith(`deny: ${"[".repeat(30_000)}${"]".repeat(30_000)}`);
  expect(await readYamlFile(path)).toEqual({
    problems: [{ path: "", message: "it is nested deeper than rules have a use for." }],
  });
});

test.for([
  ["deny:\n  - 12345678901234567890\n", 2],
  ["agents:\n  ada: {}\n  7: {}\n", 3],
  ["%YAML 1.1\n---\na: {}\n", 1],
] as const)("%s: reports line %i", async ([text, line]) => {
  expect(await readYamlFile(await fileWith(text))).toMatchObject({ problems: [{ line }] });
});

test("reads a file with many keys without comparing each pair, and finds their lines", async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `name${index}`);
  const read = await readYamlFile(await fileWith(names.map((name) => `${name}: {}`).join("\n")));
  if ("problems" in read) throw new Error(read.problems[0]?.message);
  expect(names.every((name, index) => read.positions([name]) === index + 1)).toBe(true);
});

test("keeps quoted names and texts that look like numbers", async () => {
  const text = `groups: { "1034567890123456789": {}, '0x10': {}, "null": {}, "<<": {}, 2026-01-01: {}, 1_0: {} }`;
  const names = ["1034567890123456789", "0x10", "null", "<<", "2026-01-01", "1_0"];
  const { config } = await readPolicyFile(await fileWith(text));
  expect(Object.keys(config.groups!)).toEqual(names);
});
