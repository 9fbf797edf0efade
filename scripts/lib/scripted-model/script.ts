/** A scripted model's requests and answers, for any API. */

export type DialectName = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export interface OfferedTool {
  name: string;
  /** OpenAI's Responses API: its group, which calls must name. */
  namespace?: string;
}

/** A call's result from the client. */
export interface ToolResult {
  /** Absent for Gemini. */
  callId: string | undefined;
  /** Joined texts, with other content except images as JSON. */
  text: string;
  /** The number of its images, if the API supports them. */
  images: number;
  /** Marked as failed; `undefined` if the API has no mark. */
  isError: boolean | undefined;
}

export interface ModelRequest {
  dialect: DialectName;
  model: string;
  stream: boolean;
  tools: readonly OfferedTool[];
  /** All results of calls so far, in order. */
  results: readonly ToolResult[];
  /** The number of answers without calls. */
  spokenTurns: number;
  /** The user's last text. */
  prompt: string;
  body: Readonly<Record<string, unknown>>;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A call, whose tool need not exist and whose arguments need not be JSON: models err. */
export interface ScriptedCall {
  name: string;
  arguments: Readonly<Record<string, unknown>> | string;
  namespace?: string;
  /** OpenAI's Responses API: `arguments` is text. */
  custom?: boolean;
  /** Default: a unique id. Some models repeat an id. */
  id?: string;
}

/** A fault: `after` counts a stream's events; a whole answer breaks in its middle. */
export type Fault =
  /** It stalls until the promise settles or the client leaves. */
  | { kind: "stall"; after?: number; until?: Promise<unknown> }
  | { kind: "cut"; after?: number }
  /** Invalid JSON replaces the event. */
  | { kind: "malformed"; after?: number }
  | { kind: "status"; status: number; message?: string; headers?: Readonly<Record<string, string>> };

/** The next answer: words, calls, or both in this order. */
export interface Turn {
  text?: string;
  calls?: readonly ScriptedCall[];
  fault?: Fault;
}

/** Chooses the next answer from the conversation. */
export type Script = (request: ModelRequest) => Turn | Promise<Turn>;

/**
 * Creates a script that returns turns in order and then ends. Requests alone determine the position (calls by
 * results, words by answers), so they may repeat.
 *
 * @param options.aside answers requests without tools, for titles and summaries
 * @throws Error, as an API error, if a turn's results are missing
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
