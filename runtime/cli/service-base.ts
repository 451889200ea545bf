/** Where commands that speak REST find the service, and the key they come with. */
import { loadConfig } from '../config.ts'
import { clientKey } from '../dev-key.ts'
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

/** Without SVC_API_KEY, the development key of this machine, or else the well-known one. */
export const serviceKey = (): string => process.env['SVC_API_KEY'] || clientKey(loadConfig())

export const doesNotAnswer = (base: string, cause: unknown): CommandFailed =>
  new CommandFailed(`${base} does not answer: is the service up? Set SVC_BASE.`, cause)
