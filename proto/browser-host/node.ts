/** The verbs of a node agent. All are msgpack-encoded and answered by a `Reply`. */
import type { CommandCall } from '../commands/catalogue.ts'
import type { Reply } from '../envelope.ts'
import type { BrowserId } from '../ids.ts'
import type { BrowserUse } from '../session/browser-reports.ts'
import type { BrowserClaim } from '../session/browser-claim.ts'
import type { ExtensionSource } from '../session/extension.ts'
import type { NewLoggedEvent, LoggedEvent } from '../session/session-event.ts'
import type { ProfileSource } from '../session/profile.ts'
import type { SessionOptions } from '../session/session.ts'
import type { SealedBlob } from '../session/blob.ts'
import type { Exchange } from './exchange.ts'
import type { VideoInfo, VideoOrder, VideoPart } from './video.ts'

/** A request about one session. */
export interface FencedOrder {
  readonly sessionId: string
  /** The session actor's epoch: an agent refuses one lower than it has seen for this session. */
  readonly epoch: number
}

/** A request that a task may have sent, about the session in which it works. */
export interface IssuedByTask {
  /**
   * The task and the epoch of its actor; an epoch lower than the highest seen for the task is
   * refused. `step`: the one that it carries out, for the log.
   */
  readonly by?: { readonly id: string; readonly epoch: number; readonly step?: number }
}

/** What a session's browser may reach, by any means: pages, workers, sockets, redirects. */
export interface NetworkPolicy {
  /** In the syntax of `allowed_domains`; absent: every domain. */
  readonly allowedDomains?: readonly string[]
  readonly deniedDomains?: readonly string[]
  /**
   * Loopback, link-local, private and other addresses that are not plainly part of the internet.
   */
  readonly allowsPrivateNetwork: boolean
}

export interface RestrictOrder {
  readonly policy: NetworkPolicy | null
  /** With null: the policy is lifted once the pages that are open now are closed or blank. */
  readonly lingers?: boolean
}

/** A command that has run. */
export interface JournalEntry {
  /** Wall-clock ms of its start. */
  readonly atMs: number
  readonly command: string
  readonly ms: number
  /** The type of the error; absent after a success. */
  readonly error?: string
  /** The task that sent it. */
  readonly task?: string
}

