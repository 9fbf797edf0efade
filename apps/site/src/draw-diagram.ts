import { renderMermaidSVG } from "beautiful-mermaid";

/**
 * Draws a diagram at build time, with light and dark theme colours (`.diagram` of pages.css replaces the
 * removed styles and their external font).
 *
 * @param name unique on its page
 */
export function drawDiagram(text: string, name: string): string {
  const svg = renderMermaidSVG(text, {
    bg: "var(--vp-c-bg)",
    fg: "var(--vp-c-text-1)",
    transparent: true,
    padding: 4,
    nodeSpacing: 14,
    layerSpacing: 26,
  });
  const alone = svg
    .replaceAll(/<style>[^]*?<\/style>/g, "")
    .replaceAll(/\bid="([^"]+)"/g, `id="${name}-$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${name}-$1)`)
    // Readable at a glance; larger diagrams scroll sideways.
    .replace(
      /<svg ([^>]*?width="([\d.]+)"[^>]*?) style="/,
      (_, given: string, width: string) =>
        `<svg ${given} role="img" aria-label="Diagram" style="min-width:${Math.round(0.72 * Number(width))}px;`,
    )
    .replaceAll(/\n\s*/g, "");
  return `<div class="diagram" tabindex="0" v-pre>${alone}</div>\n`;
}
