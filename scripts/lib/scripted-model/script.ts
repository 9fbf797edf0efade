/** What a scripted model is asked and what it says, whichever API it is asked by. */

/** The APIs it speaks. */
export type DialectName = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** A tool that the request offers. */
export interface OfferedTool {
  name: string;
  /** OpenAI's Responses API: the group it belongs to. Its calls have to say it. */
  namespace?: string;
}

/** Contains the result of a call, as the client sends it. */
export interface ToolResult {
  /** Gemini has none. */
  callId: string | undefined;
  /** Contains its texts, joined. Other content except images is JSON. */
  text: string;
  /** How many images came with it, where the API has a place for them. */
  images: number;
  /** Whether it is marked as failed; `undefined` where the API has no mark. */
  isError: boolean | undefined;
}

/** One request of a client. */
export interface ModelRequest {
  dialect: DialectName;
  model: string;
  stream: boolean;
  tools: readonly OfferedTool[];
  /** Every result of a call so far, in order. */
  results: readonly ToolResult[];
  /** How often the model has spoken without calling anything. */
  spokenTurns: number;
  /** The last text of the user. */
  prompt: string;
  /** All of it. */
  body: Readonly<Record<string, unknown>>;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A call of the model. Its name need not be that of a tool, nor its arguments JSON: models err. */
export interface ScriptedCall {
  name: string;
  arguments: Readonly<Record<string, unknown>> | string;
  namespace?: string;
  /** OpenAI's Responses API: a tool that takes text; that is `arguments`. */
  custom?: boolean;
  /** Default: a unique id. Some models repeat an id. */
  id?: string;
}

/** Describes a fault of an answer. `after` counts events of a stream; a whole answer breaks in its middle. */
export type Fault =
  /** It goes no further: until the promise is settled, or for as long as the client waits. */
  | { kind: "stall"; after?: number; until?: Promise<unknown> }
  /** The connection breaks. */
  | { kind: "cut"; after?: number }
  /** Something that is not JSON comes in place of the event. */
  | { kind: "malformed"; after?: number }
  /** The answer is an error of the API. */
  | { kind: "status"; status: number; message?: string; headers?: Readonly<Record<string, string>> };

/** Describes the next answer of the model: words, calls, or words and then calls. */
export interface Turn {
  text?: string;
  calls?: readonly ScriptedCall[];
  fault?: Fault;
}

/** Decides what to say next from everything said so far. */
export type Script = (request: ModelRequest) => Turn | Promise<Turn>;

/**
 * Creates a script that returns its turns in order. The position follows from the request alone, so repeated requests do not matter: calls
 * by their results, words by the previous answers. After the last turn it ends.
 *
 * @param options.aside answer to requests without tools: clients ask for titles and summaries
 * @throws Error, which the client gets as an error of the API, if results of a turn are missing
 */
export function scriptTurns(turns: readonly Turn[], { aside = "A task" }: { aside?: string } = {}): Script {
  const calls = turns.some((turn) => turn.calls !== undefined);
  return ({ tools, results, spokenTurns }) => {
    if (calls && tools.length === 0) return { text: aside };
    let answered = results.length;
    let spoken = spokenTurns;
    for (const [index, turn] of turns.entries()) {
      const wanted = turn.calls?.length ?? 0;
      if (wanted === 0 ? spoken === 0 : answered === 0) return turn;
      if (answered < wanted)
        throw new Error(`Turn ${index + 1} has ${wanted} calls, and ${answered} of them came back.`);
      if (wanted === 0) spoken -= 1;
      else answered -= wanted;
    }
    return { text: "Done." };
  };
}
