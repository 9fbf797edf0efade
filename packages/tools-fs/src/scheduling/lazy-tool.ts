import type { PlanContext, ToolContext, Workspace } from "@haft/plugin-sdk";

/** One call of a file tool, as its steps take it. */
export interface FileCall<Params = unknown, Options = object> {
  /** Its id; none while it is planned. */
  id?: string | undefined;
  params: Params;
  options: Options;
  signal: AbortSignal;
  workspace: Workspace;
  /** Empty for a tool that brings its own workspace and is called without a session. */
  context: Partial<ToolContext>;
}

/** Puts a call together. It acts in the workspace of the tool's options, or in the one of the session. */
export function toFileCall<Params, Options extends { workspace?: Workspace }>(
  options: Options,
  params: Params,
  signal: AbortSignal,
  context: PlanContext | ToolContext,
  id?: string,
): FileCall<Params, Options> {
  const workspace = options.workspace ?? context.workspace;
  return { id, params, options, signal, workspace, context: context ?? {} };
}

/** Where calls wait while something is being loaded: one line for the whole package. */
let line: Promise<void> | undefined;

/**
 * The one way in which this package loads a part of itself late: with the first call that needs it; later calls are
 * answered with the module itself. Calls go on in the order in which they came, whatever each of them has to wait
 * for: of two that change one file, the second never overtakes the first.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined;
  const inTurn = async (before: Promise<void> | undefined): Promise<Module> => {
    await before;
    return (loaded ??= await load());
  };
  return () => {
    if (loaded !== undefined && line === undefined) return loaded;
    const turn = inTurn(line);
    const over = end(turn);
    line = over;
    void closeAfter(over);
    return turn;
  };
}

/** What could not be loaded now, with too many files open, may be another time. */
async function end(turn: Promise<unknown>): Promise<void> {
  try {
    await turn;
  } catch {
    // The call itself fails.
  }
}

async function closeAfter(over: Promise<void>): Promise<void> {
  await over;
  if (line === over) line = undefined;
}
