/**
 * The verbs of a node agent, all msgpack, in the same reply form.
 */
import type { Action } from './commands/catalogue.ts'
import type { Reply } from './envelope.ts'
import type { BrowserId, Incarnation } from './ids.ts'
import type { SessionOptions } from './session.ts'

/**
 * Where a claimed browser can be reached, by whom and with what.
 * Private: it never leaves the service.
 */
export interface BrowserClaim {
  readonly nodeId: string
  readonly incarnation: Incarnation
  readonly browserId: BrowserId
  /** Loopback of `machine`, or of the browser alone where it has a socket. */
  readonly devtoolsPort: number
  /** Path of the unix socket on `machine` that leads there, for a browser with a network of its own. */
  readonly devtoolsSocket?: string
  /** `/devtools/browser/<uuid>` */
  readonly devtoolsPath: string
  readonly machine: string
  readonly dataUrl: string
  /** Signs this browser's tickets; made anew with each claim. */
  readonly ticketSecret: string
  /** Where this session's downloads lie on the agent's machine. */
  readonly downloadsDir: string
  /** Headful sessions only: the desktop, on `machine`. */
  readonly display?: DisplayAddress
}

export interface DisplayAddress {
  /** Path of the unix socket on which its X server listens. */
  readonly xSocket: string
  /** Path of the unix socket on which its VNC server listens. */
  readonly vncSocket: string
  /** Path of the file with its cookie, as XAUTHORITY names it. */
  readonly authority: string
}

/** An order about one session. */
export interface Fenced {
  readonly sessionId: string
  /** The session actor's epoch: an agent refuses one lower than it has seen for this session. */
  readonly epoch: number
}

/** An order of a task about the session that it works in. */
export interface ByTask {
  /** The task, and the epoch of its actor: one lower than was seen for this task is refused. */
  readonly by?: { readonly id: string; readonly epoch: number }
}

/** What the browser of a session may reach, whoever asks: pages, workers, sockets, redirects. */
export interface NetworkPolicy {
  /** As `allowed_domains` has them; absent: every domain. */
  readonly allowedDomains?: readonly string[]
  readonly deniedDomains?: readonly string[]
  /** Loopback, link-local, private and other addresses that are not plainly of the internet. */
  readonly allowsPrivateNetwork: boolean
}

export interface RestrictOrder {
  readonly policy: NetworkPolicy | null
  /** With null: it is lifted when the pages that are open now are closed or blank. */
  readonly lingers?: boolean
}

export interface NodeVerbs {
  /** Takes a warm browser (or boots one of that shape); repeating it gives the same browser. */
  claim: {
    request: Fenced & {
      readonly options: SessionOptions
      /** Who waits in turn with others; absent in claims of an older actor host. */
      readonly tenant?: string
      /**
       * How long the caller may stand in line; 0 answers `queue_full` at once when nothing is free.
       */
      readonly waitMs: number
    }
    reply: BrowserClaim
  }
  /** Ends the browser, or takes the session out of the line; answers at once, tears down after. */
  release: { request: Fenced; reply: { readonly released: boolean } }
  /** Does this agent hold that session's browser? */
  holds: { request: Fenced; reply: { readonly browserId: BrowserId | null } }
  pages: { request: Fenced; reply: readonly PageInfo[] }
  /** Does one thing after the other and stops at the first that fails, whose answer is the last. */
  run: {
    request: Fenced &
      ByTask & {
        readonly actions: readonly Action[]
        /** None is begun later than that. */
        readonly withinMs: number
      }
    reply: readonly Reply[]
  }
  /** In force when it is answered, for all that is open too; null lifts it. */
  restrict: {
    request: Fenced & ByTask & RestrictOrder
    reply: { readonly restricted: boolean }
  }
}
export type NodeVerb = keyof NodeVerbs

/** How a verb is asked for. */
export interface NodeAsk<V extends NodeVerb = NodeVerb> {
  readonly id: string
  /** It was sent before, and its answer may have been lost: what is done must not be done twice. */
  readonly again: boolean
  readonly request: NodeVerbs[V]['request']
}

/** `forgotten`: asked again, and nobody here knows what came of it, or whether it ever came. */
export type NodeReply = Reply | { readonly forgotten: true }

export interface PageInfo {
  readonly id: string
  readonly title: string
  readonly url: string
}
