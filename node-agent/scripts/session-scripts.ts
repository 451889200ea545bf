/** Runs the scripts of one session, each in a hidden page of its own. */
import { failureText } from '../../runtime/lib/text/failure-text.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import { jsonDepth } from '../../proto/json/depth.ts'
import type { DevtoolsEndpoint } from '../browser/running.ts'
import { CdpError, type CdpPipe } from '../cdp/cdp.ts'
import type * as itselfCode from '../in-page/itself.ts'
import type * as scriptCode from '../in-page/scripting.ts'
import { scriptLimits } from './limits.ts'
import { puppeteerSource } from './puppeteer-source.ts'
import { ScriptBounds } from './script-bounds.ts'
import { codeError, failure, scriptName, scriptPrefix, thrownError } from './script-error.ts'
import { ScriptLink } from './script-link.ts'
import { ScriptLog } from './script-log.ts'
import { ScriptPage } from './script-page.ts'

const { handMessages, runScript } = sentFunctions<typeof scriptCode>('scripting')
const { callItself } = sentFunctions<typeof itselfCode>('itself')

/** The interface of a browser for scripts. */
export interface ScriptedBrowser {
  readonly cdp: CdpPipe
  readonly devtools: DevtoolsEndpoint
  /** The browser context for the pages of scripts. */
  readonly ownContextId: string
  readonly scratch: { readonly downloads: string }
}

export interface ScriptOrder {
  readonly code: string
  readonly args: unknown
  readonly timeoutMs: number
  /** The target id of the tab that the script gets as its page. */
  readonly tabId: string
}

export interface ScriptResult {
  readonly value: unknown
  readonly logs: string[]
}

interface ScriptRun {
  readonly order: ScriptOrder
  readonly page: ScriptPage
  readonly log: ScriptLog
}

export class SessionScripts {
  readonly #browser: ScriptedBrowser
  #running = 0

  constructor(browser: ScriptedBrowser) {
    this.#browser = browser
  }

  /** Throws `script_failed` for failures of the script itself. */
  async run(order: ScriptOrder): Promise<ScriptResult> {
    const limit = scriptLimits.scriptsAtOnce
    if (this.#running >= limit) {
      const message = `${limit} scripts of this session are already running; try again later.`
      throw new ServiceError('busy', message, { limit })
    }
    this.#running++
    try {
      return await this.#run(order)
    } catch (error) {
      throw error instanceof ServiceError ? error : notRunError(error)
    } finally {
      this.#running--
    }
  }

  async #run(order: ScriptOrder): Promise<ScriptResult> {
    const { cdp, devtools, ownContextId, scratch } = this.#browser
    const log = new ScriptLog()
    let link: ScriptLink | undefined
    let bounds: ScriptBounds | undefined
    const page = await ScriptPage.open(cdp, ownContextId, (payload) => {
      const text = payload.slice(1)
      if (payload.startsWith('c')) link?.send(text)
      else if (payload.startsWith('l')) log.add(text)
      else bounds?.startTimeLimit(order.timeoutMs)
    })
    bounds = new ScriptBounds(page, log, cdp.clock)
    const onLost = () => bounds?.end('it lost the connection to the browser')
    try {
      await evaluated(page, await puppeteerSource())
      const sendToScript = await messageSenderOf(page, order.timeoutMs)
      link = await ScriptLink.open({
        devtools,
        downloadsDir: scratch.downloads,
        ownContextId,
        sendToScript,
        onLost,
      })
      return await Promise.race([runIn({ page, order, log }), bounds.broken])
    } finally {
      bounds.stop()
      link?.close()
      await page.close()
    }
  }
}

/** Returns a function that passes messages of the browser to the script. */
async function messageSenderOf(page: ScriptPage, timeoutMs: number): Promise<SendToScript> {
  const { result } = await evaluated(page, `(${handMessages.source})`)
  const called = { objectId: result.objectId!, functionDeclaration: callItself.source }
  const withinMs = timeoutMs + scriptLimits.scriptOpenMs
  return (messages) =>
    page.call('Runtime.callFunctionOn', { ...called, arguments: [{ value: messages }] }, withinMs)
}

type SendToScript = (messages: readonly string[]) => Promise<unknown>

async function runIn({ page, order, log }: ScriptRun): Promise<ScriptResult> {
  const { code, args = {}, timeoutMs, tabId } = order
  const expression = `${scriptPrefix}${functionIn(code)}\n)\n//# sourceURL=${scriptName}`
  const { result, exceptionDetails } = await evaluated(page, expression)
  if (exceptionDetails) throw codeError(exceptionDetails, log.lines)
  if (result.type !== 'function') {
    throw failure('The code is not a function; write async ({ page }) => { … }.', log.lines)
  }
  const values = [tabId, args, scriptLimits].map((value) => ({ value }))
  const answer = await page.call(
    'Runtime.callFunctionOn',
    {
      objectId: result.objectId!,
      functionDeclaration: runScript.source,
      arguments: values,
      awaitPromise: true,
      returnByValue: true,
    },
    timeoutMs + 2 * scriptLimits.scriptOpenMs,
  )
  return resultOf(answer.result.value as scriptCode.ScriptEnd, log)
}

function resultOf(end: scriptCode.ScriptEnd, log: ScriptLog): ScriptResult {
  if ('json' in end) {
    const json = String(end.json).slice(0, scriptLimits.valueChars)
    if (jsonDepth(Buffer.from(json)) > limits.jsonDepth) {
      throw failure(`The return value has more than ${limits.jsonDepth} levels.`, log.lines)
    }
    return { value: JSON.parse(json) as unknown, logs: [...log.lines] }
  }
  const { error, stack, stage } = end
  if (stage === 'value')
    throw failure(`The return value of the script is not JSON: ${error}`, log.lines)
  if (stage === 'run') throw thrownError(error, stack, log.lines)
  throw failure(`The script could not connect to the browser: ${error}`, log.lines)
}

/**
 * Accepts code written as a module: what is removed becomes blanks, so that columns stay the same.
 */
const functionIn = (code: string) =>
  code
    .replace(/^\s*export\s+default\b/, (words) => words.replace(/\S/g, ' '))
    .replace(/[;\s]+$/, '')

const evaluated = (page: ScriptPage, expression: string) =>
  page.call('Runtime.evaluate', { expression }, scriptLimits.scriptOpenMs)

function notRunError(cause: unknown): ServiceError {
  if (cause instanceof CdpError && cause.kind === 'closed') {
    return new ServiceError('unavailable', 'The browser has ended.', {}, cause)
  }
  const why = failureText(cause)
  return new ServiceError('script_failed', `The script could not be run: ${why}.`, {}, cause)
}
