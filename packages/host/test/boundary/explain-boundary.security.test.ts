import { fc, test as property } from "@fast-check/vitest";
import type { ToolOutcome } from "@haft/core";
import type { CallExplanation, Session, SessionPreview } from "@haft/core/kernel";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createHost, type Host } from "../../src/host/host.ts";

/** A workspace beside things that are none of its business, with every way there is from one to the other. */
const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-boundary-")));
const root = join(base, "workspace");
const reference = join(base, "reference");
let host: Host;

function fill(): void {
  for (const folder of [
    root,
    reference,
    join(base, "outside"),
    join(root, ".git"),
    join(root, "src/deep"),
    join(root, ".ssh"),
  ]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(base, "outside/secret.txt"), "one\n");
  writeFileSync(join(reference, "book.txt"), "one\n");
  writeFileSync(join(root, "a.txt"), "one\n");
  writeFileSync(join(root, "src/b.txt"), "one\n");
  writeFileSync(join(root, ".git/config"), "one\n");
  writeFileSync(join(root, ".ssh/id_rsa"), "one\n");
  writeFileSync(join(root, "twin.txt"), "one\n");
  linkSync(join(root, "twin.txt"), join(root, "src/twin.txt"));
  symlinkSync("src/b.txt", join(root, "inner"));
  symlinkSync("../outside/secret.txt", join(root, "outer"));
  symlinkSync("../outside", join(root, "out"));
  symlinkSync("nowhere", join(root, "dangling"));
  symlinkSync("../outside/new.txt", join(root, "outer-new"));
  symlinkSync(".git", join(root, "git"));
  symlinkSync("circle", join(root, "circle"));
}

const PATHS = [
  "a.txt",
  "./src/../a.txt",
  "src/b.txt",
  "src",
  "missing.txt",
  "new/deep/file.txt",
  "src/missing/../../a.txt",
  ".",
  "",
  "..",
  "../outside/secret.txt",
  "../../etc/passwd",
  "/etc/passwd",
  "src/../../outside/secret.txt",
  "~/x",
  "a.txt/b",
  "inner",
  "outer",
  "out",
  "out/secret.txt",
  "out/new.txt",
  "out/../a.txt",
  "outer-new",
  "dangling",
  "circle",
  "circle/x",
  ".git",
  ".git/config",
  ".git/hooks/pre-commit",
  "git/config",
  "git",
  ".GIT/config",
  "src/.git",
  ".ssh/id_rsa",
  ".env",
  "twin.txt",
  "src/twin.txt",
  "ref:book.txt",
  "ref:new.txt",
  "ref:../outside/secret.txt",
  "file:///etc/passwd",
  "a\0b",
];
const paths = fc.oneof(
  fc.constantFrom(...PATHS),
  fc.constantFrom(...PATHS).map((path) => join(root, path)),
);

