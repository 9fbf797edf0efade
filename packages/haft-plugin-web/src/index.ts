import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { webFetch } from "./web-fetch.ts";

/**
 * A plugin with the tool `web_fetch`, which reads a web page as Markdown. The policy decides about the host of each page and each redirect.
 *
 * @example
 * ```ts
 * import { createHost } from "haft";
 * import web from "haft-plugin-web";
 * const host = await createHost({ workspaceDir: process.cwd(), plugins: [web] });
 * const session = await host.openSession({ kind: "main" });
 * const outcome = await session.call({ name: "web_fetch", arguments: { url: "https://example.com" } });
 * ```
 */
const web: Plugin = definePlugin({ id: "web", name: "Web", tools: [webFetch] });

// Hosts read the default export.
// oxlint-disable-next-line import/no-default-export
export default web;
