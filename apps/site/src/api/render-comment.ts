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
  return text.replaceAll(/[&<>"]/g, (each) => named[each]!).replaceAll("{{", "{&#8203;{");
}

/**
 * A part of a comment as HTML.
 *
 * @param linkTo where a name that a link means is described
 */
export function renderComment(node: DocNode, linkTo: (name: string) => string | undefined): string {
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
      return " ";
    case "CodeSpan":
      return `<code>${escapeHtml((node as DocCodeSpan).code)}</code>`;
    case "FencedCode":
      return `<pre class="declared"><code>${escapeHtml((node as DocFencedCode).code.trimEnd())}</code></pre>`;
    case "LinkTag":
      return renderLink(node as DocLinkTag, linkTo);
    case "Paragraph": {
      const text = inner().trim();
      return text === "" ? "" : `<p>${text}</p>`;
    }
    default:
      return inner();
  }
}

function renderLink(tag: DocLinkTag, linkTo: (name: string) => string | undefined): string {
  const names =
    tag.codeDestination?.memberReferences.map((each) => each.memberIdentifier?.identifier ?? "") ?? [];
  const text = escapeHtml(tag.linkText ?? (names.join(".") || (tag.urlDestination ?? "")));
  const target = tag.urlDestination ?? linkTo(names[0] ?? "");
  return target === undefined ? `<code>${text}</code>` : `<a href="${escapeHtml(target)}">${text}</a>`;
}
