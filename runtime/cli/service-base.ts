/** The service's address and the API key, for commands that use REST. */
import { loadConfig } from '../config/config.ts'
import { clientKey } from '../accounts/keys/client-key.ts'
import { CommandFailed } from './command.ts'

export const baseVariable = {
  SVC_BASE: 'Where the service is. (default: http://127.0.0.1:$PORT)',
} as const

/** Undefined if SVC_BASE is not set. */
export function configuredServiceBase(): string | undefined {
  return process.env['SVC_BASE']?.replace(/\/+$/, '') || undefined
}

/** Without a trailing slash. */
export const serviceBase = (): string =>
  configuredServiceBase() ?? `http://127.0.0.1:${loadConfig().PORT}`

/** SVC_API_KEY, else the development key of this machine, else the well-known one. */
export const serviceKey = (): string => process.env['SVC_API_KEY'] || clientKey(loadConfig())

export const unreachableService = (base: string, cause: unknown): CommandFailed =>
  new CommandFailed(`${base} does not answer: is the service up? Set SVC_BASE.`, cause)
