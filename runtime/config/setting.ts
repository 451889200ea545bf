/** The definition of a setting: an environment variable and the value that its text becomes. */
import { z } from 'zod'

export class ConfigError extends Error {
  constructor(name: string, value: string, expected: string) {
    super(`${name}=${JSON.stringify(value)} is not usable: ${expected}`)
    this.name = 'ConfigError'
  }
}

export interface Setting<T> {
  /** Turns the text into the value. Its messages say what to use instead. */
  readonly schema: z.ZodType<T, string>
  readonly fallback: T
  readonly help: string
  /** The default in words, if it depends on the machine. */
  readonly shown?: string
  /** `always`: never printed. `if-invalid`: an invalid value is not printed. */
  readonly secret?: 'always' | 'if-invalid'
}

export type SettingValues<S extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly [K in keyof S]: z.output<S[K]['schema']>
}

export function setting<T>(
  schema: z.ZodType<T, string>,
  fallback: NoInfer<T>,
  help: string,
  more: Pick<Setting<T>, 'shown' | 'secret'> = {},
): Setting<T> {
  return { schema, fallback, help, ...more }
}

/** A setting without a default whose value is never printed. */
export const secretSetting = (help: string, schema: Setting<string>['schema'] = z.string()) =>
  setting(schema, '', help, { secret: 'always' })

/** An empty or blank text counts as unset. Throws {@link ConfigError} for an invalid one. */
export function readSetting<T>(
  name: string,
  { schema, fallback, secret }: Setting<T>,
  text = '',
): T {
  const given = text.trim()
  if (given === '') return fallback
  const result = schema.safeParse(given, { reportInput: true })
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new ConfigError(name, secret ? '…' : String(issue!.input), issue!.message)
}
