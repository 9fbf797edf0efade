import type { InspectorEvent } from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";

/**
 * Fetches data and then applies events since the request again. Each event replaces the state, so their order
 * relative to the response does not matter. Output has offsets and is not repeated.
 */
export async function catchUp<Answer>(
  fetchIt: () => Promise<Answer>,
  take: (answer: Answer) => void,
  hear: (event: InspectorEvent) => void,
): Promise<void> {
  const since: InspectorEvent[] = [];
  const deaf = onEvent((event) => {
    if (event.type !== "output") since.push(event);
  });
  try {
    take(await fetchIt());
  } finally {
    deaf();
  }
  since.forEach(hear);
}
