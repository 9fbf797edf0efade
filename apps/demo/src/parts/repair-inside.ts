import type { Session } from "@haft/core/kernel";
import { runAgent } from "../agent.ts";
import type { Screen } from "../screen/screen.ts";
import type { Stage } from "./part.ts";

const INSTRUCTIONS =
  "You repair small JavaScript projects with the tools you have. Read before you change anything, and change as " +
  "little as possible. You work in a sandbox without network.";

const TASK =
  "A test of this project, which lies in a sandbox, fails. Run the tests as package.json says, find the cause, repair " +
  "it in src, and run them again. Leave everything else as it is. Paths are relative to the project.";

/** Has the model repair the project in the sandbox that the session works in. */
export async function repairInside(
  { model, signal }: Stage,
  session: Session,
  screen: Screen,
): Promise<void> {
  await runAgent({
    model: model.guest,
    session,
    instructions: INSTRUCTIONS,
    prompt: TASK,
    signal,
    onText: (said) => screen.prose(`» ${said}`, 2, screen.paint.cyan),
  });
}
