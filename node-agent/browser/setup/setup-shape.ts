/**
 * The part of a browser's set-up that is decided at its start: flags and environment hold for every
 * page, pop-up, frame and worker from its first byte, whichever clients are attached.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { defined } from '../../../proto/defined.ts'
import type { BrowserSetup } from '../../../proto/session/setup/browser-setup.ts'
import type { DeviceShape } from '../../../proto/session/setup/devices.ts'
import type { SessionOptions } from '../../../proto/session/session.ts'
import { languagesOf, uiLocaleOf } from './locales.ts'

export interface SetupShape extends Pick<
  BrowserSetup,
  'locale' | 'timezone' | 'userAgent' | 'colorScheme' | 'reducedMotion'
> {
  readonly ignoreHttpsErrors?: true
  readonly hasNoWebgl?: true
  readonly device?: DeviceShape
  /** Of the device; its version of Chrome becomes that of the browser. */
  readonly deviceAgent?: string
}

/** Undefined if nothing of it has to be known before the browser starts. */
export function setupShapeOf({ setup, viewport }: SessionOptions): SetupShape | undefined {
  if (!setup) return undefined
  const { device } = setup
  const shape: SetupShape = defined({
    locale: setup.locale,
    timezone: setup.timezone,
    userAgent: setup.userAgent,
    // Light and motion are what a browser begins with.
    colorScheme: setup.colorScheme === 'dark' ? setup.colorScheme : undefined,
    reducedMotion: setup.reducedMotion === 'reduce' ? setup.reducedMotion : undefined,
    ignoreHttpsErrors: setup.ignoreHttpsErrors,
    hasNoWebgl: setup.hasNoWebgl,
    device: device && {
      ...viewport,
      ...{ scale: device.scale, mobile: device.mobile, touch: device.touch },
    },
    deviceAgent: setup.userAgent === undefined ? device?.userAgent : undefined,
  })
  return Object.keys(shape).length === 0 ? undefined : shape
}

/**
 * What a phone's Chromium has by itself. They are settings of its renderer, so that nothing of a
 * client's own emulation is overruled, and nothing of it ends with a client.
 */
const mobileSettings = {
  viewportEnabled: true,
  viewportMetaEnabled: true,
  // Of Android: a page without a viewport of its own is 980 px wide.
  viewportStyle: 1,
  useWideViewport: true,
  loadWithOverviewMode: true,
  shrinksViewportContentToFit: true,
  mainFrameResizesAreOrientationChanges: true,
}

/** Values are those of Blink's enumerations of pointers: coarse, and none that hovers. */
const touchSettings = {
  primaryPointerType: 2,
  availablePointerTypes: 2,
  primaryHoverType: 1,
  availableHoverTypes: 1,
  maxTouchPoints: 5,
}

export function setupFlags(setup: SetupShape, userAgent: string | undefined): string[] {
  const { locale, device } = setup
  const settings = Object.entries({
    ...(device?.mobile && mobileSettings),
    ...(device?.touch && touchSettings),
  })
  return [
    ...(locale === undefined ? [] : [`--accept-lang=${languagesOf(locale)}`]),
    ...(userAgent === undefined ? [] : [`--user-agent=${userAgent}`]),
    ...(setup.colorScheme === 'dark' ? ['--force-dark-mode'] : []),
    ...(setup.reducedMotion === 'reduce' ? ['--force-prefers-reduced-motion'] : []),
    ...(setup.ignoreHttpsErrors ? ['--ignore-certificate-errors'] : []),
    ...(setup.hasNoWebgl ? ['--disable-3d-apis'] : []),
    ...(device?.touch ? ['--touch-events=enabled'] : []),
    ...(device?.mobile ? ['--hide-scrollbars'] : []),
    ...(settings.length === 0
      ? []
      : [`--blink-settings=${settings.map(([name, value]) => `${name}=${value}`).join()}`]),
  ]
}

export function setupEnv({ locale, timezone }: SetupShape): NodeJS.ProcessEnv {
  return defined({
    TZ: timezone,
    LANGUAGE: locale === undefined ? undefined : uiLocaleOf(locale).replace('-', '_'),
  })
}

/** `Chrome/140.0.0.0` of a device's list becomes the version of the browser that is started. */
export async function userAgentOf(
  { userAgent, deviceAgent }: SetupShape,
  chromium: string,
): Promise<string | undefined> {
  if (userAgent !== undefined || !deviceAgent?.includes('Chrome/')) return userAgent ?? deviceAgent
  const { stdout } = await promisify(execFile)(chromium, ['--version'])
  const [, major = ''] = /(\d+)\.\d+/.exec(stdout) ?? []
  return deviceAgent.replaceAll(/(Chrome|Edg)\/[\d.]+/g, `$1/${major}.0.0.0`)
}
