/**
 * Extensions of our own, which only the agent's connection can load: each has one function, `troupe`,
 * in its worker, whose effects last until the extension is removed.
 */
import { createHash } from 'node:crypto'
import { chromiumIdOf } from '../../proto/session/extension.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import { sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type * as itselfCode from '../in-page/itself.ts'
import { nodeAgentLimits } from '../limits.ts'
import { CdpError, type CdpPipe } from './cdp.ts'
import type { CdpResult } from './protocol.ts'

const { callItself } = sentFunctions<typeof itselfCode>('itself')

const times = {
  everyMs: nodeAgentLimits.extensionPollMs,
  withinMs: nodeAgentLimits.extensionMs,
}

/** Returns its id. Incognito windows and other browser contexts have it too. */
export async function loadExtension(cdp: CdpPipe, folder: string): Promise<string> {
  const how = { path: folder, enableInIncognito: true }
  const { id } = await cdp.send('Extensions.loadUnpacked', how)
  return id
}

/** Of an extension that was loaded from a folder: Chromium derives it from the path. */
export const extensionIdOf = (folder: string): string =>
  chromiumIdOf(createHash('sha256').update(folder).digest())

/** Calls the function of its worker. Arguments and the result are JSON. */
export async function callExtension(
  cdp: CdpPipe,
  id: string,
  ...given: readonly unknown[]
): Promise<unknown> {
  const worker = await pollUntil(cdp.clock, times, () => workerOf(cdp, id))
  if (!worker) throw new Error('its worker did not start')
  return callWorker(cdp, worker.targetId, given)
}

/** The same, if its worker runs: Chromium ends one to which nothing happens for 30 seconds. */
export async function callIfRunning(
  cdp: CdpPipe,
  id: string,
  ...given: readonly unknown[]
): Promise<unknown> {
  const worker = await workerOf(cdp, id)
  return worker && callWorker(cdp, worker.targetId, given)
}

async function callWorker(cdp: CdpPipe, targetId: string, given: readonly unknown[]) {
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
  const how = {
    awaitPromise: true,
    returnByValue: true,
    arguments: given.map((value) => ({ value })),
  }
  try {
    const objectId = await workerFunction(cdp, sessionId)
    const { result, exceptionDetails } = await cdp.send(
      'Runtime.callFunctionOn',
      { ...how, objectId, functionDeclaration: callItself.source },
      { sessionId },
    )
    if (exceptionDetails) throw new Error(exceptionText({ exceptionDetails }))
    return result.value
  } finally {
    // The session may have been detached with its target already.
    await cdp.send('Target.detachFromTarget', { sessionId }).catch((error: unknown) => {
      if (!(error instanceof CdpError)) throw error
    })
  }
}

async function workerOf(cdp: CdpPipe, id: string) {
  const filter = [{ type: 'service_worker' }]
  const { targetInfos } = await cdp.send('Target.getTargets', { filter })
  return targetInfos.find(({ url }) => url.startsWith(`chrome-extension://${id}/`))
}

/** Retries, because the worker exists a moment before its script has run. */
async function workerFunction(cdp: CdpPipe, sessionId: string): Promise<string> {
  const evaluated = await pollUntil(
    cdp.clock,
    times,
    () => cdp.send('Runtime.evaluate', { expression: 'troupe' }, { sessionId }),
    (answer) => !exceptionText(answer)?.startsWith('ReferenceError'),
  )
  if (evaluated.exceptionDetails) throw new Error(exceptionText(evaluated))
  return evaluated.result.objectId!
}

/** The description of the exception with which an evaluation ended. */
const exceptionText = ({
  exceptionDetails,
}: Pick<CdpResult<'Runtime.evaluate'>, 'exceptionDetails'>) =>
  exceptionDetails?.exception?.description
