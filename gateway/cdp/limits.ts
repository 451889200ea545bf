/** The CDP relay: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const cdpLimits = {
  cdpClientsPerSession: 64,
  /**
   * A session that belongs to a socket is ended by the gateway that has the socket. If that gateway
   * dies, the session ends after this idle time.
   */
  ownSessionIdleMinutes: 1,
  ownSessionMinutesMax: 1_440,
  /** Longest method name that the scan of a client's message looks at. */
  cdpMethodBytes: 64,
  cdpScannedPlacesMax: 1_000,
  cdpScannedEscapesMax: 100_000,
  /** Parsing a larger message would block all clients of this gateway. */
  cdpParsedBytes: 32 * MiB,
  /** The nesting that Chromium itself accepts. */
  cdpJsonDepth: 300,
  /** Calls of `Target.sendMessageToTarget` nested in one another. */
  cdpNestedLevels: 8,

  /** How long a link to the DevTools front end is good; what is open by it ends then. */
  inspectorLinkSeconds: 3_600,
  /** How long a reader's browser may keep files of the front end. */
  inspectorFileKeptSeconds: 3_600,

  /** Of a refused method, as logs have it. */
  cdpMethodChars: 100,
} as const
