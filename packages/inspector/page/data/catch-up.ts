import type { InspectorEvent } from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";

/**
 * Fetches something that events change, takes the answer, and then hears once more all that was said since it was asked for: that
 * may be newer than the answer, or older, and hearing it again leaves everything as the last of it has it. So nothing is lost
 * between the two, however long the answer takes. Output comes by its own offsets and is not kept.
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
