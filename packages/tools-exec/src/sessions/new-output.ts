import type { ProcessState } from "@haft/core";
import type { Excerpt } from "../output/render-window.ts";
import { OUTPUT_BUDGET, renderText, renderWindow } from "../output/render-window.ts";
import type { TextBudget } from "../output/cut-middle.ts";
import { readWindow } from "../output/read-window.ts";
import { newScreenText } from "../output/screen-text.ts";
import type { CommandSession, Position } from "./command-session.ts";

export interface NewOutput extends Excerpt {
  /** Where the next answer goes on. */
  position: Position;
  /** Was there any, even if nothing of it can be seen? */
  isNew: boolean;
  /** Whether it still ran when this was read. */
  state: ProcessState;
}

/** What a command has written since a position, as the model reads it. */
export async function newOutput(
  session: CommandSession,
  from: Position,
  budget: TextBudget = OUTPUT_BUDGET,
): Promise<NewOutput> {
  if (session.info.pty) {
    const { snapshot, offset, state } = await session.terminal.look();
    const isNew = offset > from.offset;
    const excerpt = renderText(isNew ? newScreenText(snapshot, from.screen) : "", budget);
    return { ...excerpt, isNew, state, position: { ...from, offset, screen: snapshot } };
  }
  const window = await readWindow(session.processes, session.info.id, from.offset);
  const { state: decoder, ...excerpt } = renderWindow(window, from.decoder, budget);
  return {
    ...excerpt,
    isNew: window.next > from.offset,
    state: window.state,
    position: { offset: window.next, decoder, screen: undefined },
  };
}
