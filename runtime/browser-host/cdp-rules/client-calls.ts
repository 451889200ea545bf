/**
 * Filters a client's message: it passes byte for byte, is refused, or is rewritten (with the
 * session's downloads folder). A message that had to be parsed is serialised again, so that
 * Chromium cannot interpret it differently.
 */
import type { SessionExtension } from '../../../proto/session/extension.ts'
import { jsonDepth } from '../../../proto/json/depth.ts'
import { isRecord } from '../../../proto/json/record.ts'
import { mustBeParsed } from './call-scan.ts'
import { actIn, isAct, type ClientAct } from './client-acts.ts'
import { isBrowserPage, opensPages } from './browser-pages.ts'
import { redirectDownloads, setsDownloads, type ParsedCall } from './downloads.ts'
import { isBlockedMethod, blockReasonOf } from './blocked-methods.ts'
import { cdpRuleLimits } from './limits.ts'

export type FilteredCall =
  | { readonly to: 'browser'; readonly message: Buffer }
  | {
      readonly to: 'client'
      readonly message: Buffer
      /** Of a refused call; absent if it was answered. */
      readonly refused?: string
    }

export interface ClientCallRules {
  readonly downloadsDir: string
  /** Those that the session has named. */
  readonly extensions?: readonly SessionExtension[] | undefined
  /** Called with what a call does that passes to the browser, if it acts. */
  readonly onAct?: ((act: ClientAct) => void) | undefined
}

/** A deprecated way to call a target: its parameter `message` is another call as JSON text. */
const nesting = 'Target.sendMessageToTarget'
/** JSON-RPC's codes, which Chromium uses too. */
const errorCodes = { parse: -32700, invalid: -32600, notFound: -32601, server: -32000 } as const

class Refusal extends Error {
  readonly code: number
  /** The method of the refused call, which may be nested in another call. */
  readonly method: string | undefined

  constructor(code: number, message: string, method?: string) {
    super(message)
    this.code = code
    this.method = method
  }
}

/** Returns undefined for a message that passes unchanged, as nearly all do. */
export function filterCall(data: Uint8Array, rules: ClientCallRules): FilteredCall | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const { onAct } = rules
  let acting: string | undefined
  const isParsed = (method: string) => {
    if (onAct && isAct(method)) acting ??= method
    return isSpecial(method)
  }
  if (!mustBeParsed(bytes, isParsed)) {
    if (acting !== undefined) tell(rules, actIn(bytes, acting))
    return undefined
  }
  let call: unknown
  try {
    call = parse(bytes)
    const answer = answerTo(call, rules)
    if (answer) return { to: 'client', message: Buffer.from(JSON.stringify(answer)) }
    const allowed = toAllowed(call, rules.downloadsDir, 0)
    const message = Buffer.from(JSON.stringify(allowed))
    // Its bytes may have hidden the name of the call.
    if (onAct) tell(rules, actIn(message, acting, allowed))
    return { to: 'browser', message }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message } = error
    const { id, sessionId, method } = isRecord(call) ? call : {}
    const answer = JSON.stringify({ id, error: { code, message }, sessionId })
    const name = error.method ?? (typeof method === 'string' ? method : '')
    return {
      to: 'client',
      message: Buffer.from(answer),
      refused: name.slice(0, cdpRuleLimits.cdpMethodChars),
    }
  }
}

function tell({ onAct }: ClientCallRules, act: ClientAct | undefined): void {
  if (act) onAct?.(act)
}

/**
 * Libraries look for their extension by its name. Chromium's own answer has the extensions of the
 * service too, and folders of the host.
 */
function answerTo(call: unknown, { extensions = [] }: ClientCallRules): object | undefined {
  if (!isRecord(call) || call['method'] !== 'Extensions.getExtensions') return undefined
  const { id, sessionId } = call
  const seen = extensions.map(({ chromiumId, name, version }) => ({
    ...{ id: chromiumId, name, version, path: '', enabled: true },
  }))
  return { id, result: { extensions: seen }, sessionId }
}

const isSpecial = (method: string) =>
  method === nesting || setsDownloads(method) || opensPages(method) || isBlockedMethod(method)

/** Returns the call as it may be sent to the browser. Throws {@link Refusal}. */
function toAllowed(value: unknown, downloadsDir: string, levels: number): unknown {
  if (!isRecord(value) || typeof value['method'] !== 'string') return value
  const call: ParsedCall = value
  const { method, params } = value
  const reason = blockReasonOf(method)
  if (reason !== undefined) {
    const message = `'${method}' is not for clients of a session: ${reason}. Leave it out.`
    throw new Refusal(errorCodes.notFound, message, method)
  }
  if (setsDownloads(method)) return redirectDownloads(call, downloadsDir)
  if (opensPages(method) && isRecord(params) && isBrowserPage(params['url'])) {
    const message =
      "net::ERR_BLOCKED_BY_ADMINISTRATOR: Chromium's own pages are closed to sessions."
    throw new Refusal(errorCodes.server, message)
  }
  if (method !== nesting || !isRecord(params) || typeof params['message'] !== 'string') return call
  if (levels === cdpRuleLimits.cdpNestedLevels) {
    const message = `Messages may be nested ${levels} levels deep; attach with flatten: true.`
    throw new Refusal(errorCodes.invalid, message)
  }
  const inner = toAllowed(parse(Buffer.from(params['message'])), downloadsDir, levels + 1)
  return { ...call, params: { ...params, message: JSON.stringify(inner) } }
}

/**
 * Stricter than Chromium, which accepts control characters in strings and `\v` between tokens. A
 * message that only Chromium could parse is not sent.
 */
function parse(bytes: Buffer): unknown {
  if (bytes.length > cdpRuleLimits.cdpParsedBytes) {
    const most = cdpRuleLimits.cdpParsedBytes / 2 ** 20
    const message = `A message with this call, or with letters as escapes, has ${most} MiB at most.`
    throw new Refusal(errorCodes.invalid, message)
  }
  if (jsonDepth(bytes) > cdpRuleLimits.cdpJsonDepth) {
    const message = `JSON: more than ${cdpRuleLimits.cdpJsonDepth} levels of objects and arrays`
    throw new Refusal(errorCodes.parse, message)
  }
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return value
  } catch {
    throw new Refusal(errorCodes.parse, 'JSON: the message is not valid; see RFC 8259')
  }
}
