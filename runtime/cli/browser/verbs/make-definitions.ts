/** The definitions of commands, from the catalogue; for the build. */
import { commandCatalogue } from '../../../../proto/commands/catalogue.ts'
import type { Command } from '../../../../proto/commands/command.ts'
import { jsonSchema } from '../../../../proto/commands/schema.ts'
import type { Definition, Definitions } from './definitions.ts'

export function makeDefinitions(): Definitions {
  const entries = commandCatalogue.map(({ name, help, input }: Command) => {
    const { properties, required = [] } = jsonSchema(input, 'input')
    return [name, { help, properties, required } satisfies Definition] as const
  })
  return Object.fromEntries(entries)
}
