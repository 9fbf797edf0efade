import type {
  DocCodeSpan,
  DocEscapedText,
  DocFencedCode,
  DocLinkTag,
  DocNode,
  DocPlainText,
} from "@microsoft/tsdoc";

/** HTML that Vue also reads. */
export function escapeHtml(text: string): string {
  const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (each) => named[each]!).replaceAll("{{", "<span v-pre>{{</span>");
}

export type LinkTo = (name: string) => string | undefined;

/**
 * Renders a part of a comment.
 *
 * @param linkTo for names in links, and error codes
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

/** Renders code with line breaks as entities: a blank line would end the surrounding HTML. */
function renderFence(code: string): string {
  return `<pre class="declared"><code>${escapeHtml(code).replaceAll("\n", "&#10;")}</code></pre>`;
}

/** Links error codes. */
function renderCode(code: string, linkTo: LinkTo): string {
  const html = `<code>${escapeHtml(code)}</code>`;
  const target = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/.test(code) ? linkTo(code) : undefined;
  return target === undefined ? html : `<a href="${target}">${html}</a>`;
}

/** Lines with a leading dash become a list. */
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
