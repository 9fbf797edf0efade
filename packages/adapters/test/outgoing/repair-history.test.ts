import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { formats } from "../support/formats.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const greet = (id: unknown) => ({ id, name: "greet", args: { name: "Ada" } });

describe.each(formats)(
  "$name",
  ({ createAnswer, createRepair, message, history, result, person, summarize }) => {
    const call = (...ids: unknown[]) => history(message(ids.map(greet)));
    const answer = (id: unknown, text = "Hello.") => result(id, text, "greet");
    const mended = async (conversation: object[]) => {
      await using session = await openSession([providerTools]);
      return summarize(await createRepair(session)(conversation));
    };

    test("keeps valid messages unchanged", async () => {
      await using session = await openSession([providerTools]);
      const conversation = [
        person("Go."),
        ...call("a", "b"),
        answer("a"),
        answer("b"),
        person("And?"),
        ...call("c"),
        answer("c"),
      ];
      const same = await createRepair(session)(conversation);
      expect(same).toHaveLength(conversation.length);
      for (const [at, each] of same.entries()) expect(each).toBe(conversation[at]);
    });

    test.each([undefined, null, "hello", { role: "user" }])("%j is not a conversation", async (given) => {
      await using session = await openSession([providerTools]);
      await expect(createRepair(session)(given as never)).rejects.toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENTS" }),
      );
    });

    test("what answer() appends is right", async () => {
      await using session = await openSession([providerTools]);
      const { messages } = await createAnswer(session)(
        message([greet("a"), greet("a"), { id: "p", name: "photo" }]),
      );
      expect(await createRepair(session)(messages)).toEqual(messages);
    });

    test("answers in another order, and later than something else", async () => {
      const conversation = [
        ...call("a", "b"),
        answer("b", "B"),
        person("Well?"),
        answer("a", "A"),
        person("Yes."),
      ];
      expect(await mended(conversation)).toEqual([
        "calls a, b",
        "answer a: A",
        "answer b: B",
        "says: Well?",
        "says: Yes.",
      ]);
    });

    test("completes a call without an answer from the ledger, or with a notice", async () => {
      await using session = await openSession([providerTools], { rules: { ask: ["send"] } });
      await session.call({ id: "a", name: "greet", arguments: { name: "Ada" } });
      await session.call({ id: "b", name: "send", arguments: { to: "ada" } });
      await session.call({ id: "c", name: "greet", arguments: { nobody: 1 } });
      const conversation = [...call("a", "b", "c", "d"), person("Well?")];
      expect(summarize(await createRepair(session)(conversation))).toEqual([
        "calls a, b, c, d",
        "answer a: Hello, Ada.",
        "answer b: There is no result yet: the call waits, or runs.",
        expect.stringMatching(/^answer c: Error: Invalid arguments/),
        expect.stringMatching(/^answer d: There is no result: the ledger of this session has no such call/),
        "says: Well?",
      ]);
    });

    test("keeps the text of an answer without its call as a message", async () => {
      const said = await mended([
        person("Go."),
        answer("gone", "What was found."),
        ...call("a"),
        answer("a"),
        answer("a", "Twice."),
      ]);
      expect(said.filter((line) => line.startsWith("answer"))).toEqual(["answer a: Hello."]);
      expect(said.join("\n")).toMatch(/What was found\.[^]*Twice\./);
    });

    test("ids that are missing, repeated and used again", async () => {
      const said = await mended([
        ...call("a", "a"),
        answer("a", "1"),
        answer("a", "2"),
        ...call("a"),
        answer("a", "3"),
      ]);
      const ids = said
        .filter((line) => line.startsWith("calls"))
        .flatMap((line) => line.slice(6).split(", "));
      expect(new Set(ids).size).toBe(3);
      expect(said.filter((line) => line.startsWith("answer"))).toEqual(
        ids.map((id, at) => `answer ${id}: ${at + 1}`),
      );
    });

    test("answers without ids go by their place", async () => {
      const said = await mended([...call("", ""), answer(""), answer("")]);
      expect(said.filter((line) => line.startsWith("answer"))).toHaveLength(2);
      expect(said.join("\n")).not.toContain("There is no result");
    });

    const line = fc.oneof(
      fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 3 }).map((ids) => ({ ids })),
      fc.constantFrom("a", "b", "c", "").map((id) => ({ id })),
      fc.constant({ said: "Well?" }),
    );
    property.prop([fc.array(line, { maxLength: 10 })], {
      numRuns: 100,
      // An answer that an earlier call had taken stood there a second time.
      examples: [[[{ ids: ["c"] }, { ids: ["b"] }, { id: "c" }, { id: "b" }]]],
    })(
      "whatever a conversation is: each call has one answer, right behind it, nothing is lost, and it is right afterwards",
      async (lines) => {
        await using session = await openSession([providerTools]);
        const conversation = lines.flatMap((one, at) =>
          "ids" in one ? call(...one.ids) : "id" in one ? [answer(one.id, `<${at}>`)] : [person(`<${at}>`)],
        );
        const once = await createRepair(session)(conversation);
        const said = summarize(once).filter((each) => each !== "");
        let open: string[] = [];
        const used = new Set<string>();
        for (const each of said) {
          const [, asked] = /^calls (.*)$/.exec(each) ?? [];
          const [, answered] = /^answer ([^:]*):/.exec(each) ?? [];
          if (answered !== undefined) expect(open.shift()).toBe(answered);
          else if (asked !== undefined || each.startsWith("says")) expect(open).toEqual([]);
          if (asked === undefined) continue;
          open = asked.split(", ");
          for (const id of open) {
            expect(used).not.toContain(id);
            used.add(id);
          }
        }
        expect(open).toEqual([]);
        for (const [at, one] of lines.entries())
          if (!("ids" in one)) expect(JSON.stringify(once).split(`<${at}>`)).toHaveLength(2);
        expect(await createRepair(session)(once)).toEqual(once);
      },
    );
  },
);
