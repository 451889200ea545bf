/**
 * No error of a connection, a stream or a child ends the process. Node throws an `error` event that
 * has no listener, at any time between the creation of what emits it and its close: so each is
 * wrapped where it is made. Owners that have to know listen as well, or watch for the `close` or
 * `exit` that follows. `test/unit/repository/contained.test.ts` finds what is not wrapped.
 */
import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'

export function contained<Made extends EventEmitter>(made: Made): Made {
  return made.on('error', ignore)
}

/** Also the pipes to the child, of which one that has ended breaks at the next write. */
export function containedChild<Made extends EventEmitter>(
  child: Made & { readonly stdio: readonly (EventEmitter | null | undefined)[] },
): Made {
  // Absent if there were no descriptors left for the child's pipes.
  for (const pipe of child.stdio ?? []) if (pipe) contained(pipe)
  return contained(child)
}

/**
 * Also its connections, before, during and after their requests or upgrades, and its answers. The
 * server itself has an error whenever a connection cannot be accepted, for example because there
 * are no descriptors left; errors of `listen` are for the caller.
 */
export function containedServer<Made extends Server>(server: Made): Made {
  server.on('connection', contained)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    contained(request)
    contained(response)
  })
  return contained(server)
}

const ignore = (): void => {}
