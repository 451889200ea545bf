/**
 * Runs a client's script in the page's own world. The script's errors are reported to the client.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { sentFunctions } from '../../../runtime/browser-host/page-functions.ts'
import type * as itselfCode from '../../in-page/itself.ts'
import { isChromiumError } from '../tabs/calls.ts'
import type { CdpParams } from '../../cdp/protocol.ts'
import type { Tab } from '../tabs/tab.ts'
import { isElementGone } from '../targeting/element.ts'
import { pageLimits } from '../limits.ts'

const isFunction = /^\s*(async\b\s*)?(function\b|\([^()]*\)\s*=>|\w+\s*=>)/

const { callItself, itself } = sentFunctions<typeof itselfCode>('itself')

/** An expression, or a function, which is then called; promises are awaited. */
export async function evaluateScript(tab: Tab, expression: string): Promise<unknown> {
  try {
    const first = await run(tab, 'Runtime.evaluate', { expression, returnByValue: false })
    if (first.type === 'function' && isFunction.test(expression))
      return await call(tab, first.objectId!, callItself.source)
    if (first.objectId === undefined) return first.value ?? first.unserializableValue ?? null
    return await call(tab, first.objectId, itself.source)
  } catch (error) {
    if (!isElementGone(error)) throw error
    const message = 'The page navigated away before the script ended.'
    throw new ServiceError('conflict', message, {}, error)
  }
}

async function call(tab: Tab, objectId: string, functionDeclaration: string): Promise<unknown> {
  const params = { objectId, functionDeclaration, returnByValue: true }
  return (await run(tab, 'Runtime.callFunctionOn', params)).value ?? null
}

type Runs = 'Runtime.evaluate' | 'Runtime.callFunctionOn'

async function run<M extends Runs>(tab: Tab, method: M, params: CdpParams<M>) {
  const all = Object.assign({}, params, { awaitPromise: true, userGesture: true })
  const { result, exceptionDetails } = await tab
    .send<Runs>(method, all as CdpParams<Runs>, pageLimits.scriptMs)
    .catch((error: unknown) => {
      throw isUnserialisable(error) ? scriptError('its result is not plain data') : error
    })
  if (!exceptionDetails) return result
  const { text, exception } = exceptionDetails
  const why = exception?.description ?? (String(exception?.value ?? '') || text)
  throw scriptError(why.slice(0, pageLimits.scriptErrorChars))
}

const isUnserialisable = (error: unknown) => isChromiumError(error, /reference chain|serializ/i)

function scriptError(why: string): ServiceError {
  return new ServiceError('bad_request', `The script failed: ${why}`, { field: 'expression' })
}
