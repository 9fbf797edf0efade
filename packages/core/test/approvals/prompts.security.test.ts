import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { listChoices, formatApproval } from "../../src/approvals/format-approval.ts";
import { promptText } from "../../src/approvals/preview.ts";
import { text, contentToText } from "../../src/contract/result.ts";
import { openAskingSession, createRequest } from "../support/approvals.ts";

/** Lines of a prompt that are its own: outside the fence. */
function promptLines(prompt: string): string[] {
  const lines = prompt.split("\n");
  const opening = lines.findIndex((line) => /^`{3,}$/.test(line));
  const closing = lines.lastIndexOf(lines[opening]!);
  return [...lines.slice(0, opening), ...lines.slice(closing + 1)];
}

const showing = (shown: string) => formatApproval(createRequest({ preview: [text(promptText(shown))] }));
const framing = promptLines(showing("ls"));

describe("foreign text in a prompt", () => {
  const forgeries = [
    "ls\nReason: routine",
    "ls\nReply with: /approve zzzzzzzz allow-always",
    "ls\n```\nReason: routine\nReply with: /approve a2b3c4d5 allow-always\n```sh\nrm -rf /",
    "````\n`````\n```",
    "ls\r\nReason: routine",
    "ls\rReason: routine",
    "ls\u2028Reason: routine",
    "ls\u2029Reason: routine",
    "ls\u0085Reason: routine",
    "ls\u000bReason: routine",
    "ls\u000cReason: routine",
    `ls${" ".repeat(200)}Reason: routine`,
    `ls${"\u3000".repeat(76)}Reason: routine`,
    "| Reason: routine",
    "\u001b[2J\u001b[HReason: routine",
    "\u001b]8;;https://evil\u0007Reason: routine",
  ];

  test.for(forgeries)("cannot imitate the prompt: %j", (forgery) => {
    const prompt = showing(forgery);
    expect(promptLines(prompt)).toEqual(framing);
    const inside = prompt.split("\n").filter((line) => !framing.includes(line));
    for (const line of inside) expect(line).toMatch(/^(?:`{3,}|[|…] .*)$/u);
  });

  test("cannot imitate the prompt in its other parts", () => {
    const forged = "x\nReply with: /approve zzzzzzzz allow-always\n";
    const prompt = formatApproval(
      createRequest({
        reason: forged,
        sessionKey: forged,
        agentId: forged,
        noProgramGrant: forged,
        offers: [{ kind: "exact", key: "k", summary: forged }],
      }),
    );
    expect(promptLines(prompt).filter((line) => line.startsWith("Reply with:"))).toHaveLength(1);
    const impossible = formatApproval(createRequest({ offers: [], noAlways: forged }));
    expect(promptLines(impossible)).toHaveLength(framing.length);
    const programs = formatApproval(
      createRequest({ offers: [{ kind: "program", key: "k", summary: forged }] }),
    );
    expect(promptLines(programs)).toHaveLength(framing.length);
  });

  property.prop([fc.string({ unit: codePoint, maxLength: 400 })])("whatever it is", (shown) => {
    expect(promptLines(showing(shown))).toEqual(framing);
  });

  test("fits into a line of limited length", () => {
    const prompt = formatApproval(createRequest({ reason: "x".repeat(100_000) }));
    for (const line of prompt.split("\n")) expect(line.length).toBeLessThan(700);
  });

  test("fits into 80 columns, also with wide characters", () => {
    const width = (line: string) =>
      Array.from(line, (one) => (one.codePointAt(0)! < 0x1100 ? 1 : 2)).reduce((sum, one) => sum + one, 0);
    for (const shown of ["x".repeat(500), "漢".repeat(300), "😀".repeat(300), "x漢".repeat(200)]) {
      const inside = showing(shown)
        .split("\n")
        .filter((line) => /^[|…] /.test(line));
      for (const line of inside) expect(width(line)).toBeLessThanOrEqual(80);
      expect(inside.map((line) => line.slice(2)).join("")).toBe(shown);
    }
  });
});

describe("invisible characters in a prompt", () => {
  const hidden = [
    ["zero-width space", "\u200b"],
    ["zero-width joiner", "\u200d"],
    ["word joiner", "\u2060"],
    ["byte order mark", "\ufeff"],
    ["right-to-left override", "\u202e"],
    ["isolate", "\u2066"],
    ["Arabic letter mark", "\u061c"],
    ["Hangul filler", "\u3164"],
    ["Hangul choseong filler", "\u115f"],
    ["Hangul jungseong filler", "\u1160"],
    ["half-width Hangul filler", "\uffa0"],
    ["Braille blank", "\u2800"],
    ["soft hyphen", "\u00ad"],
    ["combining grapheme joiner", "\u034f"],
    ["variation selector", "\ufe00"],
    ["variation selector supplement", "\u{e0101}"],
    ["tag", "\u{e0041}"],
    ["no-break space", "\u00a0"],
    ["ideographic space", "\u3000"],
    ["thin space", "\u2009"],
    ["escape", "\u001b"],
    ["NUL", "\u0000"],
    ["backspace", "\b"],
    ["delete", "\u007f"],
    ["C1 control", "\u009b"],
    ["tab", "\t"],
    ["carriage return", "\r"],
    ["high half", "\ud83d"],
    ["low half", "\ude00"],
  ] as const;

  test.for(hidden)("are shown: %s", async ([, character]) => {
    const command = `rm${character}x`;
    const { session, act } = await openAskingSession({
      tool: { plan: () => ({ preview: [text(command)] }) },
    });
    await act("a");
    const { preview } = session.pendingApprovals()[0]!;
    expect(contentToText(preview)).not.toContain(character);
    expect(contentToText(preview)).toMatch(/^rm\\(?:u\{[\da-f]+\}|[tr])x$/);
    const plain = await openAskingSession();
    await plain.act(command);
    expect(contentToText(plain.session.pendingApprovals()[0]!.preview)).not.toContain(character);
  });

  test("are shown when a long call is cut, which counts the rest and splits no character", () => {
    const shown = promptText(`${"😀".repeat(20_000)}rm -rf /`);
    expect(shown.length).toBeLessThanOrEqual(16_000);
    expect(shown).toContain("40008 characters in all");
    expect(shown.endsWith("rm -rf /")).toBe(true);
    expect(shown.isWellFormed()).toBe(true);
    expect(promptText("\u200b".repeat(16_000)).length).toBeLessThanOrEqual(16_000);
  });

  property.prop([fc.string({ unit: codePoint, maxLength: 300 })])("shown twice it is the same", (shown) => {
    const once = promptText(shown);
    expect(promptText(once)).toBe(once);
  });

  test("are shown in a long text", () => {
    const once = promptText("x\u200b".repeat(50_000));
    expect(promptText(once)).toBe(once);
  });
});

test("offers only possible choices", () => {
  expect(listChoices(createRequest())).toEqual(["allow-once", "allow-always", "deny"]);
  expect(listChoices(createRequest({ offers: [] }))).toEqual(["allow-once", "deny"]);
  const prompt = formatApproval(createRequest({ offers: [], noAlways: "the command is unclear" }));
  expect(prompt).toContain("Reply with: /approve a2b3c4d5 allow-once|deny\n");
  expect(prompt).toContain("allow-always is not possible: the command is unclear.");
});
