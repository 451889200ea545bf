/**
 * The default session of a client over HTTP. A client that keeps the id of its MCP session has a
 * default session of its own. Clients without such an id, as in the protocol version without
 * sessions, share that of their key, and each answer says so.
 */
import { randomUUID } from 'node:crypto'
import { keyDefaultSession, type DefaultSession } from './tools/default-session.ts'
import type { ServiceClient } from './service.ts'

export const mcpSessionHeader = 'mcp-session-id'

const sharedNote =
  'This session is shared by all clients with your key that name none; session_create opens ' +
  'your own.'

/** The format of our ids; any gateway accepts an id that another one has issued. */
const idForm = /^mcp_[0-9a-f]{32}$/

export const newMcpSessionId = (): string => `mcp_${randomUUID().replaceAll('-', '')}`

/** Undefined if the client sends none, or one that is not ours. */
export function mcpSessionOf(request: Request): string | undefined {
  const given = request.headers.get(mcpSessionHeader) ?? ''
  return idForm.test(given) ? given : undefined
}

export function httpDefaultSession(
  service: ServiceClient,
  keyId: string,
  mcpSession: string | undefined,
): DefaultSession {
  if (mcpSession !== undefined) return keyDefaultSession(service, `${keyId}:${mcpSession}`)
  const shared = keyDefaultSession(service, keyId)
  const withSharedNote: AddNote = async (choice) => {
    const { session, note } = await choice
    return { session, note: [note, sharedNote].filter(Boolean).join(' ') }
  }
  return {
    enter: () => withSharedNote(shared.enter()),
    replace: (ended) => withSharedNote(shared.replace(ended)),
  }
}

type AddNote = (choice: ReturnType<DefaultSession['enter']>) => ReturnType<DefaultSession['enter']>

/** Ends the default session of a client that leaves; false if it has none. */
export async function endHttpSession(
  service: ServiceClient,
  keyId: string,
  mcpSession: string,
): Promise<boolean> {
  const opened = await service.running([`mcp-home:${keyId}:${mcpSession}`])
  await Promise.all(opened.map(({ id }) => service.end(id)))
  return opened.length > 0
}

/** True for the first message of a client that keeps a session. */
export function isInitialize(body: unknown): boolean {
  return [body].flat().some((one) => (one as { method?: unknown } | null)?.method === 'initialize')
}
