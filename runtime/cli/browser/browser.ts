/** `troupe browser`: a browser for a folder, driven from a shell; made for agents that write code. */
import type { CliCommand, CliCommandGroup } from '../command.ts'
import { readDefinitions, type Definitions } from './verbs/definitions.ts'
import { closeVerb, openVerb, statusVerb } from './opening.ts'
import { skillVerb } from './skill.ts'
import { downloadVerb, downloadsVerb, uploadVerb } from './transfers.ts'
import { verbCommand } from './verbs/verb-command.ts'
import { verbs } from './verbs/verbs.ts'

let definitions: Definitions | undefined

/** A command line runs one verb: the others are not made. */
const derived = Object.entries(verbs).map(([name, verb]): [string, PropertyDescriptor] => {
  const get = () => {
    definitions ??= readDefinitions()
    return verbCommand(name, verb, definitions[verb.command]!)
  }
  return [name, { enumerable: true, configurable: true, get }]
})

const own: Readonly<Record<string, CliCommand>> = {
  open: openVerb,
  upload: uploadVerb,
  downloads: downloadsVerb,
  download: downloadVerb,
  status: statusVerb,
  close: closeVerb,
  skill: skillVerb,
}

export const browserCommandGroup: CliCommandGroup = {
  about:
    'Drive a browser from a shell: `open` gives this folder one, each act prints what changed on the page.',
  commands: Object.defineProperties({ ...own }, Object.fromEntries(derived)),
}
