import { describe, expect, test } from "vitest";
import { catalogueProblems, loadCatalogues, type CatalogueEntry } from "../scripts/lib/error-catalogues.ts";
import { findErrorCodes } from "../scripts/lib/error-codes.ts";

describe("findErrorCodes", () => {
  const codes = (source: string) => findErrorCodes(source, "a.ts").map(({ code }) => code);

  test("finds codes of errors and outcomes, and says where", () => {
    const source = [
      'export const failed = () => new HaftError(full ? "DISK_FULL" : "DISK_GONE", `No room for ${name}.`);',
      'const outcome = { kind: "error", code: "INTERRUPTED" };',
    ].join("\n");
    expect(findErrorCodes(source, "src/a.ts")).toEqual([
      { code: "DISK_FULL", location: "src/a.ts:1" },
      { code: "DISK_GONE", location: "src/a.ts:1" },
      { code: "INTERRUPTED", location: "src/a.ts:2" },
    ]);
  });

  test.each([
    ["comments", '// new HaftError("NOT_REAL")\n/* code: "NOT_REAL" */'],
    ["regular expressions with quotes", "const quote = /[\"'`]NOT_REAL/;"],
    [
      "names of the system",
      'if (error.code === "ENOENT") kill("SIGTERM", process.env["NO_COLOR"], "ERR_INVALID_ARG");',
    ],
    ["single words elsewhere", 'const method = "POST";'],
  ])("is not misled by %s", (_, source) => {
    expect(codes(source)).toEqual([]);
  });
});

describe("catalogues", () => {
  const entry = (more: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
    code: "DISK_FULL",
    package: "disks",
    category: "operational",
    meaning: "Either a | b.",
    fix: "Do this.",
    ...more,
  });
  const mention = { code: "DISK_FULL", location: "a.ts:1" };
  const raised = { package: "tools", category: "operational" as const };

  test("are right where each code is explained once, and used", () => {
    const again: CatalogueEntry = { code: "DISK_FULL", ...raised };
    expect(catalogueProblems([entry(), again], [mention])).toEqual([]);
  });

  const { meaning: _meaning, ...unexplained } = entry();
  const { fix: _fix, ...helpless } = entry();
  test.each<[string, CatalogueEntry[]]>([
    ["DISK_FULL is in no catalogue (a.ts:1)", []],
    ["DISK_FULL is explained more than once (disks, tools)", [entry(), entry({ package: "tools" })]],
    ["DISK_FULL has no meaning (disks)", [unexplained]],
    ["DISK_FULL does not say what to do (disks)", [helpless]],
    [
      "DISK_FULL has several categories (disks, tools)",
      [entry(), { ...unexplained, ...raised, category: "input" }],
    ],
  ])("%s", (problem, entries) => {
    expect(catalogueProblems(entries, [mention])).toEqual([problem]);
  });

  test("have no unused entry", () => {
    expect(catalogueProblems([entry()], [])).toEqual(["DISK_FULL is used nowhere (disks)"]);
  });

  test("are found in every package", async () => {
    const packages = new Set((await loadCatalogues()).map((each) => each.package));
    expect([...packages]).toEqual(expect.arrayContaining(["core", "policy", "workspace", "haft"]));
  });
});
