/** Turns a command line of a verb into the input of its command. */
import { readFileSync } from 'node:fs'
import { fitArguments, parseLooseJson } from '../../../../proto/json/fit-arguments.ts'
import type { CliInput } from '../../command.ts'
import { CommandFailed } from '../../command.ts'
import type { Definition } from './definitions.ts'
import type { ShellVerb } from './verbs.ts'

export interface PositionalField {
  readonly field: string
  readonly isOptional: boolean
  /** It takes all that follow. */
  readonly isRest: boolean
}

export const positionalFields = ({ args = '' }: ShellVerb): readonly PositionalField[] =>
  args
    .split(' ')
    .filter(Boolean)
    .map((word) => ({
      field: word.replaceAll(/[[\].]/g, ''),
      isOptional: word.startsWith('['),
      isRest: word.endsWith('...'),
    }))

/** `wait_until` is `--wait-until`, `deltaX` is `--delta-x`. */
export const optionName = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')

/** Fields that are options of a verb. */
export function optionFields(verb: ShellVerb, { properties }: Definition): readonly string[] {
  const taken = new Set([
    ...positionalFields(verb).map(({ field }) => field),
    ...Object.keys(verb.fixed ?? {}),
    ...(verb.without ?? []),
    ...(verb.reads === 'code' ? ['code'] : []),
  ])
  return Object.keys(properties).filter((field) => !taken.has(field))
}

/** Texts become numbers, lists and objects where the schema says so; the service checks them. */
export async function inputOf(
  verb: ShellVerb,
  definition: Definition,
  { args, values, switches }: CliInput,
): Promise<Readonly<Record<string, unknown>>> {
  const [first, ...rest] = args
  const read = verb.reads === undefined ? undefined : await textOf(first!)
  const words = verb.reads === undefined ? args : rest
  const placed = positionalFields(verb).flatMap(({ field, isRest }, index) => {
    if (words.length <= index) return []
    return [[field, isRest ? words.slice(index) : words[index]] as const]
  })
  const named = optionFields(verb, definition).flatMap((field) => {
    const name = optionName(field)
    const value = switches.has(name) ? true : values[name]
    if (value === undefined) return []
    // Any JSON value, or a text.
    const isAny = definition.properties[field]!['type'] === undefined
    return [[field, isAny ? (parseLooseJson(String(value)) ?? value) : value] as const]
  })
  const given = { ...verb.fixed, ...Object.fromEntries([...placed, ...named]) }
  const fitted = fitArguments(given, definition.properties, definition.required)
  if (verb.reads === 'code') return { ...fitted, code: read }
  return verb.reads === 'input' ? { ...objectIn(read!, first!), ...fitted } : fitted
}

/** The text of a file; `-` is what is piped in. */
export async function textOf(path: string): Promise<string> {
  try {
    if (path !== '-') return readFileSync(path, 'utf8')
    const { text } = await import('node:stream/consumers')
    return await text(process.stdin)
  } catch (error) {
    throw unreadable(path, error)
  }
}

export const unreadable = (path: string, cause: unknown): CommandFailed =>
  new CommandFailed(`${path} cannot be read: ${(cause as Error).message}`, cause)

export function objectIn(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>
    }
  } catch (error) {
    throw new CommandFailed(`${path} is not JSON: ${(error as Error).message}`, error)
  }
  throw new CommandFailed(`${path} has no JSON object`)
}
