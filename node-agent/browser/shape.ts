/**
 * What must be decided before Chromium starts. Browsers of one shape are alike, so a pool can keep
 * them; whatever can be set on a running browser (viewport, full screen, first URL) is set when it
 * is claimed and is no part of it.
 */
import { createHash } from 'node:crypto'
import type { ProxyOptions, SessionOptions } from '../../proto/session.ts'

export interface Shape {
  readonly proxy?: ProxyOptions
  readonly disableWebSecurity: boolean
  readonly pdfViewer: boolean
  readonly popupBlocker: boolean
  readonly popupsAsTabs: boolean
}

export const plainShape: Shape = {
  disableWebSecurity: false,
  pdfViewer: true,
  popupBlocker: true,
  popupsAsTabs: false,
}

export function shapeOf(options: SessionOptions): Shape {
  return {
    ...(options.proxy && { proxy: options.proxy }),
    disableWebSecurity: options.disableWebSecurity,
    pdfViewer: options.pdfViewer,
    popupBlocker: options.popupBlocker,
    popupsAsTabs: options.popupsAsTabs,
  }
}

/** Equal for equal shapes, and fit for a log: a proxy's credentials are not to be read from it. */
export function shapeKey(shape: Shape): string {
  const { proxy, ...rest } = shape
  const on = Object.entries(rest).filter(
    ([name, value]) => value !== plainShape[name as 'pdfViewer'],
  )
  const words = on.map(([name, value]) => `${name}=${value}`)
  if (proxy) {
    const text = JSON.stringify([proxy.server, proxy.username, proxy.password])
    words.push(`proxy=${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)
  }
  return words.length === 0 ? 'plain' : words.join(',')
}
