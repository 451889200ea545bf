/**
 * Which calls act on a page or on the browser, and what of them the session's log is told: never text,
 * keys, cookies or names of files. Calls that read, and scripts that clients run in pages, are left out.
 */
import { isRecord, type JsonRecord } from '../../../proto/json/record.ts'
import { sessionLimits } from '../../../proto/session/limits.ts'
import type { clientActs } from '../../../proto/session/session-event.ts'
import { shownUrl } from '../../lib/text/shown-url.ts'
import { cdpRuleLimits } from './limits.ts'

export interface ClientAct {
  readonly act: (typeof clientActs)[number]
  readonly url?: string
  /** CSS pixels of the page. */
  readonly x?: number
  readonly y?: number
  readonly count?: number
}

type Reading = (params: JsonRecord) => ClientAct | undefined

const plain = (act: ClientAct['act']) => (): ClientAct => ({ act })

const withUrl =
  (act: ClientAct['act']) =>
  ({ url }: JsonRecord): ClientAct =>
    typeof url === 'string' ? { act, url: shownUrl(url, sessionLimits.eventUrlChars) } : { act }

/** Clients choose the values, so that they may be anything. */
const at = ({ x, y }: JsonRecord) =>
  Number.isFinite(x) && Number.isFinite(y)
    ? { x: Math.round(x as number), y: Math.round(y as number) }
    : {}

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 1

/** Of a call with several phases, the first one. */
const phases: Readonly<Record<string, Reading>> = {
  mousePressed: (params) => ({ act: 'click', ...at(params) }),
  mouseWheel: (params) => ({ act: 'scroll', count: 1, ...at(params) }),
  keyDown: () => ({ act: 'keys', count: 1 }),
  rawKeyDown: () => ({ act: 'keys', count: 1 }),
  touchStart({ touchPoints }) {
    const [point] = Array.isArray(touchPoints) ? (touchPoints as readonly unknown[]) : []
    return { act: 'touch', ...(isRecord(point) && at(point)) }
  },
}
const byPhase: Reading = (params) =>
  Object.hasOwn(phases, String(params['type']))
    ? phases[String(params['type'])]!(params)
    : undefined

const readings: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['Page.navigate', withUrl('navigate')],
  ['Page.reload', plain('navigate')],
  ['Page.navigateToHistoryEntry', plain('navigate')],
  ['Input.dispatchMouseEvent', byPhase],
  ['Input.dispatchKeyEvent', byPhase],
  ['Input.dispatchTouchEvent', byPhase],
  ['Input.insertText', ({ text }) => ({ act: 'text', count: lengthOf(text) })],
  ['DOM.setFileInputFiles', ({ files }) => ({ act: 'upload', count: lengthOf(files) })],
  ['Page.handleJavaScriptDialog', plain('answer_dialog')],
  ['Target.createTarget', withUrl('open_page')],
  ['Target.closeTarget', plain('close_page')],
  ['Page.close', plain('close_page')],
  ['Storage.setCookies', plain('set_cookies')],
  ['Network.setCookies', plain('set_cookies')],
  ['Network.setCookie', plain('set_cookies')],
])

export const isAct = (method: string): boolean => readings.has(method)

/** Undefined for calls that do not act, and for later phases of those that do. */
export const actOf = (method: string, params: JsonRecord): ClientAct | undefined =>
  readings.get(method)?.(params)

/**
 * What a message does. `method` is one that was found in its bytes, `parsed` the message if it has been
 * parsed. Undefined for a later phase of a call, and for what does not act or is no JSON.
 */
export function actIn(
  message: Buffer,
  method: string | undefined,
  parsed?: unknown,
): ClientAct | undefined {
  // Its text would take long to parse; that something was done is what the log is for.
  if (message.byteLength > cdpRuleLimits.cdpActBytes) return actOf(method ?? '', {})
  const call = parsed ?? jsonOf(message)
  if (!isRecord(call)) return undefined
  const { method: called, params } = call
  return actOf(String(called), isRecord(params) ? params : {})
}

function jsonOf(message: Buffer): unknown {
  try {
    return JSON.parse(message.toString('utf8'))
  } catch {
    return undefined
  }
}
