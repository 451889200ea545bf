/**
 * What the catalogue of commands says of each: its help, and the fields of its input. The build writes
 * it into a file, because loading the catalogue with its schemas takes longer than most commands.
 */
import { readFileSync } from 'node:fs'
import type { ObjectSchema } from '../../../../proto/commands/schema.ts'
import { builtPath } from '../../../lib/package.ts'

export interface Definition {
  readonly help: string
  /** Fields of the input, as JSON schemas. */
  readonly properties: ObjectSchema['properties']
  readonly required: readonly string[]
}

export type Definitions = Readonly<Record<string, Definition>>

/** In the folder of the bundles. */
export const definitionsFile = 'browser-commands.json'

/** Throws if the package is not built. */
export const readDefinitions = (): Definitions =>
  JSON.parse(readFileSync(builtPath(definitionsFile), 'utf8')) as Definitions
