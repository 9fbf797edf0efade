import type { Effect, PackagePlan } from "../plan.ts";

export interface ToolTemplate {
  description: string;
  imports: readonly string[];
  parameters: string;
  more?: string;
  /** Source of `execute`, from its parameters on. */
  execute: string;
  test: {
    name: string;
    options: string;
    args: string;
    said: string;
    after?: string;
    wrong: string;
    code: string;
  };
}

// In the templates, these names would look like imports of this package.
const SDK = JSON.stringify("@haft/plugin-sdk");
const TESTING = JSON.stringify("@haft/plugin-sdk/testing");

export const TOOLS: Readonly<Record<Effect, ToolTemplate>> = {
  none: {
    description: "Counts the words of a text.",
    imports: ["defineTool", "text", "Type"],
    parameters: `text: Type.String({ description: "Text to count.", maxLength: 100_000 }),`,
    execute: `execute(_toolCallId, { text: given }) {
    const words = given.split(/\\s+/).filter((word) => word !== "").length;
    return { content: [text(\`\${words} words\`)], details: { words } };
  },`,
    test: {
      name: "counts words",
      options: "",
      args: `{ text: "one two" }`,
      said: "2 words",
      wrong: "{ text: 7 }",
      code: "INVALID_ARGUMENTS",
    },
  },
  read: {
    description: "Counts the lines of a text file of the workspace.",
    imports: ["defineTool", "text", "Type"],
    parameters: `path: Type.String({ description: "File to count, relative to the workspace." }),`,
    more: `aliases: { path: ["file", "file_path"] },`,
    execute: `async execute(_toolCallId, { path }, signal, _onUpdate, { workspace }) {
    const { bytes } = await workspace.fs.read(path, { signal });
    const lines = new TextDecoder().decode(bytes).split("\\n").length - 1;
    return { content: [text(\`\${lines} lines\`)], details: { path, lines } };
  },`,
    test: {
      name: "counts lines",
      options: `files: { "notes.txt": "one\\ntwo\\n" }`,
      args: `{ path: "notes.txt" }`,
      said: "2 lines",
      wrong: `{ path: "missing.txt" }`,
      code: "FILE_NOT_FOUND",
    },
  },
  write: {
    description: "Appends a line to a text file of the workspace.",
    imports: ["defineTool", "text", "Type"],
    parameters: `line: Type.String({ description: "Line to append.", maxLength: 1_000 }),
    path: Type.Optional(Type.String({ description: "File to change. Default: notes.txt." })),`,
    execute: `async execute(_toolCallId, { line, path = "notes.txt" }, _signal, _onUpdate, { workspace }) {
    await workspace.fs.append(path, new TextEncoder().encode(\`\${line}\\n\`));
    return { content: [text(\`Added to \${path}.\`)], details: { path } };
  },`,
    test: {
      name: "adds a line",
      options: `files: { "notes.txt": "one\\n" }`,
      args: `{ line: "two" }`,
      said: "Added to notes.txt.",
      after: `assert.equal(await session.files.read("notes.txt"), "one\\ntwo\\n");`,
      wrong: `{ line: "two", path: "../outside.txt" }`,
      code: "OUTSIDE_WORKSPACE",
    },
  },
  network: {
    description: "Looks up the status of a service at https://api.example.com.",
    imports: ["defineTool", "HaftError", "text", "Type"],
    parameters: `service: Type.String({ description: "Name of the service.", pattern: "^[a-z0-9-]{1,40}$" }),`,
    more: `hosts: ["api.example.com"],`,
    execute: `async execute(_toolCallId, { service }, signal, _onUpdate, { fetch }) {
    const response = await fetch(\`https://api.example.com/status/\${service}\`, { signal });
    if (!response.ok)
      throw new HaftError("STATUS_UNKNOWN", \`The status of \${service} is unknown (\${response.status}).\`, {
        category: "operational",
        fix: "Ask for another service, or later.",
      });
    const status = (await response.text()).slice(0, 1_000);
    return { content: [text(\`\${service}: \${status}\`)], details: { service, status } };
  },`,
    test: {
      name: "looks up a status",
      options: `network: {
        "https://api.example.com/status/shop": "up",
        "https://api.example.com/status/gone": () => new Response("", { status: 404 }),
      }`,
      args: `{ service: "shop" }`,
      said: "shop: up",
      wrong: `{ service: "gone" }`,
      // Code of the generated plugin.
      code: `STATUS_UNKNOWN`,
    },
  },
};

export function toolSource({ tool, effect }: PackagePlan): string {
  const { description, imports, parameters, more, execute } = TOOLS[effect];
  return `import { ${imports.join(", ")} } from ${SDK};

export const ${variableOf(tool)} = defineTool({
  name: ${JSON.stringify(tool)},
  // The model reads this: function, result, and when to use the tool.
  description: ${JSON.stringify(description)},
  parameters: Type.Object({
    ${parameters}
  }),
  // All effects of a call. Rules, approvals and receipts use them.
  effects: [${effect === "none" ? "" : JSON.stringify(effect)}],
${more === undefined ? "" : `  ${more}\n`}  ${execute}
});
`;
}

export function pluginSource({ id, tool }: PackagePlan): string {
  return `import { definePlugin } from ${SDK};
import { ${variableOf(tool)} } from "./${toToolFileName(tool)}.ts";

export default definePlugin({ id: ${JSON.stringify(id)}, tools: [${variableOf(tool)}] });
`;
}

/** Tests the tool in each kind of session, and with the kit's checks. */
export function testSource({ tool, effect }: PackagePlan): string {
  const { name, options, args, said, after, wrong, code } = TOOLS[effect].test;
  return `import { contentToText } from ${SDK};
import { createTestSession, testPlugin } from ${TESTING};
import assert from "node:assert/strict";
import { test } from "node:test";
import plugin from "../src/index.ts";

// The same code runs in sessions of the owner, of several senders, and in a sandbox.
for (const kind of ["main", "group", "sandboxed"] as const) {
  test(\`${name} in a \${kind} session\`, async (t) => {
    const session = await createTestSession(plugin, {
      kind,${options === "" ? "" : `\n      ${options},`}
    });
    t.after(() => session.close());

    const outcome = await session.call(${JSON.stringify(tool)}, ${args});
    assert.equal(outcome.kind, "ok", contentToText(outcome.content));
    assert.equal(contentToText(outcome.content), ${JSON.stringify(said)});
${after === undefined ? "" : `    ${after}\n`}
    const wrong = await session.call(${JSON.stringify(tool)}, ${wrong});
    assert.ok(wrong.kind === "error" && wrong.code === ${JSON.stringify(code)}, contentToText(wrong.content));
  });
}

test("is a good plugin", async () => {
  // The tests above use the sandbox.
  (await testPlugin(plugin, { sandbox: false })).assert();
});
`;
}

/** `count_lines` becomes countLines. */
function variableOf(tool: string): string {
  const name = tool.replaceAll(/[_-]+(.)?/g, (_, next: string | undefined) => (next ?? "").toUpperCase());
  return RESERVED.has(name) ? `${name}Tool` : name;
}

/** `count_lines` becomes count-lines.ts. */
export function toToolFileName(tool: string): string {
  const name = tool.toLowerCase().replaceAll(/[_-]+/g, "-").replaceAll(/^-|-$/g, "");
  return name === "index" ? "index-tool" : name;
}

const RESERVED = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static " +
    "super switch this throw true try typeof var void while with yield text defineTool definePlugin Type HaftError"
  ).split(" "),
);
