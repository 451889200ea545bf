/**
 * The properties that must be decided before Chromium starts. Browsers of the same shape are
 * interchangeable, so a pool can keep them. What can be set on a running browser (initial URL; of a
 * headless one also viewport and full screen) is set when it is claimed and is not part of the
 * shape.
 */
import { createHash } from 'node:crypto'
import {
  sessionDefaults,
  type ProxyOptions,
  type SessionOptions,
} from '../../proto/session/session.ts'
import type { ProfileSource } from '../../proto/session/profile.ts'
import type { DesktopShape } from '../display/screen.ts'
import { setupShapeOf, type SetupShape } from './setup/setup-shape.ts'

export interface BrowserShape {
  /** Only for headful browsers. */
  readonly desktop?: DesktopShape
  readonly proxy?: ProxyOptions
  readonly disableWebSecurity: boolean
  readonly pdfViewer: boolean
  readonly popupBlocker: boolean
  readonly popupsAsTabs: boolean
  readonly setup?: SetupShape
  /** What the browser begins with; such a browser is of use to one session only. */
  readonly profile?: { readonly sessionId: string; readonly source: ProfileSource }
}

export const plainShape: BrowserShape = {
  disableWebSecurity: false,
  pdfViewer: true,
  popupBlocker: true,
  popupsAsTabs: false,
}

/** The shape for a session without special options. */
export const headfulShape: BrowserShape = {
  ...plainShape,
  desktop: { viewport: sessionDefaults.viewport, fullscreen: false },
}

export function shapeOf(options: SessionOptions): BrowserShape {
  const setup = setupShapeOf(options)
  const scale = setup?.device?.scale
  return {
    ...(!options.headless && {
      desktop: {
        ...{ viewport: options.viewport, fullscreen: options.fullscreen },
        ...(scale !== undefined && { scale }),
      },
    }),
    ...(setup && { setup }),
    ...(options.proxy && { proxy: options.proxy }),
    disableWebSecurity: options.disableWebSecurity,
    pdfViewer: options.pdfViewer,
    popupBlocker: options.popupBlocker,
    popupsAsTabs: options.popupsAsTabs,
  }
}

/**
 * Equal for equal shapes. Safe to log: a proxy is included only as a hash, and a profile by its
 * session.
 */
export function shapeKey(shape: BrowserShape): string {
  const { proxy, desktop, setup, profile, ...rest } = shape
  const on = Object.entries(rest).filter(
    ([name, value]) => value !== plainShape[name as 'pdfViewer'],
  )
  const words = on.map(([name, value]) => `${name}=${value}`)
  if (desktop) {
    const { viewport, fullscreen } = desktop
    words.unshift(`desktop=${viewport.width}x${viewport.height}${fullscreen ? ' full' : ''}`)
  }
  if (setup) words.push(`setup=${JSON.stringify(setup)}`)
  if (proxy) {
    const text = JSON.stringify([proxy.server, proxy.username, proxy.password])
    words.push(`proxy=${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)
  }
  if (profile) words.push(`profile=${profile.sessionId}`)
  return words.length === 0 ? 'plain' : words.join(',')
}
