import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFinder, readModels } from "../src/api/read-models.ts";
import { escapeHtml } from "../src/api/render-comment.ts";
import { renderEntry } from "../src/api/render-entry.ts";

const TSDOC = { $schema: "https://developer.microsoft.com/json-schemas/tsdoc/v0/tsdoc.schema.json" };

test("renders comments as text, without elements, Vue expressions or ends of attributes", () => {
  expect(escapeHtml('<b a="1">&amp; {{ process.exit() }}')).toBe(
    "&lt;b a=&quot;1&quot;&gt;&amp;amp; <span v-pre>{{</span> process.exit() }}",
  );
});

test("a comment with a list, and with parameters below one, is as it was meant", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-models-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const excerptTokens = [{ kind: "Content", text: "export declare function act(options: object): void;" }];
  const docComment = `/**
 * Acts, by:
 * - \`a\` and
 *   more;
 * - {@link act | itself}.
 *
 * @param - options.fast when in a hurry
 *
 * @throws
 *
 * \`NOT_FOUND\` and \`OTHER\`.
 *
 * @example
 * \`\`\`ts run
 * import { act } from "@haft/x";
 *
 * act({ fast: true });
 * \`\`\`
 */`;
  const act = {
    kind: "Function",
    canonicalReference: "@haft/x!act:function(1)",
    docComment,
    excerptTokens,
    returnTypeTokenRange: { startIndex: 0, endIndex: 0 },
    releaseTag: "Public",
    overloadIndex: 1,
    parameters: [],
    name: "act",
  };
  const entryPoint = { kind: "EntryPoint", canonicalReference: "@haft/x!", name: "", members: [act] };
  const model = {
    metadata: {
      toolPackage: "@microsoft/api-extractor",
      toolVersion: "7",
      schemaVersion: 1011,
      oldestForwardsCompatibleVersion: 1001,
      tsdocConfig: TSDOC,
    },
    kind: "Package",
    canonicalReference: "@haft/x!",
    docComment: "",
    name: "@haft/x",
    members: [entryPoint],
  };
  writeFileSync(join(folder, "x.api.json"), JSON.stringify(model));
  writeFileSync(join(folder, "x.api.md"), 'export * from "@haft/core";\n');
  const entries = readModels(folder);
  const page = renderEntry(entries[0]!, createFinder(entries), new Set(["NOT_FOUND"]));
  expect(page).toContain("# @haft/x\n\nIt also exports everything of [`@haft/core`](./core.md).");
  expect(page).toContain(
    '<p>Acts, by:</p><ul><li><code>a</code> and more;</li><li><a href="x.html#act">itself</a>.</li></ul>',
  );
  expect(page).toContain("<li><code>options.fast</code> when in a hurry</li>");
  expect(page).toContain(
    '<strong>Throws</strong> <a href="../errors.html#not_found"><code>NOT_FOUND</code></a> and <code>OTHER</code>.',
  );
  expect(page).toContain(
    '<p><strong>Example</strong></p><pre class="declared"><code>import { act } from &quot;@haft/x&quot;;&#10;&#10;act({ fast: true });</code></pre>',
  );
});
