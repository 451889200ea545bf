/** A verb as a command of the terminal: its usage, its options and its help come from the catalogue. */
import type { CliCommand, CliInput, CliOption } from '../../command.ts'
import type { Definition } from './definitions.ts'
import { inSession, actedOptions, actedVariables } from '../in-session.ts'
import { runInSession } from '../service.ts'
import { inputOf, optionFields, optionName, positionalFields } from './verb-input.ts'
import { printedText } from './verb-output.ts'
import type { ShellVerb } from './verbs.ts'

export function verbCommand(name: string, verb: ShellVerb, definition: Definition): CliCommand {
  const fields = positionalFields(verb)
  const words = [
    ...(verb.reads ? ['FILE'] : []),
    ...fields.map(({ field, isOptional, isRest }) => {
      const word = `${optionName(field).toUpperCase()}${isRest ? '...' : ''}`
      return isOptional ? `[${word}]` : word
    }),
    ...(verb.saves ? ['[FILE]'] : []),
  ]
  const least = words.filter((word) => !word.startsWith('[')).length
  const most = fields.some(({ isRest }) => isRest) ? Infinity : words.length
  return {
    usage: ['browser', name, ...words, '[options]'].join(' '),
    about: verb.about ?? definition.help,
    arguments: [least, most],
    options: { ...optionsOf(verb, definition), ...actedOptions },
    variables: actedVariables,
    examples: verb.examples.map((example) => `troupe browser ${example}`),
    run: (input) => perform(name, verb, definition, input),
  }
}

function optionsOf(verb: ShellVerb, definition: Definition): Readonly<Record<string, CliOption>> {
  const entries = optionFields(verb, definition).map((field) => {
    const schema = definition.properties[field]!
    const required = definition.required.includes(field)
    return [optionName(field), { ...optionOf(field, schema), required }] as const
  })
  return Object.fromEntries(entries)
}

function optionOf(field: string, schema: Definition['properties'][string]): CliOption {
  const { type, description, default: fallback } = schema
  const text = typeof description === 'string' ? description : sentenceOf(field)
  const help = /[.)]$/.test(text) ? text : `${text}.`
  if (type === 'boolean') return { help }
  const choices = Array.isArray(schema['enum']) ? schema['enum'].join('|') : undefined
  const value = choices ?? placeholders[String(type)] ?? 'JSON'
  return { value, help: fallback === undefined ? help : `${help} Default: ${String(fallback)}.` }
}

const placeholders: Readonly<Record<string, string>> = {
  string: 'TEXT',
  number: 'N',
  integer: 'N',
  'integer,string': 'TEXT',
}

/** `print_background` is "Print background". */
function sentenceOf(field: string): string {
  const words = optionName(field).replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

async function perform(
  name: string,
  verb: ShellVerb,
  definition: Definition,
  cliInput: CliInput,
): Promise<number> {
  const input = await inputOf(verb, definition, cliInput)
  const path = verb.saves && cliInput.args[positionalFields(verb).length]
  const text = await inSession(cliInput, async (acted) => {
    const { session } = acted
    const output = await runInSession(acted, verb.command, input)
    return printedText({ name, verb, session, output, path, isJson: cliInput.switches.has('json') })
  })
  console.log(text)
  return 0
}
