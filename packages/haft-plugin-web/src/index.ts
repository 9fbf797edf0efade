import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { webFetch } from "./web-fetch.ts";

/** `web_fetch`: a page of the web as Markdown. */
const web: Plugin = definePlugin({ id: "web", name: "Web", tools: [webFetch] });

// The one export that a host looks for.
// oxlint-disable-next-line import/no-default-export
export default web;