/** Calls that act on one path or two; what they do is the same whatever the path. */
const CALLS: Readonly<Record<string, (path: string, other: string) => [string, Record<string, unknown>]>> = {
  read: (path) => ["read", { path }],
  ls: (path) => ["ls", { path }],
  find: (path) => ["find", { pattern: "*.txt", path }],
  grep: (path) => ["grep", { pattern: "one", path }],
  write: (path) => ["write", { path, content: "two\n" }],
  edit: (path) => ["edit", { path, oldText: "one", newText: "two" }],
  add: (path) => ["apply_patch", { input: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` }],
  delete: (path) => ["apply_patch", { input: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }],
  move: (path, to) => [
    "apply_patch",
    { input: `*** Begin Patch\n*** Update File: ${path}\n*** Move to: ${to}\n@@\n-one\n+two\n*** End Patch` },
  ],
  exec: (path) => ["exec", { command: "true", workdir: path }],
};

beforeAll(async () => {
  fill();
  host = await createHost({
    workspaceDir: root,
    roots: { ref: { path: reference, access: "ro" } },
    stateDir: false,
    administratorPolicy: false,
    policy: { sessions: { group: { grant: ["write", "edit", "apply_patch"] } } },
  });
});
afterAll(async () => {
  await host.close();
  rmSync(base, { recursive: true, force: true });
});

/** Everything there is, and when it was last changed. */
function state(folder = base): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [path, ...state(path)];
    return entry.isFile() ? [`${path} ${statSync(path).mtimeMs} ${readFileSync(path, "utf8")}`] : [path];
  });
}

const codeOf = (outcome: ToolOutcome) => ("code" in outcome ? outcome.code : outcome.kind);
/** Said by the boundary, and by nobody else. */
const BOUNDARY = /^(?:OUTSIDE_WORKSPACE|PATH_DENIED|READ_ONLY|HARD_LINKED)$/;

async function agree(session: Session, preview: SessionPreview, name: string, args: Record<string, unknown>) {
  const before = state();
  const explanation = await session.explain(name, args);
  expect(await preview.explain(name, args)).toMatchObject({ verdict: explanation.verdict });
  expect(state()).toEqual(before);
  const outcome = await session.call({ name, arguments: args });
  return { explanation, outcome };
}

function expectAgreement({ verdict, code, reason, fix, trace }: CallExplanation, outcome: ToolOutcome): void {
  const facts = { verdict, code, reason, outcome: codeOf(outcome) };
  if (code !== undefined) {
    expect(facts).toMatchObject({ verdict: "denied", code: expect.stringMatching(BOUNDARY) });
    expect(fix).toBeTypeOf("string");
    expect(trace.filter(({ decided }) => decided)).toMatchObject([{ stage: "workspace", verdict: "deny" }]);
    // What is missing besides may be what the call says first.
    if (BOUNDARY.test(codeOf(outcome))) expect(facts.outcome).toBe(code);
    else expect(outcome).toMatchObject({ kind: "error", category: "input" });
  } else {
    expect(codeOf(outcome)).not.toMatch(BOUNDARY);
  }
  if (outcome.kind === "ok") expect(facts).toMatchObject({ verdict: "runs" });
  if (outcome.kind === "pending") expect(facts).toMatchObject({ verdict: "asks" });
}

property.prop(
  [fc.constantFrom(...Object.keys(CALLS)), paths, paths, fc.constantFrom("main" as const, "group" as const)],
  {
    numRuns: scaleRuns(150, 6),
  },
)("explain says of every path what the boundary then says", async (call, path, other, kind) => {
  rmSync(base, { recursive: true, force: true });
  fill();
  const [name, args] = CALLS[call]!(path, other);
  const session = await host.openSession({ kind });
  try {
    const { explanation, outcome } = await agree(session, await host.preview({ kind }), name, args);
    expectAgreement(explanation, outcome);
  } finally {
    await session.close();
  }
});

describe("explanations of refused paths", () => {
  test.each([
    ["read", { path: "../../etc/passwd" }, "OUTSIDE_WORKSPACE"],
    ["read", { path: "outer" }, "OUTSIDE_WORKSPACE"],
    ["read", { path: "twin.txt" }, "HARD_LINKED"],
    ["read", { path: ".ssh/id_rsa" }, "PATH_DENIED"],
    ["write", { path: ".git/config", content: "x" }, "READ_ONLY"],
    ["write", { path: "ref:book.txt", content: "x" }, "READ_ONLY"],
    ["edit", { path: "git/config", oldText: "one", newText: "x" }, "READ_ONLY"],
    ["exec", { command: "true", workdir: "/etc" }, "OUTSIDE_WORKSPACE"],
    ["exec", { command: "true", env: { LD_PRELOAD: "x" } }, "ENVIRONMENT_BLOCKED"],
  ] as const)("%s %o: %s, in the explanation and in the call", async (name, args, code) => {
    rmSync(base, { recursive: true, force: true });
    fill();
    for (const kind of ["main", "group"] as const) {
      const session = await host.openSession({ kind });
      const { explanation, outcome } = await agree(session, await host.preview({ kind }), name, { ...args });
      expect([kind, explanation.verdict, explanation.code, codeOf(outcome)]).toEqual([
        kind,
        "denied",
        code,
        code,
      ]);
      expect(outcome).toMatchObject({ kind: "error", receipt: "none" });
      await session.close();
    }
  });

  test("request no approval and suggest no rule if the boundary refuses", async () => {
    const session = await host.openSession({ kind: "group" });
    expect(await session.explain("bash", { script: "true", workdir: "/etc" })).toMatchObject({
      verdict: "denied",
      code: "OUTSIDE_WORKSPACE",
    });
    const outcome = await session.call({ name: "bash", arguments: { script: "true", workdir: "/etc" } });
    expect(codeOf(outcome)).toBe("OUTSIDE_WORKSPACE");
    expect(session.pendingApprovals()).toEqual([]);
    await session.close();
  });
});
