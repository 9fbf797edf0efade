import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { compileHostPattern, matchesHost } from "../../src/patterns/host-pattern.ts";
import { formatSelector, parseSelector, readSelector } from "../../src/patterns/selector.ts";
import { policy, getProblems } from "../fixtures.ts";

test.each([
  ["process:kill", { target: { kind: "word", word: "process" }, action: "kill" }],
  ["haft-runtime/process:kill", { target: { kind: "id" }, action: "kill" }],
  ["*:kill", { target: { kind: "all" }, action: "kill" }],
  ["group:runtime:kill", { target: { kind: "group", group: "runtime" }, action: "kill" }],
  ["effect:write(path:docs/**)", { conditions: [{ kind: "path", pattern: "docs/**" }] }],
  ["exec(git status*)", { conditions: [{ kind: "command", pattern: "git status*" }] }],
  ["exec(command:git status*)", { conditions: [{ kind: "command", pattern: "git status*" }] }],
  ["exec(npm run build:prod)", { conditions: [{ kind: "command", pattern: "npm run build:prod" }] }],
  ["exec(echo \\(a\\))", { conditions: [{ kind: "command", pattern: "echo \\(a\\)" }] }],
  [
    "chat(arg:to.name=*@example.com)",
    { conditions: [{ kind: "arg", name: "to.name", pattern: "*@example.com" }] },
  ],
  ["chat(arg:to=)", { conditions: [{ kind: "arg", name: "to", pattern: "" }] }],
  ["edit(path:src/**, arg:mode=x, y)", { conditions: [{ kind: "path" }, { kind: "arg", pattern: "x, y" }] }],
])("parses %s", (text, expected) => expect(parseSelector(text)).toMatchObject({ text, ...expected }));

const heads = ["exec", "*", "read:x", "group:fs", "mcp(a/b*)", "efect:write", "effect:wirte", "a/b"];
const signs =
  "a|b|ls|.md|/| |, |,|:|=|*|**|\\\\|\\(|(|)|{a,b}|'a b'|path:|host:|node:|arg:x=|command:|pth:".split("|");
property.prop([
  fc.constantFrom(...heads),
  fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 6 }),
])("what is right is read the same when nothing is looked for in it", (head, parts) => {
  for (const text of [head, `${head}(${parts.join("")})`]) {
    const parsed = parseSelector(text);
    if (!("message" in parsed) || parsed.unknownEffect) expect(readSelector(text)).toEqual(parsed);
  }
});

describe("malformed conditions", () => {
  test.each([
    ["exec(git", /does not end with the closing parenthesis/, undefined],
    ["exec()", /parentheses are empty/, undefined],
    ["exec (git)", /not a selector/, "exec(git)"],
    ["read(pth:src)", /"pth:" is unknown/, "read(path:src)"],
    ["read(paths:src)", /"paths:" is unknown/, "read(path:src)"],
    ["exec(https://x.y)", /a command with a colon is written command:/, undefined],
    ["read(path:src/)", /end it with \/\*\*/, undefined],
    ["web/fetch(host:https://example.com)", /is not a host/, undefined],
    ["web/fetch(host:example.com:443)", /ports are ignored/, undefined],
    ["web/fetch(host:a*.com)", /at the start/, undefined],
    ["chat(arg:to)", /arg:NAME=PATTERN/, undefined],
    ["efect:write", /no tool or plugin "efect"/, "effect:write"],
    ["grup:fs", /no tool or plugin "grup"/, "group:fs"],
    ["proces:kill", /no tool or plugin "proces"/, "process:kill"],
    ["process:kil", /"kil" is not an action of process; there are list/, "process:kill"],
    ["exe(git *)", /no tool or plugin "exe"/, "exec(git *)"],
    ["read(src/**)", /compared with its real path/, "read(path:src/**)"],
    ["read(*.md)", /No call of read runs commands/, "read(path:*.md)"],
    ["exec(ls, path:x, host:y)", undefined, undefined],
    ["read(host:example.com)", /No call of read connects to hosts/, undefined],
    ["weather(path:a)", /No call of weather acts on files/, undefined],
    ["group:fs(command:ls)", /No call of these 6 tools runs commands/, undefined],
  ])("are rejected with suggestions: %s", (text, says, near) => {
    const [problem, ...others] = getProblems(() => policy({ deny: [text] }));
    expect(others).toEqual([]);
    if (says === undefined) {
      expect(problem).toBeUndefined();
      return;
    }
    expect(problem).toMatchObject({ path: "deny[0]", message: expect.stringMatching(says) });
    if (near !== undefined) expect(problem!.nearest).toContain(near);
  });

  test("are detected in different spellings of a contradiction", () => {
    const config = { allow: ["exec(git)"], deny: ["exec(command:git)"] };
    expect(getProblems(() => policy(config))).toMatchObject([{ path: "allow[0]" }]);
  });
});

