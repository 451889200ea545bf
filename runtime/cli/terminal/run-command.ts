/** Runs a command that was found in a table, and says what is wrong with a line. */
import {
  isCommandGroup,
  parseInput,
  UsageError,
  type CliCommand,
  type CliCommandGroup,
} from '../command.ts'
import { nearestName } from '../../lib/text/nearest-name.ts'
import { programName } from './program-name.ts'

export type HelpOf = (name: string, found: CliCommand | CliCommandGroup) => Promise<string>

/** Resolves with the exit code. */
export async function runCommand(
  name: string,
  found: CliCommand | CliCommandGroup,
  argv: readonly string[],
  helpOf: HelpOf,
): Promise<number> {
  const [first, ...rest] = argv
  if (isCommandGroup(found) && first !== undefined && Object.hasOwn(found.commands, first)) {
    return await runCommand(`${name} ${first}`, found.commands[first]!, rest, helpOf)
  }
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(await helpOf(name, found))
    return 0
  }
  if (isCommandGroup(found)) {
    const offered = Object.keys(found.commands).join(', ')
    return reportMisuse(
      first
        ? `"${first}" is not one of ${offered}${meant(first, found.commands)}`
        : `give one of ${offered}`,
      name,
    )
  }
  try {
    return await found.run(parseInput(found, argv))
  } catch (error) {
    if (error instanceof UsageError) return reportMisuse(error.message, name)
    throw error
  }
}

export function meant(given: string, offered: object): string {
  const nearest = nearestName(given, Object.keys(offered), given.length < 5 ? 1 : 2)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

export function reportMisuse(what: string, command: string): number {
  const end = what.endsWith('?') ? '' : '.'
  console.error(
    `troupe: ${what}${end} See \`${programName} ${command ? `${command} ` : ''}--help\`.`,
  )
  return 2
}
