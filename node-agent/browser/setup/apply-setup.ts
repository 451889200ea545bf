/**
 * The part of a browser's set-up that is applied when a session claims it, and again by an agent that
 * takes the browser over.
 */
import { join } from 'node:path'
import type { BrowserSetup } from '../../../proto/session/setup/browser-setup.ts'
import { settleWithin } from '../../../runtime/lib/clock.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import {
  callExtension,
  callIfRunning,
  extensionIdOf,
  loadExtension,
} from '../../cdp/own-extension.ts'
import { chromiumLimits } from '../limits.ts'
import { applyMask, reapplyMask, type MaskMeans } from './apply-mask.ts'
import { permissionCall } from './permission-call.ts'
import { prepareTargets, type PreparedTarget, type TargetCall } from './prepare-targets.ts'
import { requestRules } from './request-rules.ts'
import { overrideOf } from './user-agent.ts'

/** The browser loads it from there. */
export const rulesExtension = join(packageRoot, 'node-agent', 'browser', 'setup', 'extension')

type SetupMeans = MaskMeans

export async function applySetup(setup: BrowserSetup, means: SetupMeans): Promise<void> {
  const masked = setup.mask && applyMask(setup.mask, means)
  await Promise.all([applyToTargets(setup, means), addRules(setup, means.cdp), masked])
}

/** Without what a browser keeps when its agent ends. */
export async function reapplySetup(setup: BrowserSetup, means: SetupMeans): Promise<void> {
  await Promise.all([applyToTargets(setup, means), setup.mask && reapplyMask(setup.mask, means)])
}

async function applyToTargets(setup: BrowserSetup, means: SetupMeans): Promise<void> {
  const { cdp } = means
  const { permissions = [], deniesDownloads, closesDialogs = false } = setup
  cdp.closesDialogs = closesDialogs
  await Promise.all([
    ...permissions.map((one) => cdp.send('Browser.setPermission', permissionCall(one))),
    deniesDownloads &&
      cdp.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true }),
    prepare(setup, means),
  ])
}

/** Client hints of the user agent, the place, and dialogs. */
async function prepare(setup: BrowserSetup, { cdp, onError }: SetupMeans): Promise<void> {
  const { geolocation, userAgent, device, closesDialogs } = setup
  const hasAgent = (userAgent ?? device?.userAgent) !== undefined
  if (!hasAgent && !geolocation && !closesDialogs) return
  const hintsFor = hasAgent ? await hintsOf(cdp) : undefined
  const { defaultBrowserContextId } = await cdp.send('Target.getBrowserContexts')
  const setAgent = (call: TargetCall, { type }: PreparedTarget) =>
    // A worker of a page has its page's.
    hintsFor && type !== 'worker' ? [call('Emulation.setUserAgentOverride', hintsFor(type))] : []
  // A context that a client has made has the place that the client has set, or none.
  const setPlace = (call: TargetCall, { type, browserContextId }: PreparedTarget) =>
    geolocation && type === 'page' && browserContextId === defaultBrowserContextId
      ? [call('Emulation.setGeolocationOverride', geolocation)]
      : []
  // The connection is told of dialogs then, and closes them.
  const hearOfDialogs = (call: TargetCall, { type }: PreparedTarget) =>
    closesDialogs && type === 'page' ? [call('Page.enable')] : []
  const preparation = {
    types: ['page', ...(hasAgent ? ['service_worker', 'shared_worker'] : [])],
    frames: hasAgent,
    prepare: (call: TargetCall, target: PreparedTarget) => [
      ...setAgent(call, target),
      ...setPlace(call, target),
      ...hearOfDialogs(call, target),
    ],
  }
  await prepareTargets(cdp, preparation, onError)
}

/** The browser has the user agent already, by a flag. */
async function hintsOf(cdp: CdpPipe) {
  const { userAgent, product } = await cdp.send('Browser.getVersion')
  const version = product.slice(product.indexOf('/') + 1)
  return (type: string) => overrideOf(userAgent, version, type.endsWith('worker'))
}

async function addRules(setup: BrowserSetup, cdp: CdpPipe): Promise<void> {
  const rules = requestRules(setup)
  if (rules.length === 0) return
  await callExtension(cdp, await loadExtension(cdp, rulesExtension), 'setRules', rules)
}

/**
 * Tells how many requests its rules have blocked since this was asked last. It waits only for a moment,
 * because the release of a browser that does not answer must not wait; what comes later is told then.
 */
export async function takeBlocked(cdp: CdpPipe, tell: (count: number) => void): Promise<void> {
  const id = extensionIdOf(rulesExtension)
  const asked = callIfRunning(cdp, id, 'takeBlocked').then((count) => tell(Number(count ?? 0)))
  await settleWithin(cdp.clock, chromiumLimits.blockedCountMs, asked)
}
