/** The definition of a `troupe` command; its help and its parser are derived from it. */
import { parseArgs } from 'node:util'
import { programName } from './terminal/program-name.ts'
import type { SettingName } from '../config/config.ts'

export interface CliOption {
  readonly help: string
  /** Placeholder of the value in the help; a switch has none. */
  readonly value?: string
  readonly required?: boolean
}

export interface CliInput {
  readonly args: readonly string[]
  readonly values: Readonly<Record<string, string | undefined>>
  readonly switches: ReadonlySet<string>
}

export interface CliCommand {
  /** The text after `troupe`: `keys create --tenant T --name N`. */
  readonly usage: string
  readonly about: string
  /** Additional text of its own help. */
  readonly more?: string
  /** Allowed number of positional arguments. */
  readonly arguments?: readonly [least: number, most: number]
  readonly options?: Readonly<Record<string, CliOption>>
  readonly examples?: readonly string[]
  /** The settings most relevant to it. */
  readonly settings?: readonly SettingName[]
  /** Environment variables that only it reads. */
  readonly variables?: Readonly<Record<string, string>>
  /** Resolves with the exit code. */
  readonly run: (input: CliInput) => Promise<number>
}

/** A group of commands: `troupe keys` has `troupe keys create`, `troupe keys list` … */
export interface CliCommandGroup {
  readonly about: string
  readonly commands: Readonly<Record<string, CliCommand>>
}

export const isCommandGroup = (found: CliCommand | CliCommandGroup): found is CliCommandGroup =>
  'commands' in found

/** Wrong usage: exit code 2 and a hint where the help is. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Correct usage that failed: exit code 1 and one line without a stack. */
export class CommandFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'CommandFailed'
  }
}

export function parseInput(command: CliCommand, argv: readonly string[]): CliInput {
  const options = command.options ?? {}
  const { values, positionals } = parse(options, argv)
  for (const [name, option] of Object.entries(options)) {
    if (option.required && values[name] === undefined) {
      throw new UsageError(`--${name} ${option.value ?? ''} is required`)
    }
  }
  const [least, most] = command.arguments ?? [0, 0]
  if (positionals.length < least) throw new UsageError(`usage: ${programName} ${command.usage}`)
  if (positionals.length > most) throw new UsageError(`unexpected argument "${positionals[most]}"`)
  const entries = Object.entries(values)
  return {
    args: positionals,
    values: Object.fromEntries(entries.filter((e): e is [string, string] => e[1] !== true)),
    switches: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
  }
}

/** No option is a digit, but `parseArgs` takes every word that begins with a dash for options. */
const negativeNumber = /^-[\d.]+$/
/** No argument of a program contains it. */
const valueMark = '\0'

function parse(options: Readonly<Record<string, CliOption>>, argv: readonly string[]) {
  const known = Object.entries(options).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  )
  try {
    const { values, positionals } = parseArgs({
      args: argv.map((word) => word.replace(negativeNumber, `${valueMark}$&`)),
      options: Object.fromEntries(known),
      allowPositionals: true,
    }) as { values: Record<string, string | true | undefined>; positionals: string[] }
    const plain = <T>(word: T) => (typeof word === 'string' ? word.replace(valueMark, '') : word)
    const entries = Object.entries(values).map(([name, value]) => [name, plain(value)] as const)
    return { values: Object.fromEntries(entries), positionals: positionals.map(plain) }
  } catch (error) {
    // Node appends a sentence on how to pass such a text as an argument, which is not helpful here.
    throw new UsageError((error as Error).message.split('. ')[0]!)
  }
}
