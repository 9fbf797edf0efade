/** What takes command lines apart: loaded with the first that has to be. */
export const loadPlans = () => import("./plans.ts");

/**
 * What is looked at also in a command that nobody needs a plan for. Most do not even mention Haft.
 *
 * @throws HaftError `EXEC_SELF_APPROVAL`
 */
export async function checkUnplanned(
  text: string,
  shell: string,
  place: { cwd: string; isHere: boolean },
): Promise<void> {
  if (!text.includes("haft")) return;
  const { refuseSelfApprovalIn } = await loadPlans();
  await refuseSelfApprovalIn(text, shell, place);
}
