/** How the browser of a session is reached. */
import type { BrowserId, Incarnation } from '../ids.ts'
import type { SessionExtension } from './extension.ts'

/**
 * Where and with what secret a claimed browser can be reached. Private: it never leaves the
 * service.
 */
export interface BrowserClaim {
  readonly nodeId: string
  readonly incarnation: Incarnation
  readonly browserId: BrowserId
  /** On the loopback of `machine`, or of the browser's own network if it has a socket. */
  readonly devtoolsPort: number
  /** Unix socket on `machine` that leads to the port, for a browser with its own network. */
  readonly devtoolsSocket?: string
  /** For example `/devtools/browser/<uuid>`. */
  readonly devtoolsPath: string
  readonly machine: string
  readonly dataUrl: string
  /** Signs this browser's tickets; each claim has a new one. */
  readonly ticketSecret: string
  /** The folder of this session's downloads on the agent's machine. */
  readonly downloadsDir: string
  /**
   * Id of the browser context of the agent's own pages, which clients must not see. Claims of older
   * agents have none.
   */
  readonly ownContextId?: string
  /** Those that the tenant has uploaded and the session has named. */
  readonly extensions?: readonly SessionExtension[]
  /** Headful sessions only: the desktop on `machine`. */
  readonly display?: DisplayAddress
}

export interface DisplayAddress {
  /** Path of the unix socket on which its X server listens. */
  readonly xSocket: string
  /** Path of the unix socket on which its VNC server listens. */
  readonly vncSocket: string
  /** File with its cookie, as in XAUTHORITY. */
  readonly authority: string
}