export interface NodeVerbs {
  /** Takes a warm browser or boots one of that shape; repeating it gives the same browser. */
  claim: {
    request: FencedOrder & {
      readonly options: SessionOptions
      /** Tenants take turns in the queue; absent in claims of an older actor host. */
      readonly tenant?: string
      /** How long the caller may wait in the queue; 0: `queue_full` at once if nothing is free. */
      readonly waitMs: number
      /** Absent for a new profile, too. */
      readonly profile?: ProfileSource
      readonly extensions?: readonly ExtensionSource[]
    }
    reply: BrowserClaim
  }
  /**
   * Writes the profile of the browser into the blob. It closes the browser in order, unless `runsOn`;
   * then the files stay until the session is released, so it may be repeated.
   */
  save_profile: {
    request: FencedOrder & {
      readonly blob: SealedBlob
      /** A larger profile is refused. */
      readonly bytesMax: number
      readonly runsOn?: true
    }
    reply: SavedProfile
  }
  /**
   * Ends the browser, or takes the session out of the queue; answers first, tears down afterwards.
   */
  release: {
    request: FencedOrder
    /** `use`: absent without a browser. */
    reply: { readonly released: boolean; readonly use?: BrowserUse }
  }
  /** The browser that the agent holds for the session. */
  holds: { request: FencedOrder; reply: { readonly browserId: BrowserId | null } }
  pages: { request: FencedOrder; reply: readonly PageInfo[] }
  /**
   * For lists of sessions. It changes nothing and does not count as activity, so it needs no epoch.
   * The answer may be cached for a moment.
   */
  glance: {
    request: { readonly sessionId: string }
    reply: {
      /** The selected tab comes first. */
      readonly pages: readonly PageInfo[]
      /** A small JPEG of the selected tab; absent if Chromium draws nothing for it. */
      readonly image?: Uint8Array
    }
  }
  /**
   * What has happened in the session, after the event `after` (0: from the first that is kept); like
   * `glance`, it is not activity, and it is answered for a day after the session's end.
   */
  events: {
    request: {
      readonly sessionId: string
      readonly after: number
      /** Only the newest so many. */
      readonly last?: number
    }
    reply: { readonly events: readonly LoggedEvent[]; readonly hasMore: boolean }
  }
  /**
   * Requests of its pages and their answers, after the one with the number `after`; of traced and
   * recorded sessions, kept like `events`.
   */
  exchanges: {
    request: { readonly sessionId: string; readonly after: number }
    reply: { readonly exchanges: readonly Exchange[]; readonly hasMore: boolean }
  }
  /** A gateway tells what its clients have done. Ignored if the session has ended. */
  note: {
    request: { readonly sessionId: string; readonly events: readonly NewLoggedEvent[] }
    reply: { readonly noted: true }
  }
  /** The last commands, as gateways of 0.1.0 ask for them; others ask for `events`. */
  journal: {
    request: { readonly sessionId: string }
    /** Oldest first. */
    reply: { readonly entries: readonly JournalEntry[] }
  }
  /**
   * A part of the session's trace, from a byte offset; available until the trace is removed some time
   * after the session has ended. `next`: the offset of the next part; absent for the last one.
   */
  trace: {
    request: { readonly sessionId: string; readonly from: number }
    reply: { readonly bytes: Uint8Array; readonly next?: number }
  }
  /** Of a session that is, or was, recorded; like its video, until that is removed. */
  video_info: { request: { readonly sessionId: string }; reply: VideoInfo }
  /** A part of the finished video, or of a clip of it, from a byte on; `size` is that of the whole. */
  video: {
    request: { readonly sessionId: string; readonly from: number; readonly clip?: string }
    reply: { readonly bytes: Uint8Array; readonly size: number }
  }
  /**
   * Makes a video of what the finished one shows between two wall-clock ms. It is kept for a minute
   * after it was last read.
   */
  video_clip: {
    request: { readonly sessionId: string } & VideoPart
    reply: { readonly clip: string; readonly size: number }
  }
  /** What the video shows at a wall-clock ms, or last, as JPEG; while the session runs, too. */
  video_frame: {
    request: { readonly sessionId: string; readonly atMs?: number }
    reply: { readonly jpeg: Uint8Array }
  }
  /** May be repeated. */
  video_order: {
    request: { readonly sessionId: string; readonly order: VideoOrder }
    reply: { readonly done: true }
  }
  /** Runs the actions in order and stops at the first failure, whose reply is the last. */
  run: {
    request: FencedOrder &
      IssuedByTask & {
        readonly actions: readonly CommandCall[]
        /** Of the caller; absent in requests of tasks. */
        readonly keyId?: string
        /** No action starts after this time has passed. */
        readonly withinMs: number
        /** For actions that fill in a login, by the name in their input; empty if they name none. */
        readonly loginTickets?: Readonly<Record<string, string>>
      }
    reply: readonly Reply[]
  }
  /** The policy is in force when this is answered, also for open pages; null lifts it. */
  restrict: {
    request: FencedOrder & IssuedByTask & RestrictOrder
    reply: { readonly restricted: boolean }
  }
  /** The agent takes no new sessions from now on; `sessions` is how many still run there. */
  drain: { request: Readonly<Record<never, never>>; reply: { readonly sessions: number } }
  /** It takes new sessions again. */
  undrain: { request: Readonly<Record<never, never>>; reply: { readonly sessions: number } }
}
export type NodeVerb = keyof NodeVerbs

export interface SavedProfile {
  /** As they are stored. */
  readonly bytes: number
  /** The version of Chromium: `150.0.7871.181`. */
  readonly chromium: string
}

/** The envelope of a verb. */
export interface NodeRequest<V extends NodeVerb = NodeVerb> {
  readonly id: string
  /** True for a repeat whose first answer may be lost: its actions must not run twice. */
  readonly again: boolean
  readonly request: NodeVerbs[V]['request']
  /** The caller's span as a W3C `traceparent`; absent unless it traces. */
  readonly trace?: string
}

/** `forgotten`: a repeated request that this agent has no record of; it may or may not have run. */
export type NodeReply = Reply | { readonly forgotten: true }

export interface PageInfo {
  readonly id: string
  readonly title: string
  readonly url: string
}
