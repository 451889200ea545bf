/** Events of a session, from the host of its browser. */
import { defined } from '../../proto/defined.ts'
import { isNotFound } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { NodeVerbs } from '../../proto/browser-host/node.ts'
import type { LoggedEvent } from '../../proto/session/session-event.ts'
import type { SessionView } from '../../proto/session/session.ts'
import { askNode, type NodeRequester } from '../../runtime/browser-host/node-client.ts'

/** Oldest first; none of a session that never had a browser. Throws `unavailable` if its host is gone. */
export async function readEvents(
  bus: NodeRequester,
  { id: sessionId, nodeId }: Pick<SessionView, 'id' | 'nodeId'>,
  { after = 0, last }: { readonly after?: number; readonly last?: number | undefined },
  withinMs: number = limits.nodeCallMs,
): Promise<NodeVerbs['events']['reply']> {
  if (nodeId === undefined) return { events: [], hasMore: false }
  const asked = { sessionId, after, ...defined({ last }) }
  return askNode(bus, nodeId, 'events', asked, withinMs).catch((error: unknown) => {
    // A host of an older version has no log.
    if (isNotFound(error)) return { events: [], hasMore: false }
    throw error
  })
}

/** All of them, in parts. */
export async function* allEvents(
  bus: NodeRequester,
  view: Pick<SessionView, 'id' | 'nodeId'>,
): AsyncGenerator<LoggedEvent> {
  for (let after = 0; ;) {
    const { events, hasMore } = await readEvents(bus, view, { after })
    yield* events
    if (!hasMore) return
    after = events.at(-1)!.n
  }
}
