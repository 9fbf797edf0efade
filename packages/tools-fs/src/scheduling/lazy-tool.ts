import type { PlanContext, ToolContext, Workspace } from "@haft/plugin-sdk";

export interface FileCall<Params = unknown, Options = object> {
  /** Undefined during planning. */
  id?: string | undefined;
  params: Params;
  options: Options;
  signal: AbortSignal;
  workspace: Workspace;
  /** Empty for a tool with its own workspace and without a session. */
  context: Partial<ToolContext>;
}

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

/** Calls wait here during loading, in one queue for the whole package. */
let line: Promise<void> | undefined;

/**
 * The first call loads the module; later calls get it synchronously. Calls keep their order, so the second of two changes of one file never
 * overtakes the first.
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

/** Loading may succeed later, for example if too many files were open. */
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
