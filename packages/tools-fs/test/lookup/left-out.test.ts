import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFindTool } from "../../src/find/find.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const find = createFindTool();
const grep = createGrepTool();

describe("an answer without results", () => {
  const ready = () => {
    const files = withFiles({
      ".gitignore": "ign\n*.log\n",
      "ign/a.ts": "needle\n",
      "b.log": "needle\n",
      "real/c.ts": "other\n",
      "pic.bin": "needle\0\n",
    });
    symlinkSync("real", join(files.folder, "linked"));
    return files;
  };

  it.each([
    ["find", find, { pattern: "a.ts" }],
    ["grep", grep, { pattern: "needle" }],
  ])("names the entries that %s left out, and how to include them", async (name, tool, params) => {
    const [text] = texts(await ready().call(tool as typeof find, params));
    expect(text).toContain(
      name === "find"
        ? "1 ignored entry not searched: ign;"
        : "2 ignored entries not searched: b.log and others;",
    );
    expect(text).toContain("includeIgnored=true");
    expect(text).toContain("1 link not followed: linked; use path to search behind one.");
  });

  it("counts binary files", async () => {
    const [text] = texts(await ready().call(grep, { pattern: "needle", includeIgnored: false }));
    expect(text).toContain("[1 file was not searched (1 binary).]");
  });

  it("omits this report if there are results", async () => {
    const [, text] = texts(await ready().call(grep, { pattern: "other" }));
    expect(text).toBe("[1 match in 1 file.]");
  });

  it("does not count entries before the continuation again", async () => {
    const [text] = texts(await ready().call(find, { pattern: "*.none", after: "ign" }));
    expect(text).not.toContain("ignored");
  });
});

describe("a pattern that is the name of an entry", () => {
  it.each(["app/[id]/page.tsx", "[id].tsx", "app/[...slug]/*"])("finds the entry: %s", async (pattern) => {
    const { call } = withFiles({
      "app/[id]/page.tsx": "needle\n",
      "app/[...slug]/page.tsx": "needle\n",
      "deep/[id].tsx": "needle\n",
    });
    const { paths } = (await call<{ paths: string[] }>(find, { pattern })).details;
    expect(paths).toHaveLength(1);
    const [text] = texts(await call(grep, { pattern: "needle", glob: pattern }));
    expect(text).toContain(paths[0]);
  });

  it("still is a set of characters", async () => {
    const { call } = withFiles({ "a1.ts": "", "a2.ts": "", "a3.ts": "" });
    expect((await call<{ paths: string[] }>(find, { pattern: "a[12].ts" })).details.paths).toEqual([
      "a1.ts",
      "a2.ts",
    ]);
  });
});

describe("a continuation behind a name that ends with a number", () => {
  it("reaches all files", async () => {
    const { call } = withFiles({ "a:12": "needle\n", "a:3": "needle\n", b: "needle\n", c: "needle\n" });
    const found: string[] = [];
    let after: string | undefined;
    for (let page = 0; page < 5; page += 1) {
      const { details } = await call<{ matches: { path: string }[]; continuation?: { after: string } }>(
        grep,
        {
          pattern: "needle",
          filesOnly: true,
          limit: 1,
          ...(after !== undefined && { after }),
        },
      );
      found.push(...details.matches.map(({ path }) => path));
      if (details.continuation === undefined) break;
      ({ after } = details.continuation);
    }
    expect(found).toEqual(["a:12", "a:3", "b", "c"]);
  });
});
