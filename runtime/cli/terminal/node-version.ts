/**
 * The versions of Node that the service runs on, as in `engines` of package.json: those that all
 * dependencies support. setup.sh checks the same before anything is installed, and a test compares
 * them.
 */

/** `[major, minor]` of the oldest version of each major; the last entry also covers newer majors. */
const oldest: readonly (readonly [major: number, minor: number])[] = [
  [20, 19],
  [22, 12],
  [24, 0],
]

/** In words: `20.19, 22.12, 24 or newer`. */
export const neededNode = `${oldest.map(([major, minor]) => (minor === 0 ? major : `${major}.${minor}`)).join(', ')} or newer`

/** Why this version cannot be used; undefined if it can. */
export function nodeRefusal(version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewer = major > oldest.at(-1)![0]
  if (isNewer || oldest.some((one) => one[0] === major && minor >= one[1])) return undefined
  return `Node.js ${neededNode} is needed, this is ${version}: https://nodejs.org/en/download`
}
