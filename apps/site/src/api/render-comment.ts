import type {
  DocCodeSpan,
  DocEscapedText,
  DocFencedCode,
  DocLinkTag,
  DocNode,
  DocPlainText,
} from "@microsoft/tsdoc";

/** Text as it stands in HTML that Vue reads, too. */
export function escapeHtml(text: string): string {
  const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (each) => named[each]!).replaceAll("{{", "<span v-pre>{{</span>");
}

/** Where a name is described. */
export type LinkTo = (name: string) => string | undefined;

/**
 * A part of a comment as HTML.
 *
 * @param linkTo for names that a link means, and codes of errors
 */
export function renderComment(node: DocNode, linkTo: LinkTo): string {
  const inner = () =>
    node
      .getChildNodes()
      .map((each) => renderComment(each, linkTo))
      .join("");
  switch (node.kind) {
    case "PlainText":
      return escapeHtml((node as DocPlainText).text);
    case "EscapedText":
      return escapeHtml((node as DocEscapedText).decodedText);
    case "SoftBreak":
      return "\n";
    case "CodeSpan":
      return renderCode((node as DocCodeSpan).code, linkTo);
    case "FencedCode":
      return renderFence((node as DocFencedCode).code.trimEnd());
    case "LinkTag":
      return renderLink(node as DocLinkTag, linkTo);
    case "Paragraph":
      return renderParagraph(inner().trim());
    default:
      return inner();
  }
}

/** A block of code. Its line breaks are entities: a blank line would end the HTML around it. */
function renderFence(code: string): string {
  return `<pre class="declared"><code>${escapeHtml(code).replaceAll("\n", "&#10;")}</code></pre>`;
}

/** Code, which is a link where it is the code of an error. */
function renderCode(code: string, linkTo: LinkTo): string {
  const html = `<code>${escapeHtml(code)}</code>`;
  const target = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/.test(code) ? linkTo(code) : undefined;
  return target === undefined ? html : `<a href="${target}">${html}</a>`;
}

/** Lines, of which those that begin with a dash are a list. */
function renderParagraph(text: string): string {
  const [before = "", ...items] = text.split(/^- /m).map((part) => part.trim().replaceAll(/\s*\n\s*/g, " "));
  const list = items.map((item) => `<li>${item}</li>`).join("");
  return `${before === "" ? "" : `<p>${before}</p>`}${list === "" ? "" : `<ul>${list}</ul>`}`;
}

function renderLink(tag: DocLinkTag, linkTo: LinkTo): string {
  const names =
    tag.codeDestination?.memberReferences.map((each) => each.memberIdentifier?.identifier ?? "") ?? [];
  const text = escapeHtml(tag.linkText ?? (names.join(".") || (tag.urlDestination ?? "")));
  const target = tag.urlDestination ?? linkTo(names[0] ?? "");
  return target === undefined ? `<code>${text}</code>` : `<a href="${escapeHtml(target)}">${text}</a>`;
}