const plain = /^[a-z*][a-z0-9*/ .-]{0,8}[a-z*]$/;
const condition = fc.oneof(
  fc
    .stringMatching(/^[a-z*][a-z0-9*]?(?: ?[a-z0-9*.-]){0,8}[a-z*]$/)
    .filter(
      (pattern) =>
        !/^(?:if|do|fi|then|else|elif|for|while|until|done|case|esac|select|function)(?: |$)/.test(pattern),
    )
    .map((pattern) => ({ kind: "command", pattern }) as const),
  fc
    .stringMatching(/^(?:[a-z*?]{1,3}|\*\*)(?:\/(?:[a-z]{1,3}|\*\*)){0,3}$/)
    .map((pattern) => ({ kind: "path", pattern }) as const),
  fc
    .stringMatching(/^(\*\.)?[a-z]{1,5}(\.[a-z]{1,3}){0,2}$/)
    .map((pattern) => ({ kind: "host", pattern }) as const),
  fc
    .tuple(fc.stringMatching(/^\w{1,4}(\.\w{1,4})?$/), fc.stringMatching(plain))
    .map(([name, pattern]) => ({ kind: "arg", name, pattern }) as const),
);
const head = fc.constantFrom("*", "exec", "a/b", "a*", "group:fs", "effect:write", "group:plugins");
const action = fc.option(fc.constantFrom("kill", "send-keys"), { nil: undefined });

property.prop([head, action, fc.array(condition, { maxLength: 3 })])(
  "parses a formatted condition back to the same condition",
  (target, act, conditions) => {
    const parsed = parseSelector(target);
    if ("message" in parsed) throw new Error(parsed.message);
    const selector = {
      ...parsed,
      ...(act === undefined ? {} : { action: act }),
      ...(conditions.length === 0 ? {} : { conditions }),
    };
    const read = parseSelector(formatSelector(selector));
    fc.pre(!("message" in read && /\*\*/.test(read.message)));
    expect(read).toEqual({ ...selector, text: formatSelector(selector) });
  },
);

property.prop([fc.string()])("parses any text as a selector or returns an error", (text) => {
  const parsed = parseSelector(text);
  if ("message" in parsed) expect(parsed.message).not.toBe("");
  else expect(parsed.text).toBe(text);
});

test.each([
  ["example.com", "example.com", true],
  ["Example.com", "example.com", true],
  ["example.com", "EXAMPLE.COM.", true],
  ["example.com", "example.com:8080", true],
  ["example.com", "a.example.com", false],
  ["*.example.com", "a.b.example.com", true],
  ["*.example.com", "example.com", false],
  ["*.example.com", "badexample.com", false],
  ["*", "anything", true],
  ["::1", "[::1]:80", true],
  ["127.0.0.1", "127.0.0.1", true],
  ["example.com", "exampleXcom", false],
])("compares host:%s with %s: %s", (pattern, host, expected) => {
  const compiled = compileHostPattern(pattern);
  if ("message" in compiled) throw new Error(compiled.message);
  expect(matchesHost(compiled, host)).toBe(expected);
});
