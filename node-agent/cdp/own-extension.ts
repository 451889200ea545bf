/**
 * Extensions of our own, which only the agent's connection can load: each has one function, `troupe`,
 * in its worker, whose effects last until the extension is removed.
 */
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

/** Calls the function of its worker. Arguments and the result are JSON. */
export async function callExtension(
  cdp: CdpPipe,
  id: string,
  ...given: readonly unknown[]
): Promise<unknown> {
  const attach = { targetId: await workerOf(cdp, id), flatten: true }
  const { sessionId } = await cdp.send('Target.attachToTarget', attach)
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

async function workerOf(cdp: CdpPipe, id: string): Promise<string> {
  const filter = [{ type: 'service_worker' }]
  const worker = await pollUntil(cdp.clock, times, async () => {
    const { targetInfos } = await cdp.send('Target.getTargets', { filter })
    return targetInfos.find(({ url }) => url.startsWith(`chrome-extension://${id}/`))
  })
  if (!worker) throw new Error('its worker did not start')
  return worker.targetId
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
