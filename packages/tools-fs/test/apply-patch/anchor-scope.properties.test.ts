import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { applyPatchWith } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { readContents, createMemoryFileSystem } from "../support/memory-file-system.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";

// Few names and few lines, so that whatever is asked for nearly always stands elsewhere as well.
const method = fc.record({
  name: fc.constantFrom("run", "stop", "load"),
  body: fc.array(fc.constantFrom("x", "y", "z"), { minLength: 1, maxLength: 4 }),
});
const classes = fc.array(
  fc.uniqueArray(method, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const wish = fc.record({
  of: fc.nat(2),
  method: fc.nat(2),
  text: fc.constantFrom("x", "y", "z"),
  form: fc.constantFrom("chain", "chain", "chain", "method", "none"),
  kind: fc.constantFrom("replace", "replace", "insert"),
});
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;
type Classes = typeof classes extends fc.Arbitrary<infer T> ? T : never;

const HEAD = "    def ";
const INNER = "        ";

/** The file, and for each method where its lines are. */
function render(all: Classes): { lines: string[]; methods: { line: number; end: number; name: string }[][] } {
  const lines: string[] = [];
  const methods = all.map((members, index) => {
    lines.push(`class C${index}:`);
    return members.map(({ name, body }) => {
      const line = lines.push(`${HEAD}${name}(self):`) - 1;
      lines.push(...body.map((text) => INNER + text));
      return { line, end: lines.length, name };
    });
  });
  return { lines, methods };
}

function hunkFor({ form, kind, text }: Wish, index: number, of: number, name: string): string[] {
  const anchors = [`@@ class C${of}:`, `@@ ${HEAD}${name}(self):`];
  const shown = form === "chain" ? anchors : form === "method" ? anchors.slice(1) : ["@@"];
  const fresh = `+${INNER}new${index}`;
  return [...shown, ...(kind === "insert" ? [` ${INNER}${text}`, fresh] : [`-${INNER}${text}`, fresh])];
}

async function apply(content: string, hunks: readonly string[]): Promise<string | undefined> {
  const memory = createMemoryFileSystem({ f: Buffer.from(content) });
  const engine = createChangeEngine({ fs: memory, journal: createMemoryJournal() });
  const patch = ["*** Begin Patch", "*** Update File: f", ...hunks, "*** End Patch"].join("\n");
  try {
    await applyPatchWith(engine, patch);
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    expect(error.code).toBe("PATCH_CONFLICT");
    expect(String((await readContents(memory)).get("f"))).toBe(content);
    return undefined;
  }
  return String((await readContents(memory)).get("f"));
}

test.prop([classes, fc.array(wish, { minLength: 1, maxLength: 4 })], { numRuns: scaleRuns(3_000, 10) })(
  "locates hunks in any order below their anchors like a naive search, or changes nothing",
  async (all, wishes) => {
    const { lines, methods } = render(all);
    const asked = wishes.map((each, index) => {
      const of = each.of % all.length;
      const members = methods[of]!;
      const { line, end, name } = members[each.method % members.length]!;
      // The first such line below the anchor and above the next one.
      const target = lines.findIndex((own, at) => at > line && at < end && own === INNER + each.text);
      return { ...each, hunk: hunkFor(each, index, of, name), line, end, name, target };
    });
    const after = await apply(
      `${lines.join("\n")}\n`,
      asked.flatMap(({ hunk }) => hunk),
    );
    const ascending = asked.every(({ target }, at) => at === 0 || target > asked[at - 1]!.target);
    const plain = asked.every(({ form, target }) => form === "chain" && target >= 0);
    if (after === undefined) {
      expect(plain && ascending).toBe(false);
      return;
    }
    // Order is checked: what was applied was in order.
    const landed = asked.map((_, index) => after.split("\n").indexOf(`${INNER}new${index}`));
    expect(landed).toEqual(landed.toSorted((a, b) => a - b));
    const result = after.split("\n");
    let inserted = 0;
    let previous = -1;
    for (const [index, { form, kind, text, name, line, end }] of asked.entries()) {
      const at = landed[index]! - inserted - (kind === "insert" ? 1 : 0);
      if (kind === "insert") inserted += 1;
      expect(lines[at]).toBe(INNER + text);
      // An earlier hunk has taken the lines above.
      const isNext = (own: string, next: number) =>
        next > Math.max(line, previous) && next < end && own === INNER + text;
      if (form === "chain") expect(at).toBe(lines.findIndex(isNext));
      previous = at;
      if (form === "method") {
        const owner = methods.flat().find(({ line, end }) => line < at && at < end);
        expect(owner?.name).toBe(name);
      }
    }
    // And nothing else: without the new lines, and with the old ones, it is the file it was.
    const back = result.flatMap((own) => {
      const index = asked.findIndex((_, at) => own === `${INNER}new${at}`);
      if (index < 0) return [own];
      return asked[index]!.kind === "insert" ? [] : [INNER + asked[index]!.text];
    });
    expect(back.join("\n")).toBe(`${lines.join("\n")}\n`);
  },
);

test.prop([classes, fc.array(wish, { minLength: 1, maxLength: 3 })], { numRuns: scaleRuns(1_000, 8) })(
  "applies a repeated patch completely or not at all",
  async (all, wishes) => {
    const { lines, methods } = render(all);
    const hunks = wishes.map((each, index) => {
      const of = each.of % all.length;
      const members = methods[of]!;
      const { name } = members[each.method % members.length]!;
      return hunkFor({ ...each, kind: "replace" }, index, of, name);
    });
    const first = await apply(`${lines.join("\n")}\n`, hunks.flat());
    if (first === undefined) return;
    const second = await apply(first, hunks.flat());
    if (second === undefined || second === first) return;
    // Every hunk found another place that was meant as well: each new line is there twice.
    for (const index of wishes.keys()) expect(second.split(`new${index}\n`)).toHaveLength(3);
  },
);
