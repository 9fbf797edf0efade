import { join } from "node:path";
// Builds the documents into dist/: stages and renders pages, and finds dead links.
import { build } from "vitepress";
import { check, expectNone, need, finish } from "../../../scripts/lib/checks.ts";
import { findDeadLinks } from "./dead-links.ts";
import { writeLlmsText } from "./llms-text.ts";
import { base } from "./pages.ts";
import { stagePages } from "./stage-pages.ts";

const site = join(import.meta.dirname, "..");

await need("pages are put together", stagePages);
await need("pages are rendered", () => build(site));
await check("llms.txt is written", () => writeLlmsText(join(site, "dist")));
await check("links lead somewhere", () => expectNone(findDeadLinks(join(site, "dist"), base)));
await finish();
