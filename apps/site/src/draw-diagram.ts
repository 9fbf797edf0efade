import { renderMermaidSVG } from "beautiful-mermaid";

/**
 * Draws a diagram as the site is built: nobody's browser has to, and the theme's colours hold, light and dark (`.diagram` of
 * pages.css has the styles that are taken out here, and with them a font that would come from elsewhere).
 *
 * @param name of its own on its page
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
    // Small enough to be read at a glance, large enough to be read at all; beyond that it is moved sideways.
    .replace(
      /<svg ([^>]*?width="([\d.]+)"[^>]*?) style="/,
      (_, given: string, width: string) =>
        `<svg ${given} role="img" aria-label="Diagram" style="min-width:${Math.round(0.72 * Number(width))}px;`,
    )
    .replaceAll(/\n\s*/g, "");
  return `<div class="diagram" tabindex="0" v-pre>${alone}</div>\n`;
}
