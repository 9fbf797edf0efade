export async function check(): Promise<number> {
  return 0;
}
