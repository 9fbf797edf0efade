/** Characters to a token, about: of JSON and English, and the same for every model. */
const CHARACTERS_PER_TOKEN = 4;

export function estimateToolTokens({
  name,
  description,
  parameters,
}: {
  name: string;
  description: string;
  parameters: object;
}): number {
  return Math.ceil(JSON.stringify({ name, description, parameters }).length / CHARACTERS_PER_TOKEN);
}
