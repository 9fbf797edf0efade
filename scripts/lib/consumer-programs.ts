import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root } from "./workspace.ts";

export interface ConsumerSetup {
  title: string;
  compiler: string;
  options: Record<string, unknown>;
}

/** The oldest supported TypeScript. */
const OLDEST_TYPESCRIPT = "5.6";

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  declaration: true,
  module: "nodenext",
  target: "es2023",
  lib: ["es2023"],
  types: [],
};
const withNode = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };

export function consumerSetups(): ConsumerSetup[] {
  const current = join(root, "node_modules/.bin/tsc");
  return [
    { title: "the current TypeScript, without Node's types", compiler: current, options: strict },
    {
      title: `TypeScript ${OLDEST_TYPESCRIPT}, without Node's types`,
      compiler: oldestCompiler(),
      options: strict,
    },
    {
      title: "the current TypeScript, with the types of Node and of browsers",
      compiler: current,
      options: { ...strict, lib: ["esnext", "dom"], ...withNode },
    },
  ];
}

/**
 * Lists entry points whose library types need Node's or browsers' types, or are not strict. They compile with
 * these types but without library checks.
 */
export const LIBRARY_TYPES: readonly string[] = ["@haft/chat", "@haft/otel"];

/** Imports every entry point. */
export function everyImport(specifiers: readonly string[]): string {
  return specifiers.map((specifier, i) => `import * as m${i} from "${specifier}";\nvoid m${i};\n`).join("");
}

/** Another tool installed this compiler. */
function oldestCompiler(): string {
  const tool = createRequire(join(root, "package.json")).resolve("@arethetypeswrong/cli/package.json");
  const manifest = createRequire(createRequire(tool).resolve("@arethetypeswrong/core")).resolve(
    "typescript/package.json",
  );
  const { version } = createRequire(manifest)("./package.json") as { version: string };
  if (!version.startsWith(`${OLDEST_TYPESCRIPT}.`)) {
    throw new Error(
      `attw brings TypeScript ${version} now: change OLDEST_TYPESCRIPT, and say so in a changeset.`,
    );
  }
  return join(dirname(manifest), "bin/tsc");
}

/**
 * A plugin with the user's TypeBox: `execute` infers its parameters from either copy. Emitted declarations
 * need names of all types.
 */
export const TWO_COPIES = `
import { defineTool, text, Type as Ours } from "@haft/plugin-sdk";
import { Type as Own } from "@sinclair/typebox";

interface Expected { path: string; limit?: number; mode: "fast" | "safe"; tags: string[] }
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const ownSchema = Own.Object({
  path: Own.String({ description: "File." }),
  limit: Own.Optional(Own.Integer({ minimum: 1 })),
  mode: Own.Union([Own.Literal("fast"), Own.Literal("safe")]),
  tags: Own.Array(Own.String()),
});
export const foreignTool = defineTool({
  name: "own", description: "Takes a schema of another copy.", parameters: ownSchema, effects: [],
  execute(_id, params, signal) {
    const same: Same<typeof params, Expected> = true;
    // @ts-expect-error -- There is no such parameter.
    void params.paht;
    const stopped: boolean = signal.aborted;
    return { content: [text(params.path)], details: { same, stopped } };
  },
});

export const ours = defineTool({
  name: "ours", description: "Takes a schema of this copy.", effects: [],
  parameters: Ours.Object({
    path: Ours.String({ description: "File." }),
    limit: Ours.Optional(Ours.Integer({ minimum: 1 })),
    mode: Ours.Union([Ours.Literal("fast"), Ours.Literal("safe")]),
    tags: Ours.Array(Ours.String()),
  }),
  execute(_id, params) {
    const same: Same<typeof params, Expected> = true;
    // @ts-expect-error -- There is no such parameter.
    void params.paht;
    return { content: [text(params.path)], details: { same } };
  },
});
`;
