/**
 * Takes over the processes of a browser that an earlier agent has started: watches them, opens their
 * pipe, and gives the browser its way out again, which ended with that agent.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../proto/limits.ts'
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import { retry } from '../../runtime/lib/retry.ts'
import {
  handOverAgain,
  receiveListener,
  type ListenerHandle,
} from '../../runtime/browser-host/isolation/own-network.ts'
import {
  adoptGuarded,
  continueGroup,
  killGroup,
  spawnGuarded,
  type ProcessExit,
} from '../../runtime/process/guard.ts'
import { CdpPipe } from '../cdp/cdp.ts'
import { openAgentEnds } from '../cdp/pipes.ts'
import { Display } from '../display/display.ts'
import { BrowserRecord, type RecordedBrowser, type ScratchRecord } from '../files/browser-record.ts'
import { scratchOf, scratchPaths, type ScratchDirs } from '../files/scratch.ts'
import type { EgressFilter } from '../network/egress.ts'
import { chromiumLimits } from './limits.ts'
import { removeFiles, watchBrowser, type LaunchOptions, type RunningBrowser } from './running.ts'

export interface Leftover {
  readonly record: ScratchRecord
  /** The policies in force, for the filter of a browser with its own network. */
  readonly policies: readonly NetworkPolicy[]
}

/** Throws if that fails; then nothing of the browser is left. */
export async function adoptBrowser(
  options: LaunchOptions,
  { record: earlier, policies }: Leftover,
): Promise<RunningBrowser> {
  const { id, root, guard, clock } = options
  const scratch = scratchOf(root, id)
  const { browser: group, ready } = earlier
  if (!group || !ready) throw new Error('its record is not complete')
  const paths = scratchPaths(scratch)
  const everyMs = chromiumLimits.browserLookMs
  // The agent before may have ended while it copied the profile, for which the browser stands still.
  continueGroup(group)
  const chromium = adoptGuarded(guard, group, { key: id, paths, clock, everyMs })
  let display: Display | undefined
  let proxy: EgressFilter | undefined
  let cdp: CdpPipe | undefined
  const cgroup = options.groups?.adopt(id)
  try {
    if (earlier.xSocket !== undefined) display = Display.adopt(options, scratch, earlier)
    const record = BrowserRecord.of(scratch, id, earlier)
    guard.bequeath(id, record.legacy(options.graceSeconds))
    await record.update({ ready: { ...ready, ...attempt(ready, clock.now()) } })
    const egressFilter = await openWayOut(options, earlier, policies)
    proxy = egressFilter ?? (await openLogin(options, ready))
    const { out, into } = openAgentEnds(scratch)
    cdp = new CdpPipe(out, into, clock)
    const exited = chromium.exited.then((exit) => closedOr(exit, scratch))
    const resources = { scratch, display, cgroup, proxy }
    const watched = watchBrowser({ group, exited, cdp, stderrTail: () => '' }, resources, options)
    const { dialogs = [] } = earlier
    const before = { session: ready.agentSession, turn: record.content.turn!, dialogs }
    await cdp.resume(before, limits.browserBootMs)
    const { agentSession } = cdp
    await record.update({
      ready: { ...record.content.ready!, agentSession: agentSession! },
      dialogs: [],
    })
    const { loginPort } = ready
    const parts = { scratch, record, group, display, cgroup, loginPort, egressFilter }
    return { ...parts, listening: Promise.resolve(ready.devtools), ...watched }
  } catch (error) {
    killGroup(group)
    await chromium.exited
    cdp?.close('it was not taken over')
    await display?.close()
    await proxy?.close()
    await cgroup?.remove()
    await removeFiles(options, scratch)
    throw error
  }
}

/** Counts agents that ended soon after they had taken it over, perhaps because of it. */
function attempt({ takenAtMs, failures = 0 }: RecordedBrowser, nowMs: number) {
  const isSoon = takenAtMs !== undefined && nowMs - takenAtMs < chromiumLimits.adoptedStableMs
  const next = isSoon ? failures + 1 : 0
  if (next >= chromiumLimits.adoptionsAtMost) throw new Error('several agents ended with it')
  return { takenAtMs: nowMs, failures: next }
}

async function openWayOut(
  options: LaunchOptions,
  { browser, ready }: ScratchRecord,
  policies: readonly NetworkPolicy[],
): Promise<EgressFilter | undefined> {
  const { egress, clock, shape } = options
  if (ready?.devtools.socket === undefined) return undefined
  const rules = {
    withinMs: limits.browserBootMs,
    waitMs: chromiumLimits.listenerRetryMs,
    // The socket of the agent before is closed a moment after its end.
    isRetryable: () => true,
  }
  const listener = await retry(clock, rules, () => listenAgain(options, browser!.pgid))
  try {
    return await egress.open({ upstream: shape.proxy, policies }, listener)
  } catch (error) {
    listener.close()
    throw error
  }
}

function listenAgain({ id, guard }: LaunchOptions, pid: number): Promise<ListenerHandle> {
  const [command, ...args] = handOverAgain(pid)
  const { PATH } = process.env
  const { child } = spawnGuarded(guard, command!, args, {
    key: `${id}.listener`,
    env: { PATH },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return receiveListener(child, limits.browserBootMs)
}

/** The proxy that adds the session's credentials, where its browser looks for it. */
async function openLogin(
  { egress, shape }: LaunchOptions,
  { loginPort }: RecordedBrowser,
): Promise<EgressFilter | undefined> {
  if (loginPort === undefined) return undefined
  return egress.open({ upstream: shape.proxy, policies: [], port: loginPort })
}

/** Chromium writes into its preferences that it has ended in order; its exit code is not known. */
async function closedOr(exit: ProcessExit, { profile }: ScratchDirs): Promise<ProcessExit> {
  try {
    const text = await readFile(join(profile, 'Default', 'Preferences'), 'utf8')
    const { profile: state } = JSON.parse(text) as { profile?: { exit_type?: string } }
    return state?.exit_type === 'Normal' ? { ...exit, code: 0 } : exit
  } catch {
    return exit
  }
}
