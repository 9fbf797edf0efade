import type { Session } from "@haft/core/kernel";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { type ToolNote, toProviderTools } from "../outgoing/provider-tools.ts";
import { repairHistory } from "../outgoing/repair-history.ts";
import type { CallSender } from "../outgoing/sender.ts";
import { type AnswerOptions, createAnswer, type Turn } from "../outgoing/turn.ts";
import {
  type GeminiContent,
  type GeminiResultContent,
  createGeminiFormat,
  type ImageLocation,
} from "./gemini-format.ts";
import { geminiHistory } from "./gemini-history.ts";

/**
 * Options of {@link toGemini}.
 *
 * @example
 * ```ts
 * import { toGemini, type ToGeminiOptions } from "@haft/adapters/gemini";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const options: ToGeminiOptions = { images: "inside" };
 * const gemini = toGemini(session, options);
 * ```
 */
export interface ToGeminiOptions {
  /**
   * Location of a result's images. `beside` (default): after the answers, which works with every model that reads images. `inside`: in the
   * answers, for Gemini 3 and newer.
   */
  images?: ImageLocation;
  /** Sender of the answered messages, unless `answer` receives one. Default: the sender of the session. */
  sender?: CallSender;
}

/** A tool as a function declaration of Gemini. */
export interface GeminiFunction {
  /** Name for the model. */
  name: string;
  /** Description for the model. */
  description: string;
  /** JSON Schema of the arguments. */
  parametersJsonSchema: Record<string, unknown>;
}

/**
 * Result of {@link toGemini}.
 *
 * @example
 * ```ts
 * import { toGemini, type GeminiSession } from "@haft/adapters/gemini";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const haft: GeminiSession = toGemini(session);
 * const names = haft.tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name));
 * ```
 */
export interface GeminiSession {
  /** Tools, for `config.tools` of a request; an empty list if the session has none. */
  tools: { functionDeclarations: GeminiFunction[] }[];
  /** Tools that the provider receives changed, or not at all. */
  notes: ToolNote[];
  /** Runs the calls of `candidates[0].content`, or of its parts, and returns the answers. */
  answer: <Content extends GeminiContent | readonly object[]>(
    content: Content,
    options?: AnswerOptions,
  ) => Promise<
    Turn<
      Content extends readonly (infer Part)[] ? { role: "model"; parts: Part[] } : Content,
      GeminiResultContent
    >
  >;
  /** Repairs a conversation: each call gets an answer, each answer a call. Resolves to a new list; correct contents are unchanged. */
  repair: <Content extends object>(contents: readonly Content[]) => Promise<Content[]>;
}

const GEMINI = { name: "Gemini", loneReferences: true };

/**
 * Returns the tools of a session for the Gemini API, with `answer` for the model's contents.
 *
 * Every call goes to `session.call()`. The model reads why a call failed or was blocked; only invalid content throws. The tools are a
 * snapshot.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option
 *
 * @example
 * ```ts run
 * import { toGemini } from "@haft/adapters/gemini";
 * import { createHost } from "haft";
 * const host = await createHost({ workspaceDir: process.cwd(), stateDir: false });
 * const { tools, answer } = toGemini(await host.openSession());
 * const content = { role: "model", parts: [{ functionCall: { name: "ls", args: {} } }] }; // candidates[0].content
 * const { messages, outcomes } = await answer(content);
 * outcomes.map(({ toolName, kind }) => `${toolName}: ${kind}`); // => ["ls: ok"]
 * await host.close();
 * ```
 */
export function toGemini(session: Session, options: ToGeminiOptions = {}): GeminiSession {
  checkOutgoing("toGemini", session, options, { images: ["beside", "inside"], sender: "sender" });
  const { tools, notes } = toProviderTools(session, GEMINI);
  const { images = "beside", sender } = options;
  const functionDeclarations = tools.map(({ name, description, schema }) => ({
    name,
    description,
    parametersJsonSchema: schema,
  }));
  return {
    tools: functionDeclarations.length === 0 ? [] : [{ functionDeclarations }],
    notes,
    answer: createAnswer(
      session,
      createGeminiFormat<object>(images),
      sender,
    ) as unknown as GeminiSession["answer"],
    repair: async <Content extends object>(contents: readonly Content[]) =>
      (await repairHistory(session, geminiHistory(images), contents)) as Content[],
  };
}
