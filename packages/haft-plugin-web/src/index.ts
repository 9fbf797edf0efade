import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { webFetch } from "./web-fetch.ts";

/**
 * A plugin with the tool `web_fetch`, which reads a page of the web as Markdown. The policy decides about the host of each page and
 * of each redirect.
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

// The one export that a host looks for.
// oxlint-disable-next-line import/no-default-export
export default web;
