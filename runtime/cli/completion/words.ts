/** What a shell may complete: every command with its options, read from the table of commands. */
import { isCommandGroup, type CliCommand, type CliCommandGroup } from '../command.ts'

/** The table in which `troupe` finds its commands. */
export type CommandTable = Readonly<
  Record<
    string,
    { readonly about: string; readonly load: () => Promise<CliCommand | CliCommandGroup> }
  >
>

export interface CompletedOption {
  readonly name: string
  readonly help: string
  readonly takesValue: boolean
}

export interface CompletedCommand {
  /** `['keys', 'create']`. */
  readonly path: readonly string[]
  readonly about: string
  readonly options: readonly CompletedOption[]
}

/** Groups come before their commands. */
export async function completedCommands(table: CommandTable): Promise<readonly CompletedCommand[]> {
  const found: CompletedCommand[] = []
  for (const [name, { about, load }] of Object.entries(table)) {
    const loaded = await load()
    if (!isCommandGroup(loaded)) {
      found.push({ path: [name], about, options: optionsOf(loaded) })
      continue
    }
    found.push({ path: [name], about, options: [] })
    for (const [verb, command] of Object.entries(loaded.commands)) {
      found.push({ path: [name, verb], about: command.about, options: optionsOf(command) })
    }
  }
  return found
}

function optionsOf({ options = {} }: CliCommand): readonly CompletedOption[] {
  const own = Object.entries(options).map(([name, { help, value }]) => ({
    ...{ name, help },
    takesValue: value !== undefined,
  }))
  return [...own, { name: 'help', help: 'Show how it is used.', takesValue: false }]
}
