/** One call of the conversation. */
export interface Step {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** It changes nothing: its record may be missing, behind a gap. */
  readonly reads?: true;
  /** Its effect comes after its answer, and ends with its host. */
  readonly later?: true;
  /** A person has to allow it. */
  readonly asks?: true;
}

/** Bytes of the file that `write` writes: half of it would be seen. */
export const WRITE_BYTES = 300_000;

/** Into a file of its own: what was shown for approval is bound to the files it names. */
const note = (id: string): string => `sleep 0.0${id.length % 5}; echo ${id} >>done.${id}`;

/** A conversation: messages of calls, each of which notes its id somewhere, so that it can be counted. */
export function messages(): Step[][] {
  return [
    [{ id: "run-1", name: "exec", arguments: { command: note("run-1") } }],
    [
      { id: "write-1", name: "write", arguments: { path: "whole.txt", content: "w".repeat(WRITE_BYTES) } },
      { id: "read-1", name: "read", arguments: { path: "edited.txt" }, reads: true },
    ],
    [
      {
        id: "edit-1",
        name: "edit",
        arguments: { path: "edited.txt", oldText: "first\n", newText: "first\nedit-1\n" },
      },
    ],
    [{ id: "ask-1", name: "bash", arguments: { command: note("ask-1") }, asks: true }],
    [
      {
        id: "patch-1",
        name: "apply_patch",
        arguments: {
          input:
            "*** Begin Patch\n*** Update File: patched.txt\n@@\n first\n+patch-1\n last\n*** Add File: added.txt\n+added\n*** End Patch\n",
        },
      },
    ],
    [{ id: "send-1", name: "post_send", arguments: { letter: "send-1" } }],
    [
      { id: "at-once-1", name: "exec", arguments: { command: note("at-once-1") } },
      { id: "at-once-2", name: "post_send", arguments: { letter: "at-once-2" } },
      { id: "at-once-3", name: "exec", arguments: { command: note("at-once-3") } },
      { id: "read-2", name: "ls", arguments: {}, reads: true },
    ],
    [
      {
        id: "background-1",
        name: "exec",
        arguments: { command: "sleep 0.3; echo background-1 >>done.background-1", background: true },
        later: true,
      },
    ],
    [
      { id: "ask-2", name: "bash", arguments: { command: note("ask-2") }, asks: true },
      { id: "ask-3", name: "bash", arguments: { command: note("ask-3") }, asks: true },
    ],
    [{ id: "send-2", name: "post_send", arguments: { letter: "send-2" } }],
    [{ id: "run-2", name: "exec", arguments: { command: note("run-2") } }],
  ];
}
