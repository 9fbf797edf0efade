const FIRST =
  "amber ample arctic avid bold brave breezy brief bright brisk calm candid cedar civic clear clever cosmic crisp " +
  "curly daring deft dusty eager early faint fair fleet fresh frosty gentle giant glad golden grand green happy hardy " +
  "hidden humble icy ivory jolly keen kind late lively loyal lucid lunar marine mellow merry mild misty modest neat " +
  "nimble noble oaken open pale patient plain plucky polite proud quick quiet rapid rare ready royal ruby rustic sage " +
  "sandy serene sharp shiny silent silver sleek smart snowy solar solid spry stark steady still stout sunny swift " +
  "tawny tidal tidy tiny trim true vast vivid warm wild wise witty young zesty";
const SECOND =
  "acorn alder anchor badger basin beacon birch bison brook canyon cedar cliff cloud comet coral cove crane creek " +
  "crest delta dove dune eagle elm ember falcon fern field finch fjord forest fox gale garnet glade grove gull harbor " +
  "hare hawk hazel heath heron hill ibis inlet island jay kelp kite lagoon lake lark laurel lemur lichen lily lynx " +
  "maple marsh meadow mesa mole moss newt oak ocean olive orchid osprey otter owl panda pebble pine plover pond poplar " +
  "prairie quail rain raven reef ridge river robin rook rowan sable seal shoal shore slate sparrow spruce star stone " +
  "storm stream swan thistle tide tiger trail trout tulip valley vole walnut willow wolf wren";

const firstWords = FIRST.split(" ");
const secondWords = SECOND.split(" ");

/** Words are easier to copy than a number. */
export function newSlug(isTaken: (slug: string) => boolean): string {
  const slug = `${pick(firstWords)}-${pick(secondWords)}`;
  if (!isTaken(slug)) return slug;
  let count = 2;
  while (isTaken(`${slug}-${count}`)) count++;
  return `${slug}-${count}`;
}

function pick(words: readonly string[]): string {
  return words[Math.floor(Math.random() * words.length)]!;
}
