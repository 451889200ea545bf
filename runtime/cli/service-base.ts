/** Where commands that speak REST find the service, and the key they come with. */
import { loadConfig } from '../config.ts'
import { devKeys } from '../dev-key.ts'
import { CommandFailed } from './command.ts'

export const baseVariable = {
  SVC_BASE: 'Where the service is. (default: http://127.0.0.1:$PORT)',
} as const

/** Undefined where SVC_BASE is not set. */
export function namedBase(): string | undefined {
  return process.env['SVC_BASE']?.replace(/\/+$/, '') || undefined
}

/** Without a slash at its end. */
export const serviceBase = (): string => namedBase() ?? `http://127.0.0.1:${loadConfig().PORT}`

/** Without SVC_API_KEY, the development key of this machine. */
export function serviceKey(): string {
  const key = process.env['SVC_API_KEY'] || devKeys(loadConfig())[0]
  if (key !== undefined) return key
  throw new CommandFailed(
    'SVC_API_KEY is not set, and DATA_DIR has no development key that this user can read: ' +
      'make one with `troupe keys create`.',
  )
}

export const doesNotAnswer = (base: string, cause: unknown): CommandFailed =>
  new CommandFailed(`${base} does not answer: is the service up? Set SVC_BASE.`, cause)
