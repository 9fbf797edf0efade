import { loadFetch } from "./load-fetch.ts";

/** Loads what `context.fetch` needs, for whoever watches what tools load themselves. */
export async function prepareFetch(): Promise<void> {
  await loadFetch();
}
