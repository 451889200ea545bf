/** The HTTP and WebSocket server. Both engines behave the same; the gateway's tests run on both. */
import type { Engine } from './engine.ts'
import type { Listener, ListenerOptions } from './listener.ts'

export async function startHttpServer(engine: Engine, options: ListenerOptions): Promise<Listener> {
  switch (engine) {
    case 'uws':
      return (await import('./uws/server.ts')).serveUws(options)
    case 'node':
      return (await import('./node/server.ts')).serveNode(options)
    default:
      return engine satisfies never
  }
}
