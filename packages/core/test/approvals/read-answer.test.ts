import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { parseApproveCommand, readApprovalAnswer, requireAnswer } from "../../src/approvals/read-answer.ts";
import type { HaftError } from "../../src/contract/errors.ts";

describe("an approve command", () => {
  test.for([
    ["/approve a2b3c4d5 allow-once", { decision: "allow-once" }],
    ["/approve a2b3c4d5 allow-always", { decision: "allow-always" }],
    ["/approve a2b3c4d5 allow-always exact", { decision: "allow-always", grant: "exact" }],
    ["/approve a2b3c4d5 allow-always program", { decision: "allow-always", grant: "program" }],
    ["/approve a2b3c4d5 deny", { decision: "deny" }],
    ["/approve a2b3c4d5 once", { decision: "allow-once" }],
    ["/approve a2b3c4d5 always program", { decision: "allow-always", grant: "program" }],
    ["/approve a2b3c4d5 no", { decision: "deny" }],
    ["  /APPROVE   A2B3C4D5\tAllow-Always  PROGRAM \n", { decision: "allow-always", grant: "program" }],
  ] as const)("is parsed: %s", ([typed, answer]) => {
    expect(parseApproveCommand(typed)).toEqual({ approvalId: "a2b3c4d5", answer });
  });

  test.for([
    "/approve",
    "/approve a2b3c4d5",
    "/approve allow-once",
    "/approve a2b3c4d5 yes",
    "/approve a2b3c4d5 constructor",
    "/approve a2b3c4d5 __proto__",
    "/approve a2b3c4d5 allow-once program",
    "/approve a2b3c4d5 deny exact",
    "/approve a2b3c4d5 allow-always everything",
    "/approve a2b3c4d5 allow-once please",
    "/approve a2b3c4d5 allow-always program now",
    "/approve a2b3c4d5 allow-once\nand then go on",
    "/approve a2b3c4d5 allow\u200b-once",
    `/approve ${"x".repeat(100_000)}`,
  ])("is rejected if it is incomplete or invalid: %j", (typed) => {
    const parse = () => parseApproveCommand(typed);
    expect(parse).toThrow(expect.objectContaining({ code: "INVALID_DECISION" }));
    try {
      parse();
    } catch (thrown) {
      expect((thrown as HaftError).message.length).toBeLessThan(400);
    }
  });

  test.for([
    "",
    " ",
    "approve a2b3c4d5 allow-once",
    "/approved x deny",
    "please /approve x deny",
    "/ approve x deny",
  ])("is not recognized in other text: %j", (typed) => {
    expect(parseApproveCommand(typed)).toBeUndefined();
  });

  property.prop([fc.string({ unit: codePoint })])(
    "anything at all is understood, refused or something else",
    (typed) => {
      for (const text of [typed, `/approve ${typed}`]) {
        try {
          const parsed = parseApproveCommand(text);
          if (parsed) expect(readApprovalAnswer(parsed.answer)).toEqual(parsed.answer);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "INVALID_DECISION" });
        }
      }
    },
  );
});

property.prop([fc.anything()])("an answer is one of three decisions, whatever is given", (given) => {
  const answer = readApprovalAnswer(given);
  if (answer) expect(["allow-once", "allow-always", "deny"]).toContain(answer.decision);
});

test.for([
  [{ decision: "allow-always", forMS: 1_000 }, "forMS"],
  [{ decision: "allow-always", grnt: "exact" }, "grnt"],
  [{ decision: "allow-always", grant: "everything" }, "grant"],
  [{ decision: "allow-always", forMs: "1h" }, "forMs"],
  [{ decision: "allow-always", forMs: "1000" }, "forMs"],
  [{ decision: "allow-always", forMs: 0 }, "forMs"],
  [{ decision: "allow-always", forMs: NaN }, "forMs"],
  [{ decision: "allow-always", forMs: Infinity }, "forMs"],
  [{ decision: "allow-once", forMs: 1_000 }, "forMs"],
  [{ decision: "deny", grant: "exact" }, "grant"],
  [{ decision: "deny", by: 3 }, "by"],
  [{ decision: "yes" }, "decision"],
  [{}, "decision"],
  [true, "boolean true"],
  [undefined, "decision"],
  [null, "decision"],
  [[], "decision"],
] as const)("an answer is refused with the name of the wrong key: %j", ([given, name]) => {
  const refused = {
    code: "INVALID_DECISION",
    message: expect.stringContaining(name),
    fix: expect.any(String),
  };
  expect(() => requireAnswer(given)).toThrow(expect.objectContaining(refused));
});

test("an answer is read once, so that a getter cannot change it after its check", () => {
  let reads = 0;
  const answer = {
    decision: "allow-always",
    get forMs() {
      return ++reads === 1 ? 1_000 : undefined;
    },
  };
  expect(requireAnswer(answer)).toEqual({ decision: "allow-always", forMs: 1_000 });
});
