/** The session that a command line acts in: the one it names, else that of its folder. */
import type { CliInput } from '../command.ts'
import { CommandFailed } from '../command.ts'
import { programName } from '../terminal/program-name.ts'
import {
  forgetSession,
  presentFolder,
  sessionOfFolder,
  type FolderSession,
} from './folder-session.ts'
import { browserService, ServiceRefusal, type SessionPlace } from './service.ts'

export const actedOptions = {
  session: { value: 'ID', help: 'This session, instead of that of the folder.' },
  json: { help: 'Print the answer as JSON, on one line.' },
} as const

export const actedVariables = {
  SVC_BASE: 'Where the service is. (default: http://127.0.0.1:$PORT)',
  SVC_API_KEY: 'The key to use. (default: the development key, for a service on this machine)',
  SVC_SESSION_ID: 'This session, instead of that of the folder.',
} as const

export interface ActedSession extends SessionPlace {
  /** Undefined for a session that was named. */
  readonly remembered: FolderSession | undefined
}

export function actedSession({ values }: Pick<CliInput, 'values'>): ActedSession | undefined {
  const base = browserService()
  const named = values['session'] ?? (process.env['SVC_SESSION_ID'] || undefined)
  if (named !== undefined) return { base, session: named, remembered: undefined }
  const remembered = sessionOfFolder(base, presentFolder())
  return remembered && { base, session: remembered.session, remembered }
}

/** A session that has ended is forgotten, and the error says how to open another. */
export async function inSession<T>(
  input: Pick<CliInput, 'values'>,
  work: (acted: ActedSession) => Promise<T>,
): Promise<T> {
  const acted = actedSession(input)
  if (acted === undefined) {
    throw new CommandFailed(
      `no browser is open for ${process.cwd()}; open one: ${programName} browser open URL`,
    )
  }
  try {
    return await work(acted)
  } catch (error) {
    if (acted.remembered === undefined || !isOfEnded(error)) throw error
    forgetSession(acted.remembered)
    const text = `${(error as Error).message} Open another: ${programName} browser open URL`
    throw new CommandFailed(text, error)
  }
}

/** The service forgets ended sessions after a while. */
export const isOfEnded = (error: unknown): boolean =>
  error instanceof ServiceRefusal &&
  (error.type === 'session_ended' || (error.type === 'not_found' && /session/i.test(error.message)))
