import {
  type ApiDeclaredItem,
  type ApiDocumentedItem,
  type ApiItem,
  ApiItemContainerMixin,
  type Excerpt,
} from "@microsoft/api-extractor-model";
import type { DocNode } from "@microsoft/tsdoc";
import { toSlug } from "../../../../scripts/lib/markdown.ts";
import { type Entry, type Finder, parseReference } from "./read-models.ts";
import { escapeHtml, type LinkTo, renderComment } from "./render-comment.ts";

/** Headings with their kinds of exports. */
const KINDS: readonly (readonly [title: string, kinds: readonly string[]])[] = [
  ["Functions", ["Function"]],
  ["Classes", ["Class"]],
  ["Values", ["Variable", "Enum", "Namespace"]],
  ["Types", ["Interface", "TypeAlias"]],
];

/** An entry point's page: Markdown headings with HTML, where names link to descriptions. */
export function renderEntry(entry: Entry, find: Finder, errors: ReadonlySet<string>): string {
  const page: Page = { entry, find, errors };
  const groups = KINDS.flatMap(([title, kinds]) => {
    const named = Map.groupBy(
      entry.exports.filter(({ kind }) => kinds.includes(kind)),
      ({ displayName }) => displayName,
    );
    const all = [...named].map(([name, items]) => renderExport(name, items, page));
    return all.length === 0 ? [] : [`## ${title}`, ...all];
  });
  const again = entry.reexports.map(
    (from) => `It also exports everything of [\`${from}\`](./${from.replace("@haft/", "")}.md).`,
  );
  return [`# ${entry.specifier}`, ...again, ...groups, ""].join("\n\n");
}

interface Page {
  entry: Entry;
  find: Finder;
  errors: ReadonlySet<string>;
}

/** Functions may have several declarations. */
function renderExport(name: string, items: readonly ApiItem[], page: Page): string {
  const parts = items.map((item) => {
    const members = ApiItemContainerMixin.isBaseClassOf(item) ? item.members : [];
    const { excerpt } = item as ApiDeclaredItem;
    const declared = `<pre class="declared" v-pre><code>${excerptHtml(excerpt, page, /^export (?:declare )?/)}</code></pre>`;
    const list = members.map((member) => renderMember(member, page)).join("\n");
    return [declared, describe(item, page), list === "" ? "" : `<dl class="members">\n${list}\n</dl>`]
      .filter(Boolean)
      .join("\n\n");
  });
  return [`### ${name}`, ...parts].join("\n\n");
}

function renderMember(item: ApiItem, page: Page): string {
  const { excerpt } = item as ApiDeclaredItem;
  const told = describe(item, page).replaceAll("\n", "");
  return `<dt><code v-pre>${excerptHtml(excerpt, page)}</code></dt>\n<dd>${told}</dd>`;
}

/** Renders summary, parameters, results, errors and examples without blank lines, which would end the HTML. */
function describe(item: ApiItem, page: Page): string {
  const comment = (item as ApiDocumentedItem).tsdocComment;
  if (comment === undefined) return "";
  const linkTo: LinkTo = (name) =>
    page.errors.has(name)
      ? `../errors.html#${toSlug(name)}`
      : page.find(page.entry.specifier, name, page.entry);
  const html = (node: DocNode | undefined) => (node === undefined ? "" : renderComment(node, linkTo));
  const words = (node: DocNode | undefined) => html(node).replaceAll(/^<p>|<\/p>$/g, "");
  const named = (name: string, node: DocNode | undefined) => {
    const text = words(node);
    return text === "" ? "" : `<p><strong>${name}</strong> ${text}</p>`;
  };
  const parameters = comment.params.blocks.map(({ parameterName, content }) => {
    const told = words(content);
    // TSDoc leaves `options.name` in the text.
    const [, path, rest] = /^<ul><li>([\w.]+) ([^]*)<\/li><\/ul>$|^$/.exec(told) ?? [];
    return `<li><code>${path ?? parameterName}</code> ${rest ?? told}</li>`;
  });
  const blocks = comment.customBlocks.map(({ blockTag: { tagName }, content }) =>
    tagName === "@example"
      ? `<p><strong>Example</strong></p>${html(content)}`
      : named(tagName === "@throws" ? "Throws" : `${tagName.slice(1)}:`, content),
  );
  return [
    html(comment.summarySection),
    html(comment.remarksBlock?.content),
    parameters.length === 0 ? "" : `<ul class="parameters">${parameters.join("")}</ul>`,
    named("Returns", comment.returnsBlock?.content),
    ...blocks,
    named("Deprecated.", comment.deprecatedBlock?.content),
  ]
    .filter(Boolean)
    .join("\n");
}

function excerptHtml(excerpt: Excerpt, { entry, find }: Page, cut = /^/): string {
  const html = excerpt.spannedTokens.map((token) => {
    const text = escapeHtml(token.text);
    const meant = parseReference(token);
    const target = meant === undefined ? undefined : find(meant.packageName, meant.exported, entry);
    return target === undefined ? text : `<a href="./${target}">${text}</a>`;
  });
  return html
    .join("")
    .replace(cut, "")
    .replace(/;$/, "")
    .replaceAll(/\n\s*\n/g, "\n");
}
