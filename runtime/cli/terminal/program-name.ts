/** The command line that starts this program here, so that usages and examples can be pasted. */

/** In a clone it is a script of npm; where it is installed, a program of its own. */
const isScript = process.env['npm_lifecycle_event'] === 'troupe'

export const programName = isScript ? 'npm run troupe --' : 'troupe'

/** npm prints lines of its own, which must not reach a program that reads the output. */
const silentName = isScript ? 'npm run -s troupe --' : 'troupe'

/** Rewrites an example of a command so that it works here. */
export function pastableExample(example: string): string {
  const isRead = /[|>]|\$\(/.test(example)
  return example.replaceAll(/(?<![\w/-])troupe (?=[a-z])/g, `${isRead ? silentName : programName} `)
}
