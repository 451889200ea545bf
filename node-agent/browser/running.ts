/** The processes and folders of one Chromium, whichever agent has started them: how they are watched and end. */
import type { Logger } from 'pino'
import type { BrowserId } from '../../proto/ids.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Isolation } from '../../runtime/browser-host/isolation/isolation.ts'
import {
  killGroup,
  type Guard,
  type ProcessExit,
  type ProcessGroup,
} from '../../runtime/process/guard.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import type { BrowserCgroup } from '../bounds/browser-group.ts'
import type { BrowserGroups } from '../bounds/browser-groups.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { Display } from '../display/display.ts'
import type { ServicePorts } from '../egress/service-ports.ts'
import type { BrowserRecord } from '../files/browser-record.ts'
import { removeScratch, scratchPaths, type ScratchDirs } from '../files/scratch.ts'
import type { Egress, EgressFilter } from '../network/egress.ts'
import type { BrowserShape } from './shape.ts'

export interface LaunchOptions {
  readonly id: BrowserId
  readonly shape: BrowserShape
  /** The folder that contains the folders of all browsers. */
  readonly root: string
  readonly chromium: string
  readonly isolation: Isolation
  readonly ports: ServicePorts
  readonly egress: Pick<Egress, 'open'>
  /** For the contents of profiles, which may be on this host too. */
  readonly bus: Pick<Bus, 'request'>
  readonly dataDir: string
  /** Puts files into its profile before it starts. */
  readonly fill?: (profile: string) => Promise<void>
  readonly guard: Guard
  readonly clock: Clock
  /** Set if each browser gets a control group. */
  readonly groups?: Pick<BrowserGroups, 'make' | 'adopt'> | undefined
  /** How long the browser of a session waits for the next agent if this one dies; 0: not at all. */
  readonly graceSeconds: number
  readonly log: Logger
}

export interface BrowserExit extends ProcessExit {
  /** The end of its stderr output, for the log. */
  readonly stderr: string
  /** A sentence that says why it was ended: its display had failed, or it did not answer. */
  readonly failure?: string | undefined
  /** A sentence that names the exceeded limit, if the browser was ended for it. */
  readonly overrun?: string | undefined
}

export interface DevtoolsEndpoint {
  /** A loopback port, in the browser's own network or on the host. */
  readonly port: number
  /** The unix socket that is forwarded to that port, for a browser with its own network. */
  readonly socket?: string
  /** `/devtools/browser/<uuid>` */
  readonly path: string
}

/** Processes that run, but are not known to work yet. */
export interface RunningBrowser {
  readonly scratch: ScratchDirs
  readonly record: BrowserRecord
  readonly group: ProcessGroup
  readonly display: Display | undefined
  readonly cgroup: BrowserCgroup | undefined
  readonly cdp: CdpPipe
  readonly listening: Promise<DevtoolsEndpoint>
  /** The proxy on a port of loopback that adds the credentials of the session's own proxy. */
  readonly loginPort: number | undefined
  /** Only for a browser with its own network: the filter that all its connections go through. */
  readonly egressFilter: EgressFilter | undefined
  readonly exited: Promise<BrowserExit>
  readonly release: () => Promise<void>
  /** Its files stay at least until then. */
  readonly keepFiles: (until: Promise<void>) => void
  /** Ends it because it exceeded a limit, which the sentence names. */
  readonly overrun: (why: string) => void
  /** Ends it because it is of no use any more; the sentence says why. */
  readonly fail: (why: string) => void
}

export interface BrowserProcess {
  readonly group: ProcessGroup
  readonly exited: Promise<ProcessExit>
  readonly stderrTail: () => string
  readonly cdp: CdpPipe
}

export interface BrowserResources {
  readonly scratch: ScratchDirs
  readonly display: Display | undefined
  readonly cgroup: BrowserCgroup | undefined
  /** The proxy or filter that the browser connects through, closed with the browser. */
  readonly proxy: Pick<EgressFilter, 'close'> | undefined
}

type Means = Pick<LaunchOptions, 'id' | 'guard' | 'clock' | 'log'>

/** Handles its exit, and ends it. */
export function watchBrowser(
  { group, exited: ended, stderrTail, cdp }: BrowserProcess,
  { scratch, display, cgroup, proxy }: BrowserResources,
  { id, guard, clock, log }: Means,
) {
  // A browser is unusable without its display.
  void display?.lost.then(() => killGroup(group))
  let overrun: string | undefined
  let failure: string | undefined
  const exited = ended.then(async (exit) => {
    cdp.close('the browser has ended')
    overrun ??= cgroup?.overrun()
    return {
      ...exit,
      stderr: stderrTail(),
      overrun,
      failure: failure ?? (await display?.failure()),
    }
  })
  let kept: Promise<void> | undefined
  let released: Promise<void> | undefined
  const release = () =>
    (released ??= (async () => {
      killGroup(group)
      // The display is closed at the same time, so that the end of the browser's X clients is not
      // reported as a display failure.
      await Promise.all([exited, display?.close()])
      await proxy?.close()
      await cgroup?.remove()
      await kept
      await removeFiles({ id, guard, clock, log }, scratch)
    })())
  const endings = {
    keepFiles(until: Promise<void>) {
      kept = until
    },
    overrun(why: string) {
      overrun ??= why
      killGroup(group)
    },
    fail(why: string) {
      failure ??= why
      killGroup(group)
    },
  }
  return { cdp, exited, release, ...endings }
}

/** Removes the folder and what belongs to it; then the guard need not do it. */
export function removeFiles({ id, guard, clock, log }: Means, scratch: ScratchDirs): Promise<void> {
  const onRemoved = () => guard.release(id)
  return removeScratch({ id, paths: scratchPaths(scratch), guard, clock, log, onRemoved })
}
